#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// How graphs are drawn; see the functions below.
enum class HopGenerator { twin, natural, random_pairs };

/// Vertices of a graph of the hop task: two chains and a pool. The generators without chains make
/// graphs of as many vertices.
struct HopGraphSize {
  std::uint32_t chain = 8, pool = 8;
  std::size_t vertices() const { return 2 * std::size_t{chain} + pool; }
  bool operator==(const HopGraphSize&) const = default;
};

/// A directed graph without self-loops and the question whether `source` reaches `target`.
struct HopGraph {
  std::size_t vertices = 0;
  std::vector<std::uint8_t> adjacency;  ///< [vertices, vertices]: 1 for an edge from row to column
  std::uint32_t source = 0, target = 0;

  bool has_edge(std::size_t from, std::size_t to) const {
    return adjacency[from * vertices + to] != 0;
  }
  bool operator==(const HopGraph&) const = default;
};

/// The word for a generator in configurations and reports.
const char* generator_name(HopGenerator generator);

/// The longest distance that a generator can ask about in graphs of this size.
std::uint32_t most_hops(HopGenerator generator, const HopGraphSize& size);

/// Two disjoint chains a_0 ... a_{m-1} and b_0 ... b_{m-1} and a pool; chain vertices have edges to
/// pool vertices with probability 0.08, pool vertices to each other with 0.15, and nothing leads
/// back to a chain. The source is a_r, r uniform with r + hops < m, the target a_{r+hops} if it is
/// to be reachable, else b_{r+hops}. What leaves source and target in fewer than `hops` steps has
/// the same distribution in both cases, so nothing that sees no more answers better than a coin.
HopGraph twin_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                    CounterRandom& random);

/// Path vertices have the levels 0 ... hops, the others random ones; besides the path there are
/// edges u -> v with probability 0.07 where level(v) <= level(u) + 1, so that no path is shorter
/// than the planted one. If the target is not to be reachable, all edges from one random level to
/// the next are cut: the number of edges then tells something about the answer, which is the
/// shortcut that this generator is for.
HopGraph natural_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                       CounterRandom& random);

/// Draws of `random_pairs_graph` before it gives up.
inline constexpr std::size_t kRandomPairsDraws = 10000;

/// Every edge with probability 1.2 / (vertices - 1), drawn anew until the graph has both a pair at
/// distance `hops` and one without a path; then a uniform one of the pairs that were asked for.
/// Both answers thus see the same distribution of graphs. Errors: InputError after
/// kRandomPairsDraws draws.
HopGraph random_pairs_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                            CounterRandom& random);

/// The graph of a generator; its vertices are in a uniformly random order, so that numbers of
/// vertices tell nothing. Precondition: 1 <= hops <= most_hops(generator, size). Errors: those of
/// the generator.
HopGraph hop_graph(HopGenerator generator, const HopGraphSize& size, std::uint32_t hops,
                   bool reachable, CounterRandom& random);

}  // namespace logdepth::inline learned_depth_recurrent
