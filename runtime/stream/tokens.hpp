#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "objects/graph.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_stream {

/// An input as tokens: what the embedding, and the interpreter of a program, start from.
struct Tokens {
  std::vector<std::string> kinds;        ///< one per token; "" where the input has no kinds
  std::vector<std::vector<Real>> given;  ///< per token the values of the first cells; may be empty
  std::uint64_t size = 0;                ///< the n of `unroll`: letters, vertices, or raw tokens
};

/// Letters are names from the alphabet. Errors: OutsideHypotheses for a word without any token.
Outcome<Tokens> word_tokens(const WordInput& input, const std::vector<std::string>& letters);

/// The graph with source s and target t, in the token order of the layout. A file made for a size
/// gets isolated vertices added. Errors: OutsideHypotheses for more vertices than that size.
/// Precondition: s, t < graph.size().
Outcome<Tokens> graph_tokens(const GraphInput& input, const Graph& graph, std::size_t source,
                             std::size_t target);

/// Raw streams, one row of values per token. Precondition: every row has a value per name.
Tokens cells_tokens(std::vector<std::vector<Real>> rows);

}}  // namespace logdepth::runtime_stream
