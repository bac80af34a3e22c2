#include "learned/latent_reasoning/graph_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/prime.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

using Generator = GraphShape::Generator;

constexpr std::uint32_t kMostModulus = 997;
constexpr std::uint32_t kMostNames = 4096;
/// Tokens of a training batch: more is a mistyped setting.
constexpr std::uint64_t kMostBatchTokens = std::uint64_t{1} << 26;
constexpr std::size_t kScoredGraphs = 100;
/// Graphs and tokens of a measured batch.
constexpr std::size_t kMostAlike = 128, kMostAlikeTokens = std::size_t{1} << 15;
/// Draws after which a training graph need not have the depth of its batch.
constexpr int kDepthDraws = 100;

void check_shape(const GraphShape& shape) {
  require(is_prime(shape.modulus) && shape.modulus <= kMostModulus,
          fmt::format("task.modulus: expected a prime from 2 to {}, found {}", kMostModulus,
                      shape.modulus));
  require(shape.names >= kFewestNodes && shape.names <= kMostNames,
          fmt::format("task.names: expected {} to {}, found {}", kFewestNodes, kMostNames,
                      shape.names));
  require(shape.window >= 1, "task.window: expected at least 1, found 0");
  const auto& weights = shape.operand_weights;
  const bool sized = !weights.empty() && weights.size() <= kMostOperands;
  require(sized && std::any_of(weights.begin(), weights.end(), [](auto w) { return w > 0; }),
          fmt::format("task.operand_weights: expected 1 to {} numbers, how often nodes have 1, 2, "
                      "... operands, not all of them 0",
                      kMostOperands));
}

void check_cells(const std::vector<std::uint32_t>& nodes, const char* setting,
                 const GraphShape& shape) {
  bool growing = true;
  for (std::size_t i = 1; i < nodes.size(); ++i) growing &= nodes[i - 1] < nodes[i];
  require(
      growing && (nodes.empty() || (nodes.front() >= kFewestNodes && nodes.back() <= shape.names)),
      fmt::format("{}: expected growing numbers of nodes from {} to task.names = {}, one name "
                  "for each node",
                  setting, kFewestNodes, shape.names));
}

void check_settings(const GraphTaskSettings& c) {
  check_shape(c.graphs);
  require(c.least_nodes >= kFewestNodes && c.least_nodes <= c.most_nodes,
          fmt::format("task.least_nodes: expected {} to task.most_nodes = {}, found {}",
                      kFewestNodes, c.most_nodes, c.least_nodes));
  require(c.most_nodes <= c.graphs.names,
          fmt::format("task.most_nodes: expected at most task.names = {}, one name for each node, "
                      "found {}",
                      c.graphs.names, c.most_nodes));
  require(c.batch >= 1 && std::uint64_t{c.batch} * c.most_nodes * longest_equation(c.graphs) <=
                              kMostBatchTokens,
          fmt::format("task.batch: expected 1 to {} graphs of task.most_nodes = {}, found {}",
                      kMostBatchTokens / (std::uint64_t{c.most_nodes} * longest_equation(c.graphs)),
                      c.most_nodes, c.batch));
  check_cells(c.test_nodes, "task.test_nodes", c.graphs);
  check_cells(c.test_deep_nodes, "task.test_deep_nodes", c.graphs);
  require(!c.test_nodes.empty() || !c.test_deep_nodes.empty(),
          "task.test_nodes: expected at least one number of nodes here or in task.test_deep_nodes, "
          "nothing would be measured");
  require(c.validation >= 1, "task.validation: expected at least 1 graph per cell, found 0");
}

}  // namespace

const char* graph_generator_name(Generator generator) {
  return generator == Generator::deep ? "deep" : "uniform";
}

void GraphTaskSettings::validate() const {
  check_settings(*this);
}

void GraphTaskSettings::visit_graphs(SettingVisitor& visit) {
  visit("generator", graphs.generator, {"uniform", "deep"});
  visit("window", graphs.window);
  visit("modulus", graphs.modulus);
  visit("names", graphs.names);
  visit("operations", graphs.operations, {"add", "all"});
  visit("operand_weights", graphs.operand_weights);
  visit("least_nodes", least_nodes);
  visit("most_nodes", most_nodes);
  visit("batch", batch);
  visit("test_nodes", test_nodes);
  visit("test_deep_nodes", test_deep_nodes);
  visit("validation", validation);
}

std::uint32_t longest_equation(const GraphShape& shape) {
  return static_cast<std::uint32_t>(2 * std::max<std::size_t>(1, shape.operand_weights.size()) + 2);
}

GraphTask::GraphTask(const GraphTaskSettings& settings, std::uint64_t seed)
    : shape_(settings.graphs),
      least_nodes_(settings.least_nodes),
      most_nodes_(settings.most_nodes),
      batch_(settings.batch),
      validation_(settings.validation),
      seed_(seed) {
  settings.validate();
  for (const std::uint32_t nodes : settings.test_nodes)
    cells_.push_back({Generator::uniform, nodes});
  for (const std::uint32_t nodes : settings.test_deep_nodes)
    cells_.push_back({Generator::deep, nodes});
}

std::vector<DrawnGraph> GraphTask::training_graphs(std::uint64_t step) const {
  CounterRandom choice(seed_, RandomStream::training, step, 0);
  const auto nodes =
      static_cast<std::uint32_t>(least_nodes_ + choice.below(most_nodes_ - least_nodes_ + 1));
  const std::size_t count = std::size_t{batch_} * most_nodes_ / nodes;
  std::vector<DrawnGraph> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    CounterRandom random(seed_, RandomStream::training, step, 1 + i);
    ComputationGraph graph = draw_graph(shape_, nodes, random);
    // The first graph says which depth the batch has, so that depths are as frequent as they are.
    if (trains_one_depth() && i > 0) {
      const std::uint32_t depth = drawn.front().graph.depth();
      for (int tries = 1; graph.depth() != depth && tries < kDepthDraws; ++tries)
        graph = draw_graph(shape_, nodes, random);
    }
    drawn.push_back({std::move(graph), random});
  }
  return drawn;
}

Samples GraphTask::training_batch(std::size_t, std::uint64_t step) const {
  return training_samples(training_graphs(step), step);
}

GraphTask::Graphs GraphTask::measured_graphs(const GraphCell& cell, std::size_t count) const {
  GraphShape shape = shape_;
  shape.generator = cell.generator;
  const std::uint64_t step = 2 * std::uint64_t{cell.nodes} + (cell.generator == Generator::deep);
  Graphs graphs;
  for (std::size_t i = 0; i < count; ++i) {
    CounterRandom random(seed_, RandomStream::validation, step, i);
    graphs.push_back(draw_graph(shape, cell.nodes, random));
  }
  return graphs;
}

nlohmann::ordered_json GraphTask::measure(const Predictor& predictor, std::size_t,
                                          const MeasureProgress& progress) const {
  Json result;
  result["kind"] = kind();
  result["method"] = method();
  result["trained_nodes"] = {least_nodes_, most_nodes_};
  result["cells"] = Json::array();
  Graphs all;
  std::vector<GraphAnswer> all_answers;
  for (const GraphCell& cell : cells_) {
    const Graphs graphs = measured_graphs(cell, validation_);
    const std::vector<GraphAnswer> answers = solve(predictor, graphs);
    Json json{{"generator", graph_generator_name(cell.generator)}, {"nodes", cell.nodes}};
    json.update(graph_scores_json(graphs, answers));
    more(json, predictor, cell, graphs);
    result["cells"].push_back(std::move(json));
    all.insert(all.end(), graphs.begin(), graphs.end());
    all_answers.insert(all_answers.end(), answers.begin(), answers.end());
    if (progress) progress(result["cells"].size(), cells_.size());
  }
  if (all_answers.front().settling) result["settling"] = settling_json(all, all_answers);
  return result;
}

Score GraphTask::score(const Predictor& predictor, std::size_t) const {
  const Graphs graphs = measured_graphs({shape_.generator, most_nodes_}, kScoredGraphs);
  return {graph_scores_json(graphs, solve(predictor, graphs))["solved"].get<double>()};
}

std::string GraphTask::score_name() const {
  return fmt::format("share of graphs of {} nodes that are fully solved", most_nodes_);
}

std::string GraphTask::summary(const Json& result) const {
  std::string text = result["method"].get<std::string>() + ": fully solved";
  for (const Json& cell : result["cells"])
    text += fmt::format("{} {:.3f} at N = {}{}", &cell == &result["cells"].front() ? "" : ",",
                        cell["solved"].get<double>(), cell["nodes"].get<std::uint32_t>(),
                        cell["generator"] == "deep" ? " (deep)" : "");
  return text;
}

std::vector<std::vector<std::size_t>> batches_of_alike(const std::vector<BatchKey>& keys,
                                                       bool one_depth) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(keys[a].depth, keys[a].tokens) < std::tie(keys[b].depth, keys[b].tokens);
  });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t longest = 0;
  for (const std::size_t i : order) {
    longest = std::max(longest, keys[i].tokens);
    const bool full = batches.empty() || batches.back().size() == kMostAlike ||
                      (batches.back().size() + 1) * longest > kMostAlikeTokens;
    if (full || (one_depth && keys[batches.back().back()].depth != keys[i].depth)) {
      batches.emplace_back();
      longest = keys[i].tokens;
    }
    batches.back().push_back(i);
  }
  return batches;
}

}  // namespace logdepth::inline learned_latent_reasoning
