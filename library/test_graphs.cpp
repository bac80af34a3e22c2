// Property tests of what reads graphs, divides, or evaluates computation graphs: test.hpp.
#include <fmt/core.h>

#include "base/phrases.hpp"
#include "library/runs/tested.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/test.hpp"

namespace logdepth {
namespace {

/// "of 3 vertices with 0 -> 1, 1 -> 2"
std::string graph_text(const DirectedGraph& graph) {
  std::vector<std::string> edges;
  for (const auto& [from, to] : graph.edges) edges.push_back(fmt::format("{} -> {}", from, to));
  return "of " + counted(graph.vertices, "vertex", "vertices") + " with " +
         (edges.empty() ? "no edge" : joined(edges));
}

}  // namespace

GraphTestResult test_graphs(const Transformer& transformer, const TestedGraphs& graphs) {
  return tested_graphs(transformer.hidden().model, nullptr, graphs);
}

GraphTestResult test_graphs(
    const Transformer& transformer,
    const std::function<bool(const DirectedGraph&, std::uint32_t, std::uint32_t)>& connected,
    const TestedGraphs& graphs) {
  const auto oracle = [&](const Graph& graph, Vertex source, Vertex target) {
    return connected(numbered_graph(graph), source, target);
  };
  return tested_graphs(transformer.hidden().model, oracle, graphs);
}

DivisionTestResult test_division(const Transformer& transformer, const TestedDivisions& divisions) {
  return tested_divisions(transformer.hidden().model, divisions);
}

ComputationGraphTestResult test_computation_graphs(const Transformer& transformer,
                                                   const TestedComputationGraphs& graphs) {
  return tested_computation_graphs(transformer.hidden().model, graphs);
}

std::string GraphTestResult::text() const {
  const std::string asked =
      fmt::format("{}, {}, {}, {} connected, {}", counted(exhaustive_graphs, "small graph"),
                  counted(random_graphs, "larger graph"), counted(pairs, "query", "queries"),
                  connected, counted(promises, "contract instance"));
  if (!wrong) return "passed: " + asked;
  return fmt::format("failed: the graph {}, from {} to {}: expected {}, found {}; tested: {}",
                     graph_text(wrong->graph), wrong->source, wrong->target, wrong->expected,
                     wrong->got, asked);
}

std::string DivisionTestResult::text() const {
  const std::string asked =
      fmt::format("{}, {}, {}, {}", counted(exhaustive_inputs, "short input"),
                  counted(random_inputs, "random input"), counted(divisions, "division"),
                  counted(promises, "contract instance"));
  if (!wrong) return "passed: " + asked;
  std::vector<std::string> dividends;
  for (const std::uint64_t dividend : wrong->dividends)
    dividends.push_back(std::to_string(dividend));
  return fmt::format("failed: {} by {}: expected {}, found {}; tested: {}", joined(dividends, " "),
                     wrong->divisor, wrong->expected, wrong->got, asked);
}

}  // namespace logdepth
