#include "runtime/stream/tokens.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace runtime_stream {
namespace {

/// A run holds about a kilobyte per token.
constexpr std::uint64_t kMaxGraphTokens = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxPaddedVertices = 4096;  // its fourth power still fits in 64 bits

bool has_edge(const Graph& graph, std::size_t from, std::size_t to) {
  return from < graph.size() && to < graph.size() &&
         graph.has_edge(static_cast<Vertex>(from), static_cast<Vertex>(to));
}

Tokens adjacency_tokens(const GraphInput& input, const Graph& graph, std::uint64_t n,
                        std::size_t source, std::size_t target) {
  const auto too_many = [&] {
    return SizeLimit(
        fmt::format("a graph of {} vertices and its padding are more than the limit of {} tokens "
                    "({} vertices); a file of rows has one token per vertex",
                    n, kMaxGraphTokens, input.padding == GraphPadding::n4_minus_n2 ? 31 : 101));
  };
  if (n > kMaxPaddedVertices) throw too_many();
  const std::uint64_t padding = input.padding == GraphPadding::n3 ? n * n * n
                                : input.padding == GraphPadding::n3_minus_n2
                                    ? n * n * n - n * n
                                    : n * n * n * n - n * n;
  if (n * n + padding + source + target + 2 > kMaxGraphTokens) throw too_many();
  Tokens tokens;
  tokens.size = n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      tokens.kinds.emplace_back(has_edge(graph, i, j) ? kEdgeToken : kNoEdgeToken);
  tokens.kinds.insert(tokens.kinds.end(), static_cast<std::size_t>(padding), kPadToken);
  tokens.kinds.insert(tokens.kinds.end(), source + 1, kSourceToken);
  tokens.kinds.insert(tokens.kinds.end(), target + 1, kTargetToken);
  return tokens;
}

Tokens row_tokens(const Graph& graph, std::uint64_t n) {
  Tokens tokens;
  tokens.size = n;
  tokens.kinds.assign(static_cast<std::size_t>(n), kVertexToken);
  for (std::size_t i = 0; i < n; ++i) {
    auto& row = tokens.given.emplace_back();
    for (std::size_t j = 0; j < n; ++j) row.emplace_back(i == j || has_edge(graph, i, j) ? 1 : -1);
  }
  return tokens;
}

}  // namespace

Outcome<Tokens> word_tokens(const WordInput& input, const std::vector<std::string>& letters) {
  Tokens tokens;
  tokens.size = letters.size();
  tokens.kinds.reserve(letters.size() + 2);
  if (input.begin) tokens.kinds.emplace_back(kBeginToken);
  tokens.kinds.insert(tokens.kinds.end(), letters.begin(), letters.end());
  if (input.end) tokens.kinds.emplace_back(kEndToken);
  if (tokens.kinds.empty())
    return OutsideHypotheses{
        "the empty word has no token in a model without a beginning or end token"};
  return tokens;
}

Outcome<Tokens> graph_tokens(const GraphInput& input, const Graph& graph, std::size_t source,
                             std::size_t target) {
  if (input.size && graph.size() > *input.size)
    return OutsideHypotheses{fmt::format(
        "the graph has {} vertices; this network supports at most {}", graph.size(), *input.size)};
  const std::uint64_t n = input.size ? *input.size : graph.size();
  return input.layout == GraphInput::Layout::rows
             ? row_tokens(graph, n)
             : adjacency_tokens(input, graph, n, source, target);
}

Tokens cells_tokens(std::vector<std::vector<Real>> rows) {
  Tokens tokens;
  tokens.size = rows.size();
  tokens.kinds.assign(rows.size(), "");
  tokens.given = std::move(rows);
  return tokens;
}

}}  // namespace logdepth::runtime_stream
