#include "proofs-check/check/graphs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "oracle/reachability_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_check {
namespace {

constexpr std::uint64_t kMaxQuestions = std::uint64_t{1} << 20;
constexpr std::size_t kMostSlots = 20;  ///< of edges, of graphs that are listed
using Edges = std::vector<std::pair<Vertex, Vertex>>;

/// The places of n vertices that may hold an edge.
Edges slots(std::size_t n, bool undirected, bool loops) {
  Edges places;
  for (Vertex i = 0; i < n; ++i)
    for (Vertex j = undirected ? i : 0; j < n; ++j)
      if (loops || i != j) places.emplace_back(i, j);
  return places;
}

/// Every renaming of n vertices, as what it does to sets of slots.
class Renamings {
 public:
  Renamings(std::size_t n, const Edges& places, bool undirected) {
    std::vector<Vertex> name(n);
    std::iota(name.begin(), name.end(), Vertex{0});
    do {
      auto& moved = moved_.emplace_back();
      for (auto [i, j] : places) {
        std::pair<Vertex, Vertex> to{name[i], name[j]};
        if (undirected && to.first > to.second) std::swap(to.first, to.second);
        const auto at = std::find(places.begin(), places.end(), to);
        moved.push_back(static_cast<std::uint32_t>(at - places.begin()));
      }
    } while (std::next_permutation(name.begin(), name.end()));
  }
  /// Whether no renaming of the graph has a smaller number.
  bool is_first(std::uint32_t graph) const {
    return std::ranges::none_of(moved_, [&](const auto& moved) {
      std::uint32_t renamed = 0;
      for (std::size_t k = 0; k < moved.size(); ++k)
        if (graph >> k & 1) renamed |= std::uint32_t{1} << moved[k];
      return renamed < graph;
    });
  }

 private:
  std::vector<std::vector<std::uint32_t>> moved_;
};

/// The graphs of n vertices as sets of slots, fewest edges first.
std::vector<std::uint32_t> edge_sets(std::size_t n, GraphClass which, bool undirected) {
  const Edges places = slots(n, undirected, which != GraphClass::loopless_up_to_renaming);
  std::vector<std::uint32_t> sets;
  std::optional<Renamings> renamings;
  if (which != GraphClass::labelled) renamings.emplace(n, places, undirected);
  for (std::uint32_t set = 0; set >> places.size() == 0; ++set)
    if (!renamings || renamings->is_first(set)) sets.push_back(set);
  std::ranges::stable_sort(
      sets, [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); });
  return sets;
}

/// All graphs of n vertices have to be looked at, to find those that differ.
bool can_be_listed(std::size_t n, bool undirected) {
  return n <= 8 && slots(n, undirected, true).size() <= kMostSlots;
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  /// The numbers 0 ... n - 1 in any order.
  std::vector<Vertex> order(std::size_t n) {
    std::vector<Vertex> name(n);
    std::iota(name.begin(), name.end(), Vertex{0});
    for (std::size_t i = n; i > 1; --i) std::swap(name[i - 1], name[below(i)]);
    return name;
  }

 private:
  std::mt19937_64 random_;
};

Edges renamed(Edges edges, const std::vector<Vertex>& name) {
  for (auto& [i, j] : edges) i = name[i], j = name[j];
  return edges;
}

/// Around powers of two half of the time, where the number of loops changes.
std::size_t random_size(Dice& dice, std::size_t largest) {
  if (dice.below(2) == 0) {
    const std::size_t near = (std::size_t{1} << dice.below(6)) + dice.below(3) - 1;
    if (near >= 1 && near <= largest) return near;
  }
  return 1 + dice.below(largest);
}

/// A graph of one of the shapes that go wrong first; its first and last vertex are the ends of the
/// longest way, if any.
Edges random_edges(Dice& dice, std::size_t n) {
  Edges edges;
  const auto add = [&](std::size_t i, std::size_t j) {
    edges.emplace_back(static_cast<Vertex>(i), static_cast<Vertex>(j));
  };
  const auto path = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i + 1 < to; ++i) add(i, i + 1);
  };
  switch (dice.below(10)) {
    case 0:
      path(0, n);
      break;
    case 1: {  // cut somewhere
      const std::size_t cut = dice.below(n);
      path(0, cut + 1);
      path(cut + 1, n);
      break;
    }
    case 2:
      path(0, n);
      add(n - 1, 0);
      break;
    case 3:  // star, outwards or inwards
      for (std::size_t i = 1, inwards = dice.below(2); i < n; ++i) inwards ? add(i, 0) : add(0, i);
      break;
    case 4: {  // two components, each a cycle
      const std::size_t half = n / 2;
      path(0, half);
      path(half, n);
      if (half > 0) add(half - 1, 0);
      add(n - 1, half);
      break;
    }
    case 5:
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) add(i, j);
      break;
    case 6:  // no edges, or only self-loops
      for (std::size_t i = 0, loops = dice.below(2); i < n && loops; ++i) add(i, i);
      break;
    case 7:  // forward edges only, some missing
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
          if (dice.below(3) == 0) add(i, j);
      break;
    default:  // sparse: about one edge for every vertex, where components are largest and oddest
      for (std::size_t edge = 0; edge < n; ++edge) add(dice.below(n), dice.below(n));
      break;
  }
  return edges;
}

}  // namespace

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
    : TestDomain(model), undirected_(undirected), oracle_(std::move(oracle)) {
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

namespace {

/// Shapes on which connectivity goes wrong first, of `from` to `up_to` vertices, each with its farthest
/// pairs: long paths in both orders of the numbers, paths cut in one place, a cycle, stars, two
/// components, the complete graph, the empty one.
CaseGenerator<AskedGraph> hard_graphs(const GraphDomain& questions, std::size_t from,
                                      std::size_t up_to) {
  std::vector<AskedCase<AskedGraph>> cases;
  for (std::size_t n = std::max<std::size_t>(from, 3); n <= up_to; ++n) {
    const auto last = static_cast<Vertex>(n - 1), half = static_cast<Vertex>(n / 2);
    Edges path, reversed, inwards, outwards, two, complete;
    for (Vertex i = 0; i < last; ++i) {
      path.emplace_back(i, i + 1);
      reversed.emplace_back(i + 1, i);
      outwards.emplace_back(0, i + 1);
      inwards.emplace_back(i + 1, 0);
      if (i + 1 != half) two.emplace_back(i, i + 1);
    }
    two.emplace_back(half - 1, 0);
    two.emplace_back(last, half);
    for (const auto& pair : all_pairs(n))
      if (pair.first != pair.second) complete.push_back(pair);
    Edges cycle = path;
    cycle.emplace_back(last, 0);

    const std::pair<Vertex, Vertex> ends{0, last}, back{last, 0};
    const auto add = [&](const Edges& edges, const Edges& pairs) {
      cases.push_back(
          questions.about(CaseStage::chosen, graph_of(n, edges, questions.undirected()), pairs));
    };
    add({}, {ends, {0, 0}});
    add(path, {ends, back});
    add(reversed, {back, ends});
    for (const std::size_t cut : {std::size_t{0}, n / 2, n - 2}) {
      Edges edges = path;
      edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(cut));
      add(edges, {ends});
    }
    add(cycle, {{1, 0}, ends});
    add(outwards, {ends, back});
    add(inwards, {back, {1, last}});
    add(two, {{0, half}, {half, last}});
    add(complete, {ends});
  }
  return listed_cases(std::move(cases));
}

/// A graph of one vertex more than the file is made for.
CaseGenerator<AskedGraph> graph_beyond_the_limit(const GraphDomain& questions, const Model& model) {
  std::vector<AskedCase<AskedGraph>> cases;
  if (const auto limit = largest_size(model); limit && *limit < Graph::max_vertices)
    cases.push_back(questions.about(
        CaseStage::limit,
        graph_of(static_cast<std::size_t>(*limit) + 1, {}, questions.undirected()), {{0, 0}}));
  return listed_cases(std::move(cases));
}

}  // namespace

std::size_t GraphPlan::loopless_size(const Model& model) const {
  const std::uint64_t limit = largest_size(model).value_or(Graph::max_vertices);
  return loopless_beyond && bounds.up_to < limit ? bounds.up_to + 1 : 0;
}

Examination<AskedGraph> examine_graphs(GraphDomain& questions, const GraphPlan& plan,
                                       const Asking& how) {
  const Model& model = questions.model();
  const std::uint64_t largest = std::min<std::uint64_t>(
      Graph::max_vertices, largest_size(model).value_or(Graph::max_vertices));
  const Bounds within = plan.bounds.cut(largest, largest);
  CaseGenerator<AskedGraph> cases =
      every_graph(questions, GraphClass::up_to_renaming, 1, within.up_to, within.seed);
  if (const std::size_t loopless = plan.loopless_size(model))
    cases = cases + every_graph(questions, GraphClass::loopless_up_to_renaming, loopless, loopless,
                                within.seed);
  if (plan.hard)
    cases =
        cases + hard_graphs(questions, std::max<std::size_t>(within.up_to + 1, 3), within.max_size);
  cases = cases + random_graphs(questions, within.random, within.max_size, within.seed) +
          graph_beyond_the_limit(questions, model);
  auto result = examine(questions, std::move(cases), how);
  result.bounds = within;
  return result;
}

CaseGenerator<AskedGraph> every_graph(const GraphDomain& questions, GraphClass which,
                                      std::size_t from, std::size_t up_to, std::uint64_t seed) {
  const bool undirected = questions.undirected();
  std::vector<std::pair<std::size_t, std::uint32_t>> graphs;  // size, set of slots
  std::uint64_t asked = 0;
  for (std::size_t n = from; n <= up_to; ++n) {
    if (can_be_listed(n, undirected))
      for (const std::uint32_t set : edge_sets(n, which, undirected)) {
        graphs.emplace_back(n, set);
        asked += n * n;
      }
    if (!can_be_listed(n, undirected) || asked > kMaxQuestions)
      throw InputError(
          fmt::format("--up-to {} requires more than {} cases (every graph with every source and "
                      "target); lower it",
                      up_to, kMaxQuestions));
  }
  const std::size_t total = graphs.size();
  return {[&questions, which, undirected, graphs = std::move(graphs), dice = Dice(seed),
           at = std::size_t{0}]() mutable -> std::optional<AskedCase<AskedGraph>> {
            if (at == graphs.size()) return std::nullopt;
            const auto [n, set] = graphs[at++];
            const Edges places = slots(n, undirected, which != GraphClass::loopless_up_to_renaming);
            Edges edges;
            for (std::size_t k = 0; k < places.size(); ++k)
              if (set >> k & 1) edges.push_back(places[k]);
            if (which != GraphClass::labelled) edges = renamed(std::move(edges), dice.order(n));
            return questions.about(CaseStage::exhaustive, graph_of(n, edges, undirected),
                                   all_pairs(n));
          },
          total};
}

CaseGenerator<AskedGraph> random_graphs(const GraphDomain& questions, std::size_t count,
                                        std::size_t max_size, std::uint64_t seed) {
  if (max_size == 0) count = 0;
  return {[&questions, count, max_size, dice = Dice(seed),
           drawn = std::size_t{0}]() mutable -> std::optional<AskedCase<AskedGraph>> {
            if (drawn == count) return std::nullopt;
            ++drawn;
            const std::size_t n = random_size(dice, max_size);
            Edges edges = random_edges(dice, n);
            std::vector<Vertex> name = dice.order(n);
            if (dice.below(2) == 0) std::iota(name.begin(), name.end(), Vertex{0});
            const Graph graph =
                graph_of(n, renamed(std::move(edges), name), questions.undirected());
            const auto any = [&] { return static_cast<Vertex>(dice.below(n)); };
            const std::pair<Vertex, Vertex> ends(name.front(), name.back());
            return questions.about(CaseStage::random, graph,
                                   {ends, {ends.second, ends.first}, {any(), any()}});
          },
          count};
}

}}  // namespace logdepth::proofs_check_check
