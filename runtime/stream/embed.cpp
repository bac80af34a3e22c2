#include "runtime/stream/embed.hpp"

namespace logdepth { inline namespace runtime_stream {

GivenPlace given_place(const Model& model) {
  GivenPlace place;
  bool mirrored = false;
  if (const auto* cells = std::get_if<CellsInput>(&model.input)) {
    place.values = cells->names.size();
    mirrored = cells->mirrored;
  } else if (const auto* graph = std::get_if<GraphInput>(&model.input)) {
    if (graph->layout == GraphInput::Layout::rows) place.values = graph->size.value_or(0);
    mirrored = graph->mirrored;
  }
  if (mirrored) place.mirror = model.width / 2;
  return place;
}

SparseVector position_row(const Position& position, std::size_t p) {
  if (const auto* flag = std::get_if<FirstFlagPosition>(&position))
    return p == 0 ? flag->first : flag->rest;
  if (const auto* table = std::get_if<TablePosition>(&position)) return table->rows.at(p);
  const auto& code = std::get<CodePosition>(position);
  SparseVector row;
  for (const CodeFill& fill : code.fills) {
    const auto shown = rational_code(code.code, p >= fill.back ? p - fill.back : 0);
    for (std::size_t i = 0; i < fill.at.size(); ++i)
      row.push_back({fill.at[i], shown[i] * fill.scale});
  }
  for (const SparseEntry& e : code.parity)
    row.push_back({e.index, p % 2 == 0 ? e.value : -e.value});
  return row;
}

}}  // namespace logdepth::runtime_stream
