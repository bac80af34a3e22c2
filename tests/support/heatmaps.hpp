#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learned/report/frontier.hpp"

namespace logdepth::laws {

using Supervision = TrainingConfig::Supervision;

/// 1 where a step carries information one hop, one half beyond.
inline AccuracyHeatmap ideal(std::vector<std::uint32_t> hops = {1, 2, 3, 4, 5, 6, 8, 10, 12},
                             std::vector<std::uint32_t> loops = {1, 2, 3, 5, 8, 12, 15, 20}) {
  AccuracyHeatmap heatmap{std::move(hops), std::move(loops), {}};
  for (const std::uint32_t hop : heatmap.difficulties) {
    auto& row = heatmap.accuracy.emplace_back();
    for (const std::uint32_t loop : heatmap.loops) row.push_back(hop <= loop ? 1 : 0.5);
  }
  return heatmap;
}

inline void set(AccuracyHeatmap& heatmap, std::uint32_t hops, std::uint32_t loops,
                double accuracy) {
  for (std::size_t i = 0; i < heatmap.difficulties.size(); ++i)
    for (std::size_t j = 0; j < heatmap.loops.size(); ++j)
      if (heatmap.difficulties[i] == hops && heatmap.loops[j] == loops)
        heatmap.accuracy[i][j] = accuracy;
}

}  // namespace logdepth::laws
