#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_reachability {

/// Which vertices reach which, all pairs at once (specification of word problems, section 4). Every
/// vertex reaches itself.
///
/// Token i is vertex i; it looks up identity i, its features are row i of the adjacency matrix with
/// self-loops, and its n answers say which vertices it reaches.
///
/// Labels are distances, -1 without a path. `measure` gives recall by distance, the rate of false
/// positives, and h*, see RelationScore.
struct RelationTaskConfig final : SettingsOf<RelationTaskConfig> {
  std::uint32_t vertices = 16;
  double edges_per_vertex = 1.5;  ///< every graph has as many edges, or all that there are
  std::uint32_t batch = 64;
  std::uint32_t validation = 1000;  ///< graphs
  double threshold = 0.95;          ///< recall of h*
  double false_positives = 0.05;    ///< at most, for h* to count

  const char* kind() const override { return "relation"; }
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  RunReadings readings(const RecordFields& result, const ModelConfig& model) const override;
};

/// A directed graph, drawn uniformly from those with so many edges. Result: [vertices, vertices], 1 for an edge
/// from row to column, no self-loops. Precondition: edges <= vertices (vertices - 1).
std::vector<std::uint8_t> drawn_graph(std::size_t vertices, std::size_t edges,
                                      CounterRandom& random);

/// Pairs of a distance that are needed for it to count.
inline constexpr std::size_t kCountedPairs = 20;

/// Answers about pairs, counted.
struct RelationScore {
  std::vector<std::size_t> pairs, found;  ///< reachable pairs by distance, and those answered so
  std::size_t unreachable = 0, false_positives = 0;

  /// `distance`: -1 without a path.
  void add(std::int32_t distance, bool answer);
  /// Share of the unreachable pairs that were answered as reachable; 0 without such pairs.
  double false_positive_rate() const;
  /// The largest distance of which there are kCountedPairs pairs, as there are of all smaller ones;
  /// -1 without one.
  std::int32_t largest_counted() const;
  /// The largest counted distance such that recall is at least `threshold` at it and every smaller
  /// one and the false positive rate is at most `false_positives`; -1 if even distance 0 fails.
  std::int32_t reach(double threshold, double false_positives) const;
};

}}  // namespace logdepth::learned_reachability
