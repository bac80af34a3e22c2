#include "learned/report/frontier.hpp"

#include <algorithm>

namespace logdepth::inline learned_report {

std::optional<double> AccuracyHeatmap::at(std::uint32_t difficulty, std::uint32_t count) const {
  const auto row = std::find(difficulties.begin(), difficulties.end(), difficulty);
  const auto column = std::find(loops.begin(), loops.end(), count);
  if (row == difficulties.end() || column == loops.end()) return std::nullopt;
  return accuracy[static_cast<std::size_t>(row - difficulties.begin())]
                 [static_cast<std::size_t>(column - loops.begin())];
}

std::vector<std::uint32_t> frontier(const AccuracyHeatmap& heatmap, double threshold) {
  std::vector<std::uint32_t> reached(heatmap.loops.size());
  for (std::size_t column = 0; column < reached.size(); ++column)
    for (std::size_t row = 0; row < heatmap.difficulties.size(); ++row) {
      if (!(heatmap.accuracy[row][column] >= threshold)) break;
      reached[column] = heatmap.difficulties[row];
    }
  return reached;
}

std::uint32_t largest_solved(const AccuracyHeatmap& heatmap, double threshold) {
  std::uint32_t largest = 0;
  for (std::size_t row = 0; row < heatmap.difficulties.size(); ++row)
    for (const double accuracy : heatmap.accuracy[row])
      if (accuracy >= threshold) largest = std::max(largest, heatmap.difficulties[row]);
  return largest;
}

std::vector<double> overthinking(const AccuracyHeatmap& heatmap) {
  std::vector<double> scores;
  for (const std::vector<double>& row : heatmap.accuracy)
    scores.push_back(row.empty() ? 0 : *std::max_element(row.begin(), row.end()) - row.back());
  return scores;
}

std::vector<std::optional<std::uint32_t>> fewest_loops(const AccuracyHeatmap& heatmap,
                                                       double threshold) {
  std::vector<std::optional<std::uint32_t>> fewest(heatmap.difficulties.size());
  for (std::size_t row = 0; row < fewest.size(); ++row)
    for (std::size_t column = heatmap.loops.size(); column > 0; --column)
      if (heatmap.accuracy[row][column - 1] >= threshold) fewest[row] = heatmap.loops[column - 1];
  return fewest;
}

}  // namespace logdepth::inline learned_report
