// Property tests of what reads graphs or divides: test.hpp.
#include <fmt/core.h>

#include "library/given_inputs.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/test.hpp"
#include "objects/phrases.hpp"
#include "proofs-check/check/test_division.hpp"
#include "proofs-check/check/test_reachability.hpp"

namespace logdepth {
namespace {

GraphTestResult test_graphs_with(const Transformer& transformer, ReachabilityQuestion oracle,
                                 const TestedGraphs& graphs) {
  ReachabilityOptions options;
  options.up_to = graphs.up_to;
  options.random = graphs.random;
  options.max_size = graphs.max_size;
  options.seed = graphs.seed;
  options.undirected = graphs.undirected;
  options.oracle = std::move(oracle);
  const ReachabilityReport report = test_reachability(transformer.hidden().model, options);
  GraphTestResult result;
  result.exhaustive_graphs = report.exhaustive_graphs;
  result.random_graphs = report.random_graphs;
  result.pairs = report.pairs;
  result.connected = report.connected;
  result.promises = report.promises;
  result.unasked = descriptions(report.unevaluated);
  if (const auto& found = report.counterexample)
    result.wrong = {numbered_graph(found->graph), found->source, found->target, found->expected,
                    found->got};
  return result;
}

/// "of 3 vertices with 0 -> 1, 1 -> 2"
std::string graph_text(const DirectedGraph& graph) {
  std::vector<std::string> edges;
  for (const auto& [from, to] : graph.edges) edges.push_back(fmt::format("{} -> {}", from, to));
  return "of " + counted(graph.vertices, "vertex", "vertices") + " with " +
         (edges.empty() ? "no edge" : joined(edges));
}

}  // namespace

GraphTestResult test_graphs(const Transformer& transformer, const TestedGraphs& graphs) {
  return test_graphs_with(transformer, nullptr, graphs);
}

GraphTestResult test_graphs(
    const Transformer& transformer,
    const std::function<bool(const DirectedGraph&, std::uint32_t, std::uint32_t)>& connected,
    const TestedGraphs& graphs) {
  return test_graphs_with(
      transformer,
      [&](const Graph& graph, Vertex source, Vertex target) {
        return connected(numbered_graph(graph), source, target);
      },
      graphs);
}

DivisionTestResult test_division(const Transformer& transformer, const TestedDivisions& divisions) {
  DivisionTestOptions options;
  options.up_to = divisions.up_to;
  options.random = divisions.random;
  options.max_length = divisions.max_length;
  options.seed = divisions.seed;
  const DivisionReport report = test_division(transformer.hidden().model, options);
  DivisionTestResult result;
  result.exhaustive_inputs = report.exhaustive_inputs;
  result.random_inputs = report.random_inputs;
  result.divisions = report.divisions;
  result.promises = report.promises;
  result.unasked = descriptions(report.unevaluated);
  if (const auto& found = report.counterexample)
    result.wrong = {found->input.divisor, found->input.dividends, found->expected, found->got};
  return result;
}

std::string GraphTestResult::text() const {
  const std::string asked =
      fmt::format("{} small graphs, {} larger ones, {} questions, {} connected, {} promises",
                  exhaustive_graphs, random_graphs, pairs, connected, promises);
  if (!wrong) return "passed: " + asked;
  return fmt::format("failed: on the graph {}, from {} to {}, expected {}, got {}; asked were {}",
                     graph_text(wrong->graph), wrong->source, wrong->target, wrong->expected,
                     wrong->got, asked);
}

std::string DivisionTestResult::text() const {
  const std::string asked =
      fmt::format("{} short inputs, {} random ones, {} divisions, {} promises", exhaustive_inputs,
                  random_inputs, divisions, promises);
  if (!wrong) return "passed: " + asked;
  std::vector<std::string> dividends;
  for (const std::uint64_t dividend : wrong->dividends)
    dividends.push_back(std::to_string(dividend));
  return fmt::format("failed: on {} by {} expected {}, got {}; asked were {}",
                     joined(dividends, " "), wrong->divisor, wrong->expected, wrong->got, asked);
}

}  // namespace logdepth
