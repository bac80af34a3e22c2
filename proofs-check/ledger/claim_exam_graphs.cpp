#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "logdepth/errors.hpp"
#include "objects/phrases.hpp"
#include "objects/quoted_text.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/test_reachability.hpp"
#include "proofs-check/ledger/claim_exam.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

using Edge = std::pair<Vertex, Vertex>;

/// A graph in the words of a reader: "3 vertices, edges 0>1 1>2".
std::string graph_text(const Graph& graph, bool undirected) {
  std::string edges;
  for (Vertex i = 0; i < graph.size(); ++i)
    for (Vertex j = undirected ? i : 0; j < graph.size(); ++j)
      if (graph.has_edge(i, j)) edges += fmt::format(" {}{}{}", i, undirected ? "-" : ">", j);
  return counted(graph.size(), "vertex", "vertices") +
         (edges.empty() ? ", no edges" : ", edges" + edges);
}

Graph graph_of(std::size_t n, const std::vector<Edge>& edges, bool undirected) {
  Graph graph;
  for (std::size_t i = 0; i < n; ++i) graph.add_vertex(std::to_string(i));
  for (const auto& [from, to] : edges) {
    graph.add_edge(from, to);
    if (undirected) graph.add_edge(to, from);
  }
  return graph;
}

/// A graph and the pairs to ask about.
struct Questions {
  Graph graph;
  std::vector<Edge> pairs;
  std::vector<std::uint64_t> order;  ///< of the graph among all
};

std::vector<Edge> all_pairs(std::size_t n) {
  std::vector<Edge> pairs;
  for (Vertex s = 0; s < n; ++s)
    for (Vertex t = 0; t < n; ++t) pairs.emplace_back(s, t);
  return pairs;
}

std::vector<Edge> slots(std::size_t n, bool undirected) {
  std::vector<Edge> result;
  for (Vertex i = 0; i < n; ++i)
    for (Vertex j = undirected ? i : 0; j < n; ++j) result.emplace_back(i, j);
  return result;
}

/// Graphs to one weights file.
class Graphs {
 public:
  Graphs(Exam& exam, bool undirected) : exam_(exam), undirected_(undirected) {
    const auto* input = std::get_if<GraphInput>(&exam.model().input);
    if (!input)
      throw InputError("the weights file " + in_quotes(exam.model().name) +
                       " does not take graphs");
    once_ = input->layout == GraphInput::Layout::rows;
  }

  bool answers_all_pairs() const { return once_; }

  void ask(const Questions& questions) {
    const ReachabilityOracle oracle(questions.graph);
    Exam::Attempt attempt;
    bool run = false;
    for (const auto& [source, target] : questions.pairs) {
      const bool reached = oracle.reaches(source, target);
      Finding finding;
      finding.input = fmt::format("{}; s = {}, t = {}", graph_text(questions.graph, undirected_),
                                  source, target);
      finding.expected = reached ? "connected" : "not connected";
      finding.order = questions.order;
      finding.order.push_back(source);
      finding.order.push_back(target);
      if (!run || !once_) {
        run = true;
        attempt = exam_.attempt(tokens_of(exam_.model(), questions.graph, source, target));
        exam_.record(attempt, finding);
      }
      if (!attempt.stream) continue;
      exam_.count_answers(1);
      const auto verdict = exam_.runner().connected(*attempt.stream, source, target);
      if (!verdict.has_value()) {
        finding.got = describe(verdict.refusal());
        exam_.without_answer(finding);
      } else if (verdict.value() != reached) {
        finding.got = reached ? "not connected" : "connected";
        exam_.wrong(finding);
      }
    }
  }

 private:
  Exam& exam_;
  bool undirected_, once_ = false;
};

/// Shapes on which connectivity goes wrong first, each with its farthest pair of vertices: long
/// paths (in both orders of the numbers), paths cut in one place, a cycle, stars, two components,
/// the complete graph, the empty one.
std::vector<Questions> hard_graphs(std::size_t n, bool undirected) {
  const Vertex last = static_cast<Vertex>(n - 1), half = static_cast<Vertex>(n / 2);
  std::vector<Edge> path, reversed, inwards, outwards, two, complete;
  for (Vertex i = 0; i < last; ++i) {
    path.emplace_back(i, i + 1);
    reversed.emplace_back(i + 1, i);
    outwards.emplace_back(0, i + 1);
    inwards.emplace_back(i + 1, 0);
    if (i + 1 != half) two.emplace_back(i, i + 1);
  }
  two.emplace_back(half - 1, 0);
  two.emplace_back(last, half);
  for (const Edge& pair : all_pairs(n))
    if (pair.first != pair.second) complete.push_back(pair);
  std::vector<Edge> cycle = path;
  cycle.emplace_back(last, 0);

  const Edge ends{0, last}, back{last, 0};
  std::vector<Questions> result;
  const auto add = [&](const std::vector<Edge>& edges, const std::vector<Edge>& pairs) {
    result.push_back({graph_of(n, edges, undirected), pairs, {n, result.size()}});
  };
  add({}, {ends, {0, 0}});
  add(path, {ends, back});
  add(reversed, {back, ends});
  for (const std::size_t cut : {std::size_t{0}, n / 2, n - 2}) {
    std::vector<Edge> edges = path;
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(cut));
    add(edges, {ends});
  }
  add(cycle, {{1, 0}, ends});
  add(outwards, {ends, back});
  add(inwards, {back, {1, last}});
  add(two, {{0, half}, {half, last}});
  add(complete, {ends});
  return result;
}

}  // namespace

void examine(Exam& exam, const AgainstReachability& against) {
  Graphs graphs(exam, against.undirected);
  const Model& model = exam.model();
  FileVerdict& verdict = exam.verdict();
  Bounds& bounds = verdict.bounds;
  const std::size_t limit = largest_size(model).value_or(std::numeric_limits<std::size_t>::max());
  bounds.up_to = std::min(bounds.up_to, limit);
  bounds.max_size = std::min(bounds.max_size, limit);

  for (std::size_t n = 1; n <= bounds.up_to && !exam.settled(); ++n) {
    const std::vector<Edge> places = slots(n, against.undirected);
    if (places.size() > 20)
      throw InputError(
          fmt::format("--up-to {} means more than a million graphs; lower it", bounds.up_to));
    std::vector<std::uint32_t> masks(std::size_t{1} << places.size());
    for (std::uint32_t mask = 0; mask < masks.size(); ++mask) masks[mask] = mask;
    std::stable_sort(masks.begin(), masks.end(), [](std::uint32_t a, std::uint32_t b) {
      return std::popcount(a) < std::popcount(b);
    });
    for (std::size_t k = 0; k < masks.size() && !exam.settled(); ++k) {
      std::vector<Edge> edges;
      for (std::size_t i = 0; i < places.size(); ++i)
        if (masks[k] >> i & 1) edges.push_back(places[i]);
      ++verdict.exhaustive;
      graphs.ask({graph_of(n, edges, against.undirected), all_pairs(n), {n, k}});
    }
  }
  verdict.bound =
      exam.settled() ? "stopped after " + counted(verdict.exhaustive, "graph")
                     : fmt::format("every graph of at most {} with every s and t ({})",
                                   counted(bounds.up_to, "vertex", "vertices"), verdict.exhaustive);

  const std::size_t first = std::max<std::size_t>(bounds.up_to + 1, 3);
  for (std::size_t n = first; n <= bounds.max_size; ++n)
    for (Questions& hard : hard_graphs(n, against.undirected)) {
      if (exam.settled()) return;
      if (graphs.answers_all_pairs()) hard.pairs = all_pairs(n);
      ++verdict.chosen;
      graphs.ask(hard);
    }
  if (verdict.chosen > 0)
    verdict.bound += fmt::format(
        ", {} paths, cut paths, cycles, stars, two components, complete and empty of {} to {}",
        verdict.chosen, first, bounds.max_size);
  if (exam.settled() || bounds.random == 0) return;

  ReachabilityOptions options;
  options.up_to = 0;
  options.random = bounds.random;
  options.max_size = bounds.max_size;
  options.seed = bounds.seed;
  options.undirected = against.undirected;
  const ReachabilityReport report = test_reachability(model, options);
  exam.add_promises(report.promises, report.unevaluated);
  verdict.random = report.random_graphs;
  verdict.answers += report.pairs;
  verdict.bound += fmt::format(", {} random ones of at most {} (seed {})", verdict.random,
                               bounds.max_size, bounds.seed);
  if (!report.counterexample) return;
  const GraphCounterexample& example = *report.counterexample;
  graphs.ask({example.graph, {{example.source, example.target}}, {example.graph.size(), 0}});
  if (!exam.settled() && !verdict.without_answer)  // about the run itself: depth, size
    exam.wrong({graph_text(example.graph, against.undirected), example.expected, example.got, {}});
}

std::optional<std::string> fails_at(Exam& exam, const AgainstReachability& against,
                                    std::uint64_t size) {
  Graphs graphs(exam, against.undirected);
  std::vector<Edge> path;
  for (Vertex i = 0; i + 1 < size; ++i) path.emplace_back(i, i + 1);
  const Edge ends{0, static_cast<Vertex>(size - 1)};
  graphs.ask({graph_of(size, path, against.undirected), {ends}, {size}});
  const FileVerdict& verdict = exam.verdict();
  const auto& failure = verdict.counterexample ? verdict.counterexample : verdict.without_answer;
  if (!failure) return std::nullopt;
  return describe(*failure);
}

}  // namespace logdepth
