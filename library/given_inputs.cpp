#include "library/given_inputs.hpp"

#include <string>
#include <variant>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/requests/stream_request.hpp"
#include "logdepth/errors.hpp"
#include "runtime/numbers/real_text.hpp"

namespace logdepth {

Graph graph_of(const DirectedGraph& graph) {
  Graph named;
  for (std::uint32_t vertex = 0; vertex < graph.vertices; ++vertex)
    named.add_vertex(std::to_string(vertex));
  for (const auto& [from, to] : graph.edges) {
    require(from < graph.vertices && to < graph.vertices,
            "the edge from " + std::to_string(from) + " to " + std::to_string(to) +
                " is not in a graph of " + std::to_string(graph.vertices) + " vertices");
    named.add_edge(from, to);
  }
  return named;
}

void require_vertices(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  require(source < graph.vertices && target < graph.vertices,
          "expected source and target among the " + std::to_string(graph.vertices) +
              " vertices of the graph");
}

Graph graph_of(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  require_vertices(graph, source, target);
  return graph_of(graph);
}

Outcome<Tokens> tokens_of_streams(const Model& model, const RawStreams& streams) {
  const auto* input = std::get_if<CellsInput>(&model.input);
  require(input != nullptr,
          "the weights file " + in_quotes(model.name) + " does not take raw streams");
  const std::string where = "raw streams: ";
  std::size_t tokens = 0;
  for (const auto& [name, numbers] : streams.numbers) tokens = numbers.size();
  std::vector<std::vector<Real>> rows(tokens, std::vector<Real>(input->names.size()));
  std::size_t known = 0;
  for (std::size_t i = 0; i < input->names.size(); ++i) {
    const auto found = streams.numbers.find(input->names[i]);
    if (found == streams.numbers.end()) continue;
    ++known;
    const std::vector<std::string>& numbers = found->second;
    require(numbers.size() == tokens,
            where + in_quotes(found->first) + " has " + counted(numbers.size(), "number") +
                ", expected one for " + "each of " + counted(tokens, "token"));
    for (std::size_t token = 0; token < tokens; ++token) {
      auto number = parse_real(numbers[token]);
      if (!number)
        throw InputError(
            where + in_quotes(found->first) + ", token " + std::to_string(token) +
            ": expected an exact number such as 3/5, sqrt(2/5) or 1/2-sqrt(3), found " +
            in_quotes(numbers[token]));
      rows[token][i] = std::move(*number);
    }
  }
  require(known == input->names.size() && known == streams.numbers.size(),
          where + "expected numbers for " + joined(input->names));
  return declared_tokens(model, std::move(rows));
}

}  // namespace logdepth
