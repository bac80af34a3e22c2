#include "report/pictures/cell_values.hpp"

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "compiler/file/carried_program.hpp"

namespace logdepth::inline report_pictures {
namespace {

constexpr std::size_t kExactCharacters = 16;
constexpr std::size_t kCellsListed = 64;

std::string number_of(const Real& value) {
  const std::string exact = value.text();
  if (exact.size() <= kExactCharacters) return exact;
  return "\xE2\x89\x88" + short_text(value.approximate().value, 6);  // almost equal
}

}  // namespace

CellValues::CellValues(const Model& model) {
  const CarriedProgram carried(model, Trust::plausible);
  for (const auto& [name, index] : model.cells) {
    if (index.type == "constant") continue;
    NamedCell& cell = cells_.emplace_back(NamedCell{name, index.coordinates, {}});
    if (!carried.fitted()) continue;
    for (const Cell& declared : carried.fitted()->program().cells)
      if (const auto* onehot = std::get_if<OneHotType>(&declared.type);
          onehot && declared.name == name)
        cell.labels = onehot->labels;
  }
  std::sort(cells_.begin(), cells_.end(), [](const NamedCell& a, const NamedCell& b) {
    return std::pair(a.coordinates, a.name) < std::pair(b.coordinates, b.name);
  });
}

std::string CellValues::text(const Stream<ValueId>& stream, std::size_t token,
                             const ValuePool& pool) const {
  std::vector<std::string> items;
  for (const NamedCell& cell : cells_) {
    std::vector<std::string> numbers;
    std::size_t nonzero = 0, last = 0;
    for (std::size_t i = 0; i < cell.coordinates.size(); ++i) {
      const ValueId value = stream.at(token, cell.coordinates[i]);
      numbers.push_back(number_of(pool[value]));
      if (value == ValuePool::kZero) continue;
      ++nonzero;
      last = i;
    }
    if (nonzero == 0 || items.size() == kCellsListed) continue;
    const bool label = nonzero == 1 && numbers[last] == "1" && last < cell.labels.size();
    items.push_back(cell.name + " = " + (label ? cell.labels[last] : joined(numbers, " ")));
  }
  return items.empty() ? "" : "Cells after the layer: " + joined(items, "; ") + ".";
}

}  // namespace logdepth::inline report_pictures
