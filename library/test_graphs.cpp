// Property tests of what reads graphs or divides: test.hpp.
#include <fmt/core.h>

#include "base/phrases.hpp"
#include "library/given_inputs.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/test.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"

namespace logdepth {
namespace {

GraphTestResult test_graphs_with(const Transformer& transformer, ReachabilityQuestion oracle,
                                 const TestedGraphs& graphs) {
  const Model& model = transformer.hidden().model;
  ExactRuns runs(model);
  GraphInquiry questions(model, graphs.undirected, std::move(oracle));
  const auto found = examine_graphs(
      runs, questions, {{graphs.up_to, graphs.random, graphs.max_size, graphs.seed}}, {});
  GraphTestResult result;
  result.exhaustive_graphs = found.exhaustive;
  result.random_graphs = found.random;
  result.pairs = found.counts.answers;
  result.connected = found.counts.positive;
  result.promises = found.promises;
  result.unasked = descriptions(found.unevaluated);
  if (const auto& wrong = found.counterexample)
    result.wrong = {numbered_graph(wrong->input.graph), wrong->input.pairs.front().first,
                    wrong->input.pairs.front().second, expected_text(wrong->finding),
                    got_text(wrong->finding)};
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
  ExactRuns runs(transformer.hidden().model);
  DivisionInquiry questions(transformer.hidden().model);
  const auto found = examine_divisions(
      runs, questions, {divisions.up_to, divisions.random, divisions.max_length, divisions.seed},
      {});
  DivisionTestResult result;
  result.exhaustive_inputs = found.exhaustive;
  result.random_inputs = found.random;
  result.divisions = found.counts.numbers;
  result.promises = found.promises;
  result.unasked = descriptions(found.unevaluated);
  if (const auto& wrong = found.counterexample)
    result.wrong = {wrong->input.divisor, wrong->input.dividends, expected_text(wrong->finding),
                    got_text(wrong->finding)};
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
