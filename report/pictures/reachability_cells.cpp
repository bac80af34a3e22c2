#include "report/pictures/reachability_cells.hpp"

#include <fmt/core.h>

#include <optional>

#include "base/quoted_text.hpp"

namespace logdepth {
namespace {

/// Looks cells up, and remembers the first that the file does not have.
class CellFinder {
 public:
  explicit CellFinder(const Model& model) : model_(model) {}

  NumberCell flag(const std::string& name) {
    const auto found = model_.cells.find(name);
    if (found != model_.cells.end() && found->second.type == "flag" &&
        found->second.coordinates.size() == 1)
      return {name, found->second.coordinates.front()};
    if (!missing_) missing_ = name;
    return {};
  }
  std::vector<NumberCell> flags(const std::vector<std::string>& names) {
    std::vector<NumberCell> cells;
    for (const std::string& name : names) cells.push_back(flag(name));
    return cells;
  }
  const std::optional<std::string>& missing() const { return missing_; }

 private:
  const Model& model_;
  std::optional<std::string> missing_;
};

std::vector<std::string> numbered_names(const std::string& family, std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(fmt::format("{}.{}", family, i));
  return names;
}

std::string unknown(const Model& model, const std::string& why) {
  return "the weights file " + in_quotes(model.name) +
         " does not say where it keeps who reaches whom: " + why;
}

}  // namespace

std::variant<ReachabilityCells, std::string> reachability_cells(const Model& model) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  if (!graph) return unknown(model, "it takes no graph");
  if (model.shape.repeated == 0) return unknown(model, "it has no repeated layers");
  CellFinder find(model);
  ReachabilityCells cells;
  if (graph->layout == GraphInput::Layout::rows) {
    cells.form = ReachabilityCells::Form::rows;
    cells.row = find.flags(numbered_names("R", graph->size.value_or(0)));
    cells.fetched = find.flags(numbered_names("S", graph->size.value_or(0)));
  } else if (model.construction == "compact") {
    cells.form = ReachabilityCells::Form::edges;
    cells.pair = find.flag("A");
    cells.triple = find.flag("C");
    cells.first = find.flags({"xA", "xC"});
    cells.second = find.flags({"yA", "yC"});
    cells.answers = find.flags({"zA", "zC", "same"});
  } else if (model.construction == "paper") {
    cells.form = ReachabilityCells::Form::pairs;
    cells.pair = find.flag("B");
    cells.triple = find.flag("C");
    cells.first = find.flags({"x1"});
    cells.second = find.flags({"y1"});
    cells.answers = find.flags({"zB", "same"});
  } else {
    return unknown(model, "its construction is none of compact, paper and rows");
  }
  if (find.missing())
    return unknown(model, "its index 'cells' has no flag " + in_quotes(*find.missing()));
  return cells;
}

}  // namespace logdepth
