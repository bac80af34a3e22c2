#include "proofs-check/check/graphs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "oracle/reachability_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_check {

Graph graph_of(std::size_t vertices, const std::vector<std::pair<Vertex, Vertex>>& edges,
               bool undirected) {
  Graph graph;
  for (std::size_t i = 0; i < vertices; ++i) graph.add_vertex(std::to_string(i));
  for (const auto& [from, to] : edges) {
    graph.add_edge(from, to);
    if (undirected) graph.add_edge(to, from);
  }
  return graph;
}

std::vector<std::pair<Vertex, Vertex>> all_pairs(std::size_t vertices) {
  std::vector<std::pair<Vertex, Vertex>> pairs;
  for (Vertex s = 0; s < vertices; ++s)
    for (Vertex t = 0; t < vertices; ++t) pairs.emplace_back(s, t);
  return pairs;
}

GraphDomain::GraphDomain(const Model& model, bool undirected, ReachabilityQuestion oracle)
    : model_(model), undirected_(undirected), oracle_(std::move(oracle)) {
  const auto* input = std::get_if<GraphInput>(&model.input);
  if (!input)
    throw InputError("the weights file " + in_quotes(model.name) + " does not take graphs");
  all_pairs_ = input->layout == GraphInput::Layout::rows;
}

AskedCase<AskedGraph> GraphDomain::about(
    CaseStage stage, const Graph& graph,
    const std::vector<std::pair<Vertex, Vertex>>& pairs) const {
  if (all_pairs_) return {stage, {{graph, logdepth::all_pairs(graph.size())}}};
  AskedCase<AskedGraph> questions{stage, {}};
  for (const auto& pair : pairs) questions.inputs.push_back({graph, {pair}});
  return questions;
}

Outcome<Tokens> GraphDomain::tokens(const AskedGraph& question) const {
  const auto& [source, target] = question.pairs.front();
  return tokens_of(model_, question.graph, source, target);
}

bool GraphDomain::outside(const AskedGraph& question) const {
  const auto limit = largest_size(model_);
  return limit && question.graph.size() > *limit;
}

std::vector<bool> GraphDomain::right(const AskedGraph& question) const {
  std::optional<ReachabilityOracle> search;
  if (!oracle_) search.emplace(question.graph);
  std::vector<bool> reached;
  for (const auto& [source, target] : question.pairs)
    reached.push_back(oracle_ ? oracle_(question.graph, source, target)
                              : search->reaches(source, target));
  return reached;
}

FileAnswer GraphDomain::expected(const AskedGraph& question) const {
  const auto& [source, target] = question.pairs.front();
  return Connection{source, target, right(question).front()};
}

std::optional<Failure> GraphDomain::judge(const AskedGraph& question, DecidedRun& run,
                                          ComparedCounts& counts) {
  const std::vector<bool> reached = right(question);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto& [source, target] = question.pairs[i];
    const Connection wanted{source, target, reached[i]};
    const auto verdict = run.connected(source, target);
    if (!verdict.has_value()) return NoAnswer{wanted, verdict.refusal()};
    ++counts.answers;
    counts.positive += reached[i];
    if (verdict.value() != reached[i])
      return WrongAnswer{wanted, Connection{source, target, verdict.value()}};
  }
  return std::nullopt;
}

Answered GraphDomain::judge(const AskedGraph& question, const FloatRunner& runner,
                            const FloatStream& stream) const {
  const std::vector<bool> reached = right(question);
  Answered worst = Answered::certified;
  for (std::size_t i = 0; i < reached.size(); ++i)
    worst = std::min(
        worst, judged(runner.connected(stream, question.pairs[i].first, question.pairs[i].second),
                      bool{reached[i]}));
  return worst;
}

namespace {

AskedGraph without_vertex(const AskedGraph& question, Vertex vertex) {
  const Graph& graph = question.graph;
  const auto renamed = [&](Vertex v) { return v - (v > vertex); };
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex i = 0; i < graph.size(); ++i)
    for (Vertex j = 0; j < graph.size(); ++j)
      if (i != vertex && j != vertex && graph.has_edge(i, j))
        edges.emplace_back(renamed(i), renamed(j));
  AskedGraph smaller{graph_of(graph.size() - 1, edges, false), question.pairs};
  for (auto& [s, t] : smaller.pairs) s = renamed(s), t = renamed(t);
  return smaller;
}

AskedGraph without_edge(const AskedGraph& question, Vertex from, Vertex to, bool undirected) {
  const Graph& graph = question.graph;
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex i = 0; i < graph.size(); ++i)
    for (Vertex j = 0; j < graph.size(); ++j) {
      const bool dropped = (i == from && j == to) || (undirected && i == to && j == from);
      if (!dropped && graph.has_edge(i, j)) edges.emplace_back(i, j);
    }
  return {graph_of(graph.size(), edges, false), question.pairs};
}

}  // namespace

/// One pair where that is enough, then leaves out vertices, then edges, one by one, as long as the
/// question keeps failing.
AskedGraph GraphDomain::shrunk(AskedGraph question,
                               const std::function<bool(const AskedGraph&)>& fails) const {
  const auto becomes = [&](AskedGraph candidate) {
    if (!fails(candidate)) return false;
    question = std::move(candidate);
    return true;
  };
  if (question.pairs.size() > 1)
    for (const auto& pair : std::vector(question.pairs))
      if (becomes({question.graph, {pair}})) break;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (auto v = static_cast<Vertex>(question.graph.size()); v-- > 0;) {
      const bool asked = std::ranges::any_of(
          question.pairs, [&](const auto& pair) { return pair.first == v || pair.second == v; });
      if (!asked && becomes(without_vertex(question, v))) smaller = true;
    }
    for (Vertex i = 0; i < question.graph.size(); ++i)
      for (Vertex j = undirected_ ? i : 0; j < question.graph.size(); ++j)
        if (question.graph.has_edge(i, j) && becomes(without_edge(question, i, j, undirected_)))
          smaller = true;
  }
  return question;
}

/// "3 vertices, edges 0>1 1>2; s = 0, t = 2"
std::string GraphDomain::text(const AskedGraph& question) const {
  const Graph& graph = question.graph;
  std::string edges;
  for (Vertex i = 0; i < graph.size(); ++i)
    for (Vertex j = undirected_ ? i : 0; j < graph.size(); ++j)
      if (graph.has_edge(i, j)) edges += fmt::format(" {}{}{}", i, undirected_ ? "-" : ">", j);
  std::string text = counted(graph.size(), "vertex", "vertices") +
                     (edges.empty() ? ", no edges" : ", edges" + edges);
  if (question.pairs.size() == 1)
    text += fmt::format("; s = {}, t = {}", question.pairs.front().first,
                        question.pairs.front().second);
  return text;
}

std::size_t GraphPlan::loopless_size(const Model& model) const {
  const std::size_t limit = largest_size(model).value_or(Graph::max_vertices);
  return loopless_beyond && bounds.up_to < limit ? bounds.up_to + 1 : 0;
}

Examination<AskedGraph> examine_graphs(ExactRuns& runs, GraphDomain& questions,
                                       const GraphPlan& plan, const Asking& how) {
  const Model& model = runs.model();
  const std::uint64_t largest = std::min<std::uint64_t>(
      Graph::max_vertices, largest_size(model).value_or(Graph::max_vertices));
  const Bounds within = plan.bounds.cut(largest, largest);
  CaseGenerator<AskedGraph> cases =
      every_graph(questions, GraphClass::up_to_renaming, 1, within.up_to, within.seed, how.shard);
  if (const std::size_t loopless = plan.loopless_size(model))
    cases = cases + every_graph(questions, GraphClass::loopless_up_to_renaming, loopless, loopless,
                                within.seed, how.shard);
  if (plan.hard)
    cases =
        cases + hard_graphs(questions, std::max<std::size_t>(within.up_to + 1, 3), within.max_size);
  cases = cases + random_graphs(questions, within.random, within.max_size, within.seed) +
          graph_beyond_the_limit(questions, model);
  auto result = examine(runs, questions, std::move(cases), how);
  result.bounds = within;
  return result;
}

}  // namespace logdepth::inline proofs_check_check
