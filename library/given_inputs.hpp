#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "logdepth/run.hpp"
#include "objects/graph.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

/// Inputs of the public headers, as the inside has them.

/// Vertices are called by their numbers. Errors: InputError for a vertex that is not there.
Graph graph_of(const DirectedGraph& graph);
Graph graph_of(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target);
void require_vertices(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target);

/// Errors: InputError where the model reads no raw streams, for names that are not its own, and for
/// what is no number.
Outcome<Tokens> tokens_of_streams(const Model& model, const RawStreams& streams);

}  // namespace logdepth
