#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace logdepth::inline learned_report {

/// Accuracies by difficulty of the samples and number of loops of the model.
struct AccuracyHeatmap {
  std::vector<std::uint32_t> difficulties;    ///< of the rows, growing
  std::vector<std::uint32_t> loops;           ///< of the columns, growing
  std::vector<std::vector<double>> accuracy;  ///< [difficulties][loops], 0 to 1

  /// The accuracy of a row and a column by what they stand for, if they are there.
  std::optional<double> at(std::uint32_t difficulty, std::uint32_t loops) const;
  bool operator==(const AccuracyHeatmap&) const = default;
};

/// What a model was trained on, as part of a heatmap: both ends belong to it.
struct TrainedRange {
  std::uint32_t easiest = 1, hardest = 1;  ///< difficulties
  std::uint32_t least = 1, most = 1;       ///< numbers of loops
};

/// For each number of loops the largest difficulty such that it and every smaller one reach the
/// threshold; 0 where not even the smallest does.
std::vector<std::uint32_t> frontier(const AccuracyHeatmap& heatmap, double threshold);

/// The largest difficulty that reaches the threshold at some number of loops; 0 without one.
std::uint32_t largest_solved(const AccuracyHeatmap& heatmap, double threshold);

/// For each difficulty the best accuracy minus the one at the largest number of loops: what more
/// loops than needed cost.
std::vector<double> overthinking(const AccuracyHeatmap& heatmap);

/// For each difficulty the smallest number of loops that reaches the threshold.
std::vector<std::optional<std::uint32_t>> fewest_loops(const AccuracyHeatmap& heatmap,
                                                       double threshold);

}  // namespace logdepth::inline learned_report
