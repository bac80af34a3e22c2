#pragma once

#include <nlohmann/json.hpp>

#include "learned/latent_reasoning/graph_task.hpp"

namespace logdepth::laws {

/// Of the graphs in tests of latent reasoning.
inline constexpr int kModulus = 5;

/// Settings of a task of latent reasoning whose samples and measures take no time.
template <class Config>
Config small(Config config = {}) {
  config.graphs.modulus = kModulus;
  config.graphs.operations = GraphShape::Operations::all;
  config.graphs.operand_weights = {1, 1, 1};
  config.batch = 6;
  config.test_nodes = {8, 12, 20, 24};
  config.validation = 40;
  return config;
}

/// Sums over the entries of "by_node_depth" and "by_depth" of a cell up to a depth, as shares.
inline double share_up_to(const nlohmann::ordered_json& list, const char* counted, int depth) {
  double within = 0, all = 0;
  for (const auto& entry : list) {
    all += entry[counted].get<double>();
    if (entry["depth"].get<int>() <= depth) within += entry[counted].get<double>();
  }
  return within / all;
}

}  // namespace logdepth::laws
