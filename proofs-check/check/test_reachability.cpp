#include "proofs-check/check/test_reachability.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/quoted_text.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/checked_run.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

constexpr std::uint64_t kMaxQuestions = std::uint64_t{1} << 20;
using Rows = std::vector<std::vector<char>>;  // adjacency, the form in which graphs are changed

Graph graph_of(const Rows& rows) {
  Graph graph;
  for (std::size_t i = 0; i < rows.size(); ++i) graph.add_vertex(std::to_string(i));
  for (Vertex i = 0; i < rows.size(); ++i)
    for (Vertex j = 0; j < rows.size(); ++j)
      if (rows[i][j]) graph.add_edge(i, j);
  return graph;
}

/// A graph and one question about it.
struct Question {
  Rows rows;
  Vertex source = 0, target = 0;
};

class ReachabilityTest {
 public:
  ReachabilityTest(const Model& model, const ReachabilityQuestion& oracle,
                   ReachabilityReport& report)
      : model_(model), oracle_(oracle), report_(report), run_(model) {
    const auto* input = std::get_if<GraphInput>(&model.input);
    if (!input)
      throw InputError("the weights file " + in_quotes(model.name) + " does not take graphs");
    once_ = input->layout == GraphInput::Layout::rows;
  }

  /// Whether one run answers every pair.
  bool answers_all_pairs() const { return once_; }

  /// Asks about these pairs; the first that goes wrong.
  std::optional<std::pair<Question, Mismatch>> ask(
      const Rows& rows, const std::vector<std::pair<Vertex, Vertex>>& pairs, bool count = true) {
    const Graph graph = graph_of(rows);
    std::optional<ReachabilityOracle> search;
    if (!oracle_) search.emplace(graph);
    std::optional<Stream<ValueId>> stream;
    for (const auto& [source, target] : pairs) {
      const bool reached =
          oracle_ ? oracle_(graph, source, target) : search->reaches(source, target);
      if (count) {
        ++report_.pairs;
        report_.connected += reached;
      }
      const char* const wanted = reached ? "connected" : "not connected";
      std::optional<Mismatch> found;
      if (!stream || !once_)
        stream = run_.run(tokens_of(model_, graph, source, target), wanted, found);
      if (stream) {
        const auto verdict = run_.runner().connected(*stream, source, target);
        if (!verdict.has_value()) {
          found = {TestedProperty::answer, wanted, describe(verdict.refusal())};
        } else if (verdict.value() != reached) {
          found = {TestedProperty::answer, wanted, reached ? "not connected" : "connected"};
        }
      }
      if (found) return std::pair(Question{rows, source, target}, *found);
    }
    return std::nullopt;
  }

  std::optional<Mismatch> beyond(std::size_t vertices) {
    const Graph graph = graph_of(Rows(vertices, std::vector<char>(vertices, 0)));
    return run_.expect_outside(tokens_of(model_, graph, 0, 0),
                               fmt::format("a graph of {} vertices", vertices));
  }

  const CheckedRun& run() const { return run_; }

 private:
  const Model& model_;
  const ReachabilityQuestion& oracle_;
  ReachabilityReport& report_;
  CheckedRun run_;
  bool once_ = false;
};

Question without_vertex(const Question& question, std::size_t vertex) {
  Question smaller;
  for (std::size_t i = 0; i < question.rows.size(); ++i) {
    if (i == vertex) continue;
    auto& row = smaller.rows.emplace_back();
    for (std::size_t j = 0; j < question.rows.size(); ++j)
      if (j != vertex) row.push_back(question.rows[i][j]);
  }
  smaller.source = question.source - (question.source > vertex);
  smaller.target = question.target - (question.target > vertex);
  return smaller;
}

/// Leaves out vertices, then edges, one by one as long as the question keeps failing.
Question shrink_question(Question question, bool undirected,
                         const std::function<bool(const Question&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t v = question.rows.size(); v-- > 0;) {
      if (v == question.source || v == question.target) continue;
      Question candidate = without_vertex(question, v);
      if (!fails(candidate)) continue;
      question = std::move(candidate);
      smaller = true;
    }
    for (std::size_t i = 0; i < question.rows.size(); ++i)
      for (std::size_t j = undirected ? i : 0; j < question.rows.size(); ++j) {
        if (!question.rows[i][j]) continue;
        Question candidate = question;
        candidate.rows[i][j] = 0;
        if (undirected) candidate.rows[j][i] = 0;
        if (!fails(candidate)) continue;
        question = std::move(candidate);
        smaller = true;
      }
  }
  return question;
}

/// Graphs of the shapes that go wrong first.
class GraphDice {
 public:
  GraphDice(std::uint64_t seed, bool undirected) : random_(seed), undirected_(undirected) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  /// Around powers of two half of the time, where the number of loops changes.
  std::size_t size(std::size_t largest) {
    if (below(2) == 0) {
      const std::size_t near = (std::size_t{1} << below(6)) + below(3) - 1;
      if (near >= 1 && near <= largest) return near;
    }
    return 1 + below(largest);
  }

  /// The graph, and its first and last vertex: source and target of the longest way, if any.
  Question graph(std::size_t n) {
    Rows rows(n, std::vector<char>(n, 0));
    const auto path = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i + 1 < to; ++i) rows[i][i + 1] = 1;
    };
    switch (below(10)) {
      case 0:
        path(0, n);
        break;
      case 1:  // cut somewhere
        path(0, n);
        if (const std::size_t cut = below(n); cut + 1 < n) rows[cut][cut + 1] = 0;
        break;
      case 2:
        path(0, n);
        rows[n - 1][0] = 1;
        break;
      case 3:  // star, outwards or inwards
        for (std::size_t i = 1, inwards = below(2); i < n; ++i)
          (inwards ? rows[i][0] : rows[0][i]) = 1;
        break;
      case 4: {  // two components, each a cycle
        const std::size_t half = n / 2;
        path(0, half);
        path(half, n);
        if (half > 0) rows[half - 1][0] = 1;
        rows[n - 1][half] = 1;
        break;
      }
      case 5:
        for (auto& row : rows) std::fill(row.begin(), row.end(), char{1});
        break;
      case 6:  // no edges, or only self-loops
        for (std::size_t i = 0, loops = below(2); i < n; ++i) rows[i][i] = static_cast<char>(loops);
        break;
      case 7:  // forward edges only, some missing
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = i + 1; j < n; ++j) rows[i][j] = below(3) == 0;
        break;
      default:  // sparse: about one edge for every vertex, where components are largest and oddest
        for (std::size_t edge = 0; edge < n; ++edge) rows[below(n)][below(n)] = 1;
        break;
    }
    return relabelled(std::move(rows));
  }

 private:
  Question relabelled(Rows rows) {
    const std::size_t n = rows.size();
    std::vector<std::size_t> name(n);
    std::iota(name.begin(), name.end(), std::size_t{0});
    if (below(2) == 0)
      for (std::size_t i = n; i > 1; --i) std::swap(name[i - 1], name[below(i)]);
    Question question{Rows(n, std::vector<char>(n, 0)), 0, 0};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (rows[i][j]) {
          question.rows[name[i]][name[j]] = 1;
          if (undirected_) question.rows[name[j]][name[i]] = 1;
        }
    question.source = static_cast<Vertex>(name[0]);
    question.target = static_cast<Vertex>(name[n - 1]);
    return question;
  }

  std::mt19937_64 random_;
  bool undirected_;
};

std::vector<std::pair<Vertex, Vertex>> all_pairs(std::size_t n) {
  std::vector<std::pair<Vertex, Vertex>> pairs;
  for (Vertex s = 0; s < n; ++s)
    for (Vertex t = 0; t < n; ++t) pairs.emplace_back(s, t);
  return pairs;
}

/// Number of graphs of n vertices; each bit of a number is an edge, both ways if undirected.
std::size_t edge_slots(std::size_t n, bool undirected) {
  return undirected ? n * (n + 1) / 2 : n * n;
}

Rows rows_of(std::uint64_t bits, std::size_t n, bool undirected) {
  Rows rows(n, std::vector<char>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = undirected ? i : 0; j < n; ++j, bits >>= 1) {
      rows[i][j] = static_cast<char>(bits & 1);
      if (undirected) rows[j][i] = rows[i][j];
    }
  return rows;
}

}  // namespace

ReachabilityReport test_reachability(const Model& model, const ReachabilityOptions& options) {
  ReachabilityReport report;
  ReachabilityTest test(model, options.oracle, report);
  const std::uint64_t limit =
      largest_size(model).value_or(std::numeric_limits<std::uint64_t>::max());
  report.up_to = std::min<std::uint64_t>(options.up_to, limit);
  report.max_size = std::min<std::uint64_t>(options.max_size, limit);
  report.seed = options.seed;

  std::uint64_t exhaustive = 0, questions = 0;
  for (std::size_t n = 1; n <= report.up_to; ++n) {
    const std::size_t slots = edge_slots(n, options.undirected);
    if (slots < 40) {
      exhaustive += std::uint64_t{1} << slots;
      questions += n * n << slots;
    }
    if (slots >= 40 || questions / options.shard.count > kMaxQuestions)
      throw InputError(fmt::format(
          "--up-to {} means more than {} questions{}, every graph with every source "
          "and target; lower it",
          options.up_to, kMaxQuestions, options.shard.count > 1 ? " for each shard" : ""));
  }
  const std::size_t total = (exhaustive + options.random) / options.shard.count;
  NumberedCases cases(options.shard);

  const auto check = [&](const Rows& rows, const std::vector<std::pair<Vertex, Vertex>>& pairs) {
    if (options.progress) options.progress(report.exhaustive_graphs + report.random_graphs, total);
    const auto found = test.ask(rows, pairs);
    if (!found) return true;
    const auto again = [&](const Question& q) {
      return test.ask(q.rows, {{q.source, q.target}}, false);
    };
    const Question small = shrink_question(found->first, options.undirected,
                                           [&](const Question& q) { return again(q).has_value(); });
    // A pair that failed only beside others is shown as it was found.
    const auto smallest = again(small);
    const auto& [question, mismatch] = smallest ? *smallest : *found;
    const Graph original = graph_of(rows);
    report.counterexample = {graph_of(question.rows), question.source, question.target,
                             mismatch.expected,       mismatch.got,    original.size(),
                             original.edge_count(),   cases.number()};
    return false;
  };

  bool fine = true;
  for (std::size_t n = 1; fine && n <= report.up_to; ++n)
    for (std::uint64_t bits = 0; fine && bits >> edge_slots(n, options.undirected) == 0; ++bits) {
      if (!cases.next()) continue;
      ++report.exhaustive_graphs;
      fine = check(rows_of(bits, n, options.undirected), all_pairs(n));
    }
  GraphDice dice(options.seed, options.undirected);
  for (std::size_t i = 0; fine && report.max_size > 0 && i < options.random; ++i) {
    const std::size_t n = dice.size(report.max_size);
    const Question question = dice.graph(n);
    std::vector<std::pair<Vertex, Vertex>> pairs;
    if (test.answers_all_pairs()) {
      pairs = all_pairs(n);
    } else {
      const auto any = [&] { return static_cast<Vertex>(dice.below(n)); };
      const std::pair<Vertex, Vertex> ends(question.source, question.target),
          back(ends.second, ends.first);
      pairs = {ends, back, {any(), any()}};
    }
    if (!cases.next()) continue;
    ++report.random_graphs;
    fine = check(question.rows, pairs);
  }
  if (fine && limit < Graph::max_vertices && cases.next())
    if (const auto answered = test.beyond(limit + 1)) {
      const Rows rows(limit + 1, std::vector<char>(limit + 1, 0));
      report.counterexample = {graph_of(rows), 0,         0, answered->expected,
                               answered->got,  limit + 1, 0, cases.number()};
    }

  report.promises = test.run().promises();
  report.unevaluated = test.run().unevaluated();
  return report;
}

}  // namespace logdepth
