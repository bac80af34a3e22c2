#include "runtime/stream/embed.hpp"

namespace logdepth::inline runtime_stream {

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

}  // namespace logdepth::inline runtime_stream
