#include "report/pictures/reachability_cells.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/quoted_text.hpp"

namespace logdepth::inline report_pictures {
namespace {

using Form = ReachabilityCells::Form;
using Names = std::vector<std::string>;

/// How cells are called that keep what is known at tokens of pairs and tuples.
struct TupleNames {
  Form form;
  std::string pair, tuple;
  std::vector<Names> stretches;
  Names answers;
};
const std::vector<TupleNames>& tuple_names() {
  const Names answers = {"zA", "zC", "same"};
  static const std::vector<TupleNames> kNames = {
      {Form::edges, "A", "C", {{"xA", "xC"}, {"yA", "yC"}}, answers},
      {Form::edges, "A", "C", {{"x1", "y1"}, {"x2", "y2"}}, answers},
      {Form::edges, "A", "C", {{"x1", "y1"}, {"x2", "y2"}, {"stay", "x3", "y3"}}, answers},
      {Form::pairs, "B", "C", {{"x1"}, {"y1"}}, {"zB", "same"}}};
  return kNames;
}

/// Looks cells up, and remembers those that the file does not have.
class CellFinder {
 public:
  explicit CellFinder(const Model& model) : model_(model) {}

  NumberCell flag(const std::string& name) {
    const auto found = model_.cells.find(name);
    if (found != model_.cells.end() && found->second.type == "flag" &&
        found->second.coordinates.size() == 1)
      return {name, found->second.coordinates.front()};
    missing_.push_back(name);
    return {};
  }
  std::vector<NumberCell> flags(const Names& names) {
    std::vector<NumberCell> cells;
    for (const std::string& name : names) cells.push_back(flag(name));
    return cells;
  }
  std::vector<NumberCell> numbered(const std::string& family, std::uint32_t count) {
    std::vector<NumberCell> cells;
    for (std::uint32_t i = 0; i < count; ++i)
      cells.push_back(flag(fmt::format("{}.{}", family, i)));
    return cells;
  }
  const Names& missing() const { return missing_; }

 private:
  const Model& model_;
  Names missing_;
};

std::string unknown(const Model& model, const std::string& why) {
  return "the weights file " + in_quotes(model.name) +
         " does not name the cells of its reachability relation: " + why;
}

}  // namespace

std::variant<ReachabilityCells, std::string> reachability_cells(const Model& model) {
  const auto* graph = std::get_if<GraphInput>(&model.input);
  if (!graph) return unknown(model, "it takes no graph");
  if (model.shape.repeated == 0) return unknown(model, "it has no repeated layers");
  ReachabilityCells cells;
  Names missing;
  if (graph->layout == GraphInput::Layout::rows) {
    CellFinder find(model);
    cells.form = Form::rows;
    cells.row = find.numbered("R", graph->size.value_or(0));
    cells.fetched = find.numbered("S", graph->size.value_or(0));
    missing = find.missing();
  } else {
    // The names that the file has most of; tuples have a vertex more where there is padding for it.
    const std::size_t stretches = graph->padding == GraphInput::Padding::n4_minus_n2 ? 3 : 2;
    std::size_t fewest = SIZE_MAX;
    for (const TupleNames& names : tuple_names()) {
      if (names.stretches.size() != stretches) continue;
      CellFinder find(model);
      ReachabilityCells found{names.form, find.flag(names.pair), find.flag(names.tuple)};
      for (const Names& stretch : names.stretches) found.stretches.push_back(find.flags(stretch));
      found.answers = find.flags(names.answers);
      if (find.missing().size() >= fewest) continue;
      fewest = find.missing().size();
      missing = find.missing();
      cells = std::move(found);
    }
  }
  if (!missing.empty())
    return unknown(model, "its index 'cells' has no flag " + in_quotes(missing.front()));
  return cells;
}

}  // namespace logdepth::inline report_pictures
