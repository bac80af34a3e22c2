#include "learned/depth_recurrent/hop_graphs.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/graph_distances.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

using Generator = HopGenerator;

/// Probabilities of edges in `twin` and `natural`.
constexpr double kChainToPool = 0.08, kPoolToPool = 0.15, kNatural = 0.07;
/// Successors of a vertex of `random_pairs` on average. Slightly above one, where long distances
/// are most frequent: with fewer paths end early, with more they are short.
constexpr double kRandomDegree = 1.2;

/// A graph under construction: vertices in an order that says what they are.
class Plan {
 public:
  explicit Plan(std::size_t vertices) : vertices_(vertices), adjacency_(vertices * vertices) {}

  std::size_t vertices() const { return vertices_; }
  const std::vector<std::uint8_t>& adjacency() const { return adjacency_; }
  void set_edge(std::size_t from, std::size_t to, bool there = true) {
    adjacency_[from * vertices_ + to] = there;
  }

  /// The same graph with its vertices in a uniformly random order.
  HopGraph shuffled(std::size_t source, std::size_t target, CounterRandom& random) const {
    const std::vector<std::uint32_t> place = random.permutation(vertices_);
    HopGraph graph;
    graph.vertices = vertices_;
    graph.adjacency.resize(adjacency_.size());
    for (std::size_t from = 0; from < vertices_; ++from)
      for (std::size_t to = 0; to < vertices_; ++to)
        graph.adjacency[place[from] * vertices_ + place[to]] = adjacency_[from * vertices_ + to];
    graph.source = place[source];
    graph.target = place[target];
    return graph;
  }

 private:
  std::size_t vertices_;
  std::vector<std::uint8_t> adjacency_;
};

void require_hops(Generator generator, const HopGraphSize& size, std::uint32_t hops) {
  if (hops < 1 || hops > most_hops(generator, size))
    throw std::invalid_argument(fmt::format("a hop graph with {} hops", hops));
}

}  // namespace

const char* generator_name(Generator generator) {
  switch (generator) {
    case Generator::twin:
      return "twin";
    case Generator::natural:
      return "natural";
    case Generator::random_pairs:
      return "random-pairs";
  }
  throw std::logic_error("a generator without a name");
}

std::uint32_t most_hops(Generator generator, const HopGraphSize& size) {
  if (generator == Generator::twin) return size.chain == 0 ? 0 : size.chain - 1;
  return size.vertices() == 0 ? 0 : static_cast<std::uint32_t>(size.vertices()) - 1;
}

HopGraph twin_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                    CounterRandom& random) {
  require_hops(Generator::twin, size, hops);
  const std::size_t m = size.chain, pool = 2 * m;  // a_i is vertex i, b_i is m + i, then the pool
  Plan plan(size.vertices());
  for (const std::size_t chain : {std::size_t{0}, m})
    for (std::size_t i = 0; i + 1 < m; ++i) plan.set_edge(chain + i, chain + i + 1);
  for (std::size_t from = 0; from < plan.vertices(); ++from)
    for (std::size_t to = pool; to < plan.vertices(); ++to)
      if (from != to && random.chance(from < pool ? kChainToPool : kPoolToPool))
        plan.set_edge(from, to);
  const std::size_t start = random.below(m - hops);
  // The random order makes an exchange of the two chains, which are alike, superfluous.
  return plan.shuffled(start, start + hops + (reachable ? 0 : m), random);
}

HopGraph natural_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                       CounterRandom& random) {
  require_hops(Generator::natural, size, hops);
  Plan plan(size.vertices());
  std::vector<std::uint64_t> level(plan.vertices());
  for (std::size_t v = 0; v < level.size(); ++v) level[v] = v <= hops ? v : random.below(hops + 1);
  for (std::size_t from = 0; from < level.size(); ++from)
    for (std::size_t to = 0; to < level.size(); ++to)
      if (from != to && level[to] <= level[from] + 1 && random.chance(kNatural))
        plan.set_edge(from, to);
  for (std::size_t v = 0; v < hops; ++v) plan.set_edge(v, v + 1);
  if (!reachable) {
    const std::uint64_t cut = random.below(hops);
    for (std::size_t from = 0; from < level.size(); ++from)
      for (std::size_t to = 0; to < level.size(); ++to)
        if (level[from] == cut && level[to] == cut + 1) plan.set_edge(from, to, false);
  }
  return plan.shuffled(0, hops, random);
}

HopGraph random_pairs_graph(const HopGraphSize& size, std::uint32_t hops, bool reachable,
                            CounterRandom& random) {
  require_hops(Generator::random_pairs, size, hops);
  const std::size_t n = size.vertices();
  const double density = kRandomDegree / static_cast<double>(n - 1);
  for (std::size_t draw = 0; draw < kRandomPairsDraws; ++draw) {
    Plan plan(n);
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        if (from != to && random.chance(density)) plan.set_edge(from, to);
    const std::vector<std::int32_t> distances = all_distances(plan.adjacency(), n);
    std::vector<std::size_t> joined, separate;
    for (std::size_t pair = 0; pair < distances.size(); ++pair) {
      if (distances[pair] == static_cast<std::int32_t>(hops)) joined.push_back(pair);
      if (distances[pair] < 0) separate.push_back(pair);
    }
    if (joined.empty() || separate.empty()) continue;
    const std::vector<std::size_t>& pairs = reachable ? joined : separate;
    const std::size_t pair = pairs[random.below(pairs.size())];
    return plan.shuffled(pair / n, pair % n, random);
  }
  throw InputError(
      fmt::format("task.generator: random-pairs found no graph of {} vertices with a distance of "
                  "{} in {} draws, expected fewer hops",
                  n, hops, kRandomPairsDraws));
}

HopGraph hop_graph(Generator generator, const HopGraphSize& size, std::uint32_t hops,
                   bool reachable, CounterRandom& random) {
  switch (generator) {
    case Generator::twin:
      return twin_graph(size, hops, reachable, random);
    case Generator::natural:
      return natural_graph(size, hops, reachable, random);
    case Generator::random_pairs:
      return random_pairs_graph(size, hops, reachable, random);
  }
  throw std::logic_error("a generator without graphs");
}

}  // namespace logdepth::inline learned_depth_recurrent
