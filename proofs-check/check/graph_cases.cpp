#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "logdepth/errors.hpp"
#include "proofs-check/check/graphs.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_check {
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

CaseGenerator<AskedGraph> every_graph(const GraphDomain& questions, GraphClass which,
                                      std::size_t from, std::size_t up_to, std::uint64_t seed,
                                      const Shard& shard) {
  const bool undirected = questions.undirected();
  std::vector<std::pair<std::size_t, std::uint32_t>> graphs;  // size, set of slots
  std::uint64_t asked = 0;
  for (std::size_t n = from; n <= up_to; ++n) {
    if (can_be_listed(n, undirected))
      for (const std::uint32_t set : edge_sets(n, which, undirected)) {
        graphs.emplace_back(n, set);
        asked += n * n;
      }
    if (!can_be_listed(n, undirected) || asked / shard.count > kMaxQuestions)
      throw InputError(
          fmt::format("--up-to {} requires more than {} cases{} (every graph with every source and "
                      "target); lower it",
                      up_to, kMaxQuestions, shard.count > 1 ? " for each shard" : ""));
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

CaseGenerator<AskedGraph> graph_beyond_the_limit(const GraphDomain& questions, const Model& model) {
  std::vector<AskedCase<AskedGraph>> cases;
  if (const auto limit = largest_size(model); limit && *limit < Graph::max_vertices)
    cases.push_back(questions.about(CaseStage::limit,
                                    graph_of(*limit + 1, {}, questions.undirected()), {{0, 0}}));
  return listed_cases(std::move(cases));
}

}  // namespace logdepth::inline proofs_check_check
