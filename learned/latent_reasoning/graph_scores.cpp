#include "learned/latent_reasoning/graph_scores.hpp"

#include <algorithm>
#include <map>

#include "report/figures/least_squares.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

using ScoreJson = nlohmann::ordered_json;

double share_of(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct DepthCount {
  std::size_t graphs = 0, solved = 0, nodes = 0, right = 0;
};

ScoreJson by_depth_json(const std::map<std::uint32_t, DepthCount>& counts) {
  ScoreJson list = ScoreJson::array();
  for (const auto& [depth, count] : counts)
    list.push_back({{"depth", depth},
                    {"graphs", count.graphs},
                    {"solved", share_of(count.solved, count.graphs)},
                    {"node_accuracy", share_of(count.right, count.nodes)}});
  return list;
}

ScoreJson solved_after_json(const std::vector<GraphAnswer>& answers) {
  std::size_t iterations = 0;
  for (const GraphAnswer& answer : answers)
    iterations = std::max(iterations, answer.settling->solved_after.size());
  std::vector<double> shares;
  for (std::size_t t = 0; t < iterations; ++t) {
    std::size_t solved = 0;
    for (const GraphAnswer& answer : answers) {
      const std::vector<bool>& after = answer.settling->solved_after;
      solved += after[std::min(t, after.size() - 1)];
    }
    shares.push_back(share_of(solved, answers.size()));
  }
  return shares;
}

}  // namespace

bool GraphAnswer::solved() const {
  return std::all_of(right.begin(), right.end(), [](bool node) { return node; });
}

nlohmann::ordered_json graph_scores_json(const std::vector<ComputationGraph>& graphs,
                                         const std::vector<GraphAnswer>& answers) {
  DepthCount all;
  std::map<std::uint32_t, DepthCount> by_depth;
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> by_node_depth;  // nodes, right
  std::size_t structures = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const GraphAnswer& answer = answers[i];
    for (DepthCount* count : {&all, &by_depth[graphs[i].depth()]}) {
      ++count->graphs;
      count->solved += answer.solved();
      count->nodes += answer.right.size();
      count->right +=
          static_cast<std::size_t>(std::count(answer.right.begin(), answer.right.end(), true));
    }
    for (std::size_t node = 0; node < answer.right.size(); ++node) {
      auto& [nodes, right] = by_node_depth[graphs[i].nodes[node].depth];
      ++nodes;
      right += answer.right[node];
    }
    structures += answer.structure.value_or(false);
  }
  ScoreJson json;
  json["graphs"] = all.graphs;
  json["solved"] = share_of(all.solved, all.graphs);
  json["node_accuracy"] = share_of(all.right, all.nodes);
  json["by_depth"] = by_depth_json(by_depth);
  json["by_node_depth"] = ScoreJson::array();
  for (const auto& [depth, count] : by_node_depth)
    json["by_node_depth"].push_back({{"depth", depth},
                                     {"nodes", count.first},
                                     {"accuracy", share_of(count.second, count.first)}});
  if (answers.front().settling) {
    json["settling"] = settling_json(graphs, answers);
    json["solved_after"] = solved_after_json(answers);
  }
  if (answers.front().structure) json["structure"] = share_of(structures, all.graphs);
  return json;
}

nlohmann::ordered_json settling_json(const std::vector<ComputationGraph>& graphs,
                                     const std::vector<GraphAnswer>& answers) {
  std::size_t settled = 0;
  std::map<std::uint32_t, std::pair<std::size_t, double>> by_depth;  // graphs, iterations
  PlotLine points;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const auto& iterations = answers[i].settling->iterations;
    if (!iterations) continue;
    ++settled;
    if (!answers[i].solved()) continue;
    const std::uint32_t depth = graphs[i].depth();
    auto& [count, sum] = by_depth[depth];
    ++count;
    sum += *iterations;
    points.push_back({static_cast<double>(depth), static_cast<double>(*iterations)});
  }
  ScoreJson json;
  json["settled"] = share_of(settled, graphs.size());
  json["by_depth"] = ScoreJson::array();
  for (const auto& [depth, count] : by_depth)
    json["by_depth"].push_back({{"depth", depth},
                                {"graphs", count.first},
                                {"iterations", count.second / static_cast<double>(count.first)}});
  json["fit"] = nullptr;
  if (const auto line = least_squares(points))
    json["fit"] = {
        {"slope", line->a}, {"intercept", line->b}, {"r2", line->r2}, {"graphs", line->points}};
  return json;
}

}  // namespace logdepth::inline learned_latent_reasoning
