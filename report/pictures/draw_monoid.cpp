#include "report/pictures/draw_monoid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "report/pictures/circuit_view.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

constexpr std::size_t kMostClasses = 48, kMostRows = 40, kMostColumns = 40;
constexpr std::size_t kMostWords = 400;      ///< a larger monoid is drawn without words
constexpr std::size_t kWordCharacters = 12;  ///< of one word
constexpr std::size_t kLineCharacters = 14, kMostLines = 6;
constexpr std::size_t kLabelledPoints = 7;  ///< of images and kernels
constexpr std::size_t kMostTitleWords = 12;

/// Permutes the columns so that, row by row, idempotents stand on the diagonal as far as that goes.
std::vector<std::size_t> diagonal_order(const std::vector<std::vector<bool>>& idempotent) {
  std::vector<std::size_t> columns(idempotent.front().size());
  std::iota(columns.begin(), columns.end(), 0);
  for (std::size_t r = 0; r < std::min(idempotent.size(), columns.size()); ++r) {
    const auto found = std::find_if(columns.begin() + static_cast<std::ptrdiff_t>(r), columns.end(),
                                    [&](std::size_t c) { return idempotent[r][c]; });
    if (found != columns.end())
      std::rotate(columns.begin() + static_cast<std::ptrdiff_t>(r), found, found + 1);
  }
  return columns;
}

std::string points(const Transformation& x) {
  std::string text;
  for (const State q : std::set(x.begin(), x.end())) text += std::to_string(q);
  return text;
}

/// Points with one image together: "02|1".
std::string kernel(const Transformation& x) {
  std::vector<std::string> parts;
  for (State first = 0; first < x.size(); ++first) {
    if (std::find(x.begin(), x.begin() + first, x[first]) != x.begin() + first) continue;
    std::string& part = parts.emplace_back();
    for (State q = first; q < x.size(); ++q)
      if (x[q] == x[first]) part += std::to_string(q);
  }
  return joined(parts, "|");
}

std::size_t rank(const Transformation& x) {
  return std::set(x.begin(), x.end()).size();
}

class MonoidDrawing {
 public:
  MonoidDrawing(const TransitionMonoid& monoid, const GreenClasses& classes,
                const std::vector<std::string>& groups, const Alphabet& alphabet)
      : monoid_(monoid),
        classes_(classes),
        groups_(groups),
        alphabet_(alphabet),
        idempotent_(monoid.size(), false) {
    for (const JClass& one : classes.j)
      for (const std::uint32_t e : one.idempotents) idempotent_[e] = true;
  }

  bool with_words() const { return monoid_.size() <= kMostWords; }

  EggboxBlock block(std::uint32_t j) const {
    const JClass& one = classes_.j[j];
    EggboxBlock block;
    if (!with_words() && one.regular() && one.cell_size() > 1) block.name = groups_[j];
    const std::size_t rows = std::min(one.rows(), kMostRows);
    std::vector<std::vector<bool>> idempotents(rows, std::vector<bool>(one.columns(), false));
    for (const std::uint32_t e : one.idempotents)
      if (classes_.places[e].row < rows)
        idempotents[classes_.places[e].row][classes_.places[e].column] = true;
    std::vector<std::size_t> columns = diagonal_order(idempotents);
    columns.resize(std::min(columns.size(), kMostColumns));
    for (std::size_t r = 0; r < rows; ++r) {
      auto& row = block.cells.emplace_back();
      for (const std::size_t c : columns)
        row.push_back(cell(j, one.cells[r][c], idempotents[r][c]));
    }
    if (with_words() && monoid_.elements[0].size() <= kLabelledPoints) {
      for (std::size_t r = 0; r < rows; ++r)
        block.rows.push_back(kernel(monoid_.elements[one.cells[r][0].front()]));
      for (const std::size_t c : columns)
        block.columns.push_back(points(monoid_.elements[one.cells[0][c].front()]));
    }
    if (rows < one.rows() || columns.size() < one.columns())
      block.left_out =
          fmt::format("{} x {} of {} x {} cells", rows, columns.size(), one.rows(), one.columns());
    return block;
  }

 private:
  std::string word(std::uint32_t e) const {
    return e == 0 ? "1" : alphabet_.format_word(monoid_.shortest_word[e]);
  }

  EggboxCell cell(std::uint32_t j, const std::vector<std::uint32_t>& elements, bool group) const {
    EggboxCell cell;
    cell.filled = group;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(elements.size(), kMostTitleWords); ++i)
      words.push_back((idempotent_[elements[i]] ? "*" : "") + word(elements[i]));
    cell.title = joined(words) + (words.size() < elements.size() ? ", \xE2\x80\xA6" : "") +
                 fmt::format(" ({}, rank {})", counted(elements.size(), "element"),
                             rank(monoid_.elements[elements.front()]));
    if (!with_words()) {
      if (group) cell.lines = {"*"};
      return cell;
    }
    std::size_t shown = 0;
    for (; shown < words.size(); ++shown) {
      const std::string one = cut_text(words[shown], kWordCharacters);
      const bool fits =
          !cell.lines.empty() && count_characters(cell.lines.back() + one) + 2 <= kLineCharacters;
      if (fits) {
        cell.lines.back() += ", " + one;
      } else if (cell.lines.size() < kMostLines) {
        cell.lines.push_back(one);
      } else {
        break;
      }
    }
    if (shown < elements.size())
      cell.lines.back() = fmt::format("\xE2\x80\xA6 {} in all", elements.size());
    if (group && elements.size() > 1) cell.name = groups_[j];
    return cell;
  }

  const TransitionMonoid& monoid_;
  const GreenClasses& classes_;
  const std::vector<std::string>& groups_;
  const Alphabet& alphabet_;
  std::vector<bool> idempotent_;
};

/// The classes that are drawn, ascending: where there are too many, the regular ones first, for
/// the groups are in them, and the lowest among them.
std::vector<std::uint32_t> drawn_classes(const GreenClasses& classes) {
  std::vector<std::uint32_t> drawn(classes.j.size());
  std::iota(drawn.begin(), drawn.end(), 0);
  if (drawn.size() <= kMostClasses) return drawn;
  std::stable_partition(drawn.begin(), drawn.end(),
                        [&](std::uint32_t j) { return classes.j[j].regular(); });
  const auto last = static_cast<std::uint32_t>(classes.j.size() - 1);
  drawn.erase(std::find(drawn.begin(), drawn.end(), last));
  drawn.resize(kMostClasses - 1);
  drawn.push_back(last);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

}  // namespace

Eggbox draw_monoid(const TransitionMonoid& monoid, const GreenClasses& classes,
                   const std::vector<std::string>& groups, const Alphabet& alphabet,
                   const std::string& title) {
  const MonoidDrawing drawing(monoid, classes, groups, alphabet);
  const std::vector<std::uint32_t> drawn = drawn_classes(classes);
  std::vector<std::vector<bool>> below;
  for (const std::uint32_t j : drawn) below.push_back(strictly_below(classes, j));
  Eggbox eggbox;
  eggbox.title = title;
  eggbox.subtitle = fmt::format("{}, {}", counted(monoid.size(), "element"),
                                counted(classes.j.size(), "J-class", "J-classes"));
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    EggboxBlock& block = eggbox.blocks.emplace_back(drawing.block(drawn[i]));
    for (std::size_t k = i + 1; k < drawn.size(); ++k) {
      if (!below[i][drawn[k]]) continue;
      bool between = false;
      for (std::size_t m = i + 1; m < k; ++m)
        between = between || (below[i][drawn[m]] && below[m][drawn[k]]);
      if (!between) block.below.push_back(k);
    }
  }
  eggbox.notes = {"A box is a J-class; its rows are R-classes, its columns L-classes.",
                  "Filled cells are groups, each around an idempotent (*); a class without is not "
                  "regular."};
  if (!drawing.with_words()) {
    eggbox.notes.push_back(fmt::format(
        "Elements are not written, as there are more than {}: point at a cell to read its first.",
        kMostWords));
  } else if (!eggbox.blocks.front().columns.empty()) {
    eggbox.notes.push_back("Above a column its image, left of a row its kernel.");
  }
  if (drawn.size() < classes.j.size())
    eggbox.notes.push_back(fmt::format(
        "Drawn are {} of {} J-classes, regular ones first; the order is that among them.",
        drawn.size(), classes.j.size()));
  return eggbox;
}

}}  // namespace logdepth::report_pictures
