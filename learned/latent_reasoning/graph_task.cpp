#include "learned/latent_reasoning/graph_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "learned/records/training_config.hpp"
#include "logdepth/errors.hpp"
#include "objects/prime.hpp"

namespace logdepth { inline namespace learned_latent_reasoning {
namespace {

/// Leaves of a graph of so many nodes: a fifth of them, rounded, and at least two.
std::uint32_t leaves_of(std::uint32_t nodes) {
  return std::max<std::uint32_t>(2, (nodes + 2) / 5);
}

std::uint32_t apply(GraphOperation operation, std::uint64_t a, std::uint64_t b,
                    std::uint64_t modulus) {
  const std::uint64_t result = operation == GraphOperation::add        ? a + b
                               : operation == GraphOperation::subtract ? a + modulus - b
                                                                       : a * b;
  return static_cast<std::uint32_t>(result % modulus);
}

/// An index of `weights`, as often as its entry says.
std::size_t weighted(const std::vector<std::uint32_t>& weights, CounterRandom& random) {
  std::uint64_t left = random.below(std::accumulate(weights.begin(), weights.end(), 0ULL));
  std::size_t index = 0;
  while (left >= weights[index]) left -= weights[index++];
  return index;
}

/// `count` different numbers below `end`. Few of them: those that are drawn again are drawn anew.
std::vector<std::uint32_t> different_numbers(std::size_t count, std::uint32_t end,
                                             CounterRandom& random) {
  std::vector<std::uint32_t> numbers;
  while (numbers.size() < count) {
    const auto number = static_cast<std::uint32_t>(random.below(end));
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
      numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::uint32_t ComputationGraph::depth() const {
  std::uint32_t most = 0;
  for (const GraphNode& node : nodes) most = std::max(most, node.depth);
  return most;
}

void evaluate(ComputationGraph& graph) {
  for (GraphNode& node : graph.nodes) {
    if (node.operands.empty()) continue;
    node.value = graph.nodes[node.operands.front()].value;
    node.depth = 1 + graph.nodes[node.operands.front()].depth;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const GraphNode& operand = graph.nodes[node.operands[i]];
      node.value = apply(node.operations[i - 1], node.value, operand.value, graph.modulus);
      node.depth = std::max(node.depth, 1 + operand.depth);
    }
  }
}

ComputationGraph draw_graph(const GraphShape& shape, std::uint32_t nodes, CounterRandom& random) {
  ComputationGraph graph;
  graph.modulus = shape.modulus;
  graph.nodes.resize(nodes);
  const std::uint32_t leaves = leaves_of(nodes);
  for (std::uint32_t i = leaves; i < nodes; ++i) {
    const std::size_t count = std::min<std::size_t>(1 + weighted(shape.operand_weights, random), i);
    graph.nodes[i].operands = different_numbers(count, i, random);
  }
  const std::vector<std::uint32_t> names = random.permutation(shape.names);
  for (std::uint32_t i = 0; i < nodes; ++i) graph.nodes[i].name = names[i];
  for (std::uint32_t i = 0; i < leaves; ++i)
    graph.nodes[i].value = static_cast<std::uint32_t>(random.below(shape.modulus));
  const std::uint64_t operations = shape.operations == GraphShape::Operations::add ? 1 : 3;
  for (GraphNode& node : graph.nodes)
    for (std::size_t i = 1; i < node.operands.size(); ++i)
      node.operations.push_back(static_cast<GraphOperation>(random.below(operations)));
  evaluate(graph);
  return graph;
}

namespace {

bool is_variable(const FactoredToken& token) {
  return token[kSyntaxFactor] == static_cast<std::int32_t>(TokenSyntax::variable);
}

/// Any value but `value`.
std::int32_t other_value(std::int32_t value, const FactorTables& tables, CounterRandom& random) {
  const auto step = static_cast<std::int32_t>(1 + random.below(tables.modulus - 1));
  return (value + step) % static_cast<std::int32_t>(tables.modulus);
}

class TokenWriter {
 public:
  TokenWriter(const FactorTables& tables, GraphTokens& out) : tables_(tables), out_(out) {}

  void write(TokenSyntax syntax) { add(token(syntax), tables_.no_value(), 0); }
  void write_value(std::uint32_t value) {
    FactoredToken written = token(TokenSyntax::value);
    written[kValueFactor] = static_cast<std::int32_t>(value);
    add(written, written[kValueFactor], 0);
  }
  void write_operation(GraphOperation operation) {
    FactoredToken written = token(TokenSyntax::operation);
    written[kOperationFactor] = static_cast<std::int32_t>(operation);
    add(written, tables_.no_value(), 0);
  }
  void write_variable(const GraphNode& node, std::uint32_t due) {
    FactoredToken written = token(TokenSyntax::variable);
    written[kVariableFactor] = static_cast<std::int32_t>(node.name);
    written[kValueFactor] = tables_.empty_value();
    add(written, static_cast<std::int32_t>(node.value), due);
  }

 private:
  FactoredToken token(TokenSyntax syntax) const {
    FactoredToken written = tables_.padding();
    written[kSyntaxFactor] = static_cast<std::int32_t>(syntax);
    return written;
  }
  void add(const FactoredToken& written, std::int32_t final, std::uint32_t due) {
    out_.tokens.push_back(written);
    out_.final.push_back(final);
    out_.due.push_back(due);
  }

  const FactorTables& tables_;
  GraphTokens& out_;
};

}  // namespace

GraphTokens graph_tokens(const ComputationGraph& graph, const FactorTables& tables) {
  GraphTokens out;
  out.depth = graph.depth();
  TokenWriter writer(tables, out);
  for (const GraphNode& node : graph.nodes) {
    if (node.operands.empty()) writer.write_value(node.value);
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0) writer.write_operation(node.operations[i - 1]);
      const GraphNode& operand = graph.nodes[node.operands[i]];
      writer.write_variable(operand, operand.depth + 1);
    }
    writer.write(TokenSyntax::equals);
    out.defining.push_back(static_cast<std::uint32_t>(out.tokens.size()));
    writer.write_variable(node, node.depth);
    writer.write(TokenSyntax::separator);
  }
  return out;
}

FactoredState GraphTokens::state(std::uint32_t t, const FactorTables& tables) const {
  FactoredState now = tokens;
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i][kValueFactor] = due[i] <= t ? final[i] : tables.empty_value();
  return now;
}

std::vector<bool> GraphTokens::right_nodes(const FactoredState& state) const {
  std::vector<bool> right;
  for (const std::uint32_t token : defining)
    right.push_back(state[token][kValueFactor] == final[token]);
  return right;
}

void corrupt(FactoredState& state, const FactorTables& tables, double known, double unknown,
             CounterRandom& random) {
  for (FactoredToken& token : state) {
    if (!is_variable(token)) continue;
    std::int32_t& value = token[kValueFactor];
    if (value == tables.empty_value()) {
      if (random.chance(unknown)) value = static_cast<std::int32_t>(random.below(tables.modulus));
    } else if (random.chance(known)) {
      value = other_value(value, tables, random);
    }
  }
}

std::vector<std::size_t> corrupt_share(FactoredState& state, const FactorTables& tables,
                                       double share, CounterRandom& random) {
  std::vector<std::size_t> known;
  for (std::size_t i = 0; i < state.size(); ++i)
    if (is_variable(state[i]) && state[i][kValueFactor] != tables.empty_value()) known.push_back(i);
  const auto count = static_cast<std::size_t>(
      std::max(1.0, std::round(share * static_cast<double>(known.size()))));
  const std::vector<std::uint32_t> order = random.permutation(known.size());
  std::vector<std::size_t> replaced;
  for (std::size_t i = 0; i < std::min(count, known.size()); ++i) {
    replaced.push_back(known[order[i]]);
    std::int32_t& value = state[replaced.back()][kValueFactor];
    value = other_value(value, tables, random);
  }
  return replaced;
}

TaskFormat factored_format(const FactorTables& tables) {
  TaskFormat format;
  format.tables = tables.rows();
  format.outputs = tables.rows();
  format.empty = {kValueFactor, static_cast<std::uint32_t>(tables.empty_value())};
  return format;
}

Samples factored_samples(const FactorTables& tables, std::size_t count, std::size_t tokens) {
  Samples samples;
  samples.count = count;
  samples.tokens = samples.size = tokens;
  samples.lengths.resize(count);
  const FactoredToken padding = tables.padding();
  samples.indices.reserve(count * tokens * kFactors);
  for (std::size_t i = 0; i < count * tokens; ++i)
    samples.indices.insert(samples.indices.end(), padding.begin(), padding.end());
  samples.targets.assign(count * tokens * kFactors, Samples::kIgnored);
  return samples;
}

void put_state(Samples& samples, std::size_t i, const FactoredState& state) {
  samples.lengths[i] = static_cast<std::int32_t>(state.size());
  std::int32_t* out = samples.indices.data() + i * samples.tokens * kFactors;
  for (const FactoredToken& token : state) out = std::copy(token.begin(), token.end(), out);
}

void put_targets(Samples& samples, std::size_t i, const FactoredState& state) {
  std::int32_t* out = samples.targets.data() + i * samples.tokens * kFactors;
  for (const FactoredToken& token : state) out = std::copy(token.begin(), token.end(), out);
}

FactoredState answered_state(const Samples& samples, const Answers& answers, std::size_t i,
                             std::size_t tokens) {
  FactoredState state(tokens);
  std::size_t next = i * samples.tokens * kFactors;
  for (FactoredToken& token : state)
    for (std::int32_t& factor : token) factor = answers.at(next++);
  return state;
}

namespace {

using ScoreJson = nlohmann::ordered_json;

struct DepthCount {
  std::size_t graphs = 0, solved = 0, nodes = 0, right = 0;
};

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

/// How many iterations graphs of a depth take, "by_depth": [{"depth", "graphs", "iterations"}]: of graphs that are
/// solved and came to a fixed point below the cap, the mean.
ScoreJson settling_json(const std::vector<ComputationGraph>& graphs,
                        const std::vector<GraphAnswer>& answers) {
  std::map<std::uint32_t, std::pair<std::size_t, double>> by_depth;  // graphs, iterations
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const auto& iterations = answers[i].settling->iterations;
    if (!iterations || !answers[i].solved()) continue;
    auto& [count, sum] = by_depth[graphs[i].depth()];
    ++count;
    sum += *iterations;
  }
  ScoreJson json;
  json["by_depth"] = ScoreJson::array();
  for (const auto& [depth, count] : by_depth)
    json["by_depth"].push_back({{"depth", depth},
                                {"graphs", count.first},
                                {"iterations", count.second / static_cast<double>(count.first)}});
  return json;
}

/// The scores of graphs and their answers, as they stand in results of the tasks of this paper (the
/// object of one cell; GraphTask adds what the cell is):
///   "graphs": how many; "solved": share with all nodes right; "node_accuracy": share of nodes;
///   "by_depth": [{"depth", "graphs", "solved", "node_accuracy"}], by the depth of the graph;
///   "by_node_depth": [{"depth", "nodes", "accuracy"}], by the depth of the node;
/// where methods iterate until nothing changes
///   "settling": that of `settling_json`; "solved_after": [share solved after iterations 1, 2, ...].
ScoreJson graph_scores_json(const std::vector<ComputationGraph>& graphs,
                            const std::vector<GraphAnswer>& answers) {
  DepthCount all;
  std::map<std::uint32_t, DepthCount> by_depth;
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> by_node_depth;  // nodes, right
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
  }
  ScoreJson json;
  json["graphs"] = all.graphs;
  json["solved"] = share_of(all.solved, all.graphs);
  json["node_accuracy"] = share_of(all.right, all.nodes);
  json["by_depth"] = ScoreJson::array();
  for (const auto& [depth, count] : by_depth)
    json["by_depth"].push_back({{"depth", depth},
                                {"graphs", count.graphs},
                                {"solved", share_of(count.solved, count.graphs)},
                                {"node_accuracy", share_of(count.right, count.nodes)}});
  json["by_node_depth"] = ScoreJson::array();
  for (const auto& [depth, count] : by_node_depth)
    json["by_node_depth"].push_back({{"depth", depth},
                                     {"nodes", count.first},
                                     {"accuracy", share_of(count.second, count.first)}});
  if (answers.front().settling) {
    json["settling"] = settling_json(graphs, answers);
    json["solved_after"] = solved_after_json(answers);
  }
  return json;
}

}  // namespace

bool GraphAnswer::solved() const {
  return std::all_of(right.begin(), right.end(), [](bool node) { return node; });
}

namespace {

/// Smaller graphs have no node to compute.
constexpr std::uint32_t kFewestNodes = 3;
constexpr std::uint32_t kMostModulus = 997;
constexpr std::uint32_t kMostNames = 4096;
/// Tokens of a training batch: more is a mistyped setting.
constexpr std::uint64_t kMostBatchTokens = std::uint64_t{1} << 26;
constexpr std::size_t kScoredGraphs = 100;
/// Graphs and tokens of a measured batch.
constexpr std::size_t kMostAlike = 128, kMostAlikeTokens = std::size_t{1} << 15;
/// Draws after which a training graph need not have the depth of its batch.
constexpr int kDepthDraws = 100;

/// Tokens of the longest equation of a leaf or node with its separator.
std::uint32_t longest_equation(const GraphShape& shape) {
  return static_cast<std::uint32_t>(2 * std::max<std::size_t>(1, shape.operand_weights.size()) + 2);
}

void check_shape(const GraphShape& shape) {
  require(is_prime(shape.modulus) && shape.modulus <= kMostModulus,
          fmt::format("task.modulus: expected a prime from 2 to {}, found {}", kMostModulus,
                      shape.modulus));
  require(shape.names >= kFewestNodes && shape.names <= kMostNames,
          fmt::format("task.names: expected {} to {}, found {}", kFewestNodes, kMostNames,
                      shape.names));
  const auto& weights = shape.operand_weights;
  const bool sized = !weights.empty() && weights.size() <= kMostOperands;
  require(sized && std::any_of(weights.begin(), weights.end(), [](auto w) { return w > 0; }),
          fmt::format("task.operand_weights: expected 1 to {} numbers, how often nodes have 1, 2, "
                      "... operands, not all of them 0",
                      kMostOperands));
}

}  // namespace

void GraphTaskSettings::validate() const {
  const GraphTaskSettings& c = *this;
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
  bool growing = !c.test_nodes.empty();
  for (std::size_t i = 1; i < c.test_nodes.size(); ++i)
    growing &= c.test_nodes[i - 1] < c.test_nodes[i];
  require(
      growing && c.test_nodes.front() >= kFewestNodes && c.test_nodes.back() <= c.graphs.names,
      fmt::format("task.test_nodes: expected growing numbers of nodes from {} to task.names = {}, "
                  "one name for each node",
                  kFewestNodes, c.graphs.names));
  require(c.validation >= 1, "task.validation: expected at least 1 graph per cell, found 0");
}

void GraphTaskSettings::visit_graphs(SettingVisitor& visit) {
  visit("modulus", graphs.modulus);
  visit("names", graphs.names);
  visit("operations", graphs.operations, {"add", "all"});
  visit("operand_weights", graphs.operand_weights);
  visit("least_nodes", least_nodes);
  visit("most_nodes", most_nodes);
  visit("batch", batch);
  visit("test_nodes", test_nodes);
  visit("validation", validation);
}

RunReadings GraphTaskSettings::readings(const RecordFields& result,
                                        const ModelConfig& model) const {
  const bool asked = model.loops.kind == LoopRule::Kind::asked;  // as often as the graph is deep
  const double fixed = model.repeated > 0 ? model.loops.least : 1;
  RunReadings readings;
  for (const nlohmann::ordered_json& item : result.list("cells")) {
    const RecordFields cell = result.entry("cells", item);
    const double nodes = cell.number("nodes"), graphs = cell.number("graphs");
    const bool settles = cell.has("settling");
    std::map<double, double> settled;  // by depth: iterations until nothing changed
    if (settles) {
      const RecordFields settling = cell.object("settling");
      for (const nlohmann::ordered_json& entry : settling.list("by_depth")) {
        const RecordFields fields = settling.entry("by_depth", entry);
        settled[fields.number("depth")] = fields.number("iterations");
      }
    }
    RunReadings by_depth;
    double iterations =
        0;  // the sum over graphs; of depths at which none settled, as deep as they are
    for (const nlohmann::ordered_json& entry : cell.list("by_depth")) {
      const RecordFields fields = cell.entry("by_depth", entry);
      const double depth = fields.number("depth"), count = fields.number("graphs");
      const auto found = settled.find(depth);
      iterations += count * (found == settled.end() ? depth : found->second);
      by_depth.push_back({.of = "graph depth",
                          .at = depth,
                          .iterations = asked ? depth : fixed,
                          .score = fields.share("solved"),
                          .samples = count,
                          .what = "solved"});
      if (settles)
        by_depth.back().iterations =
            found == settled.end() ? std::nullopt : std::optional(found->second);
    }
    const double mean = settles || asked ? iterations / graphs : fixed;
    const auto add = [&](const char* what, double share, double samples, double after, bool own) {
      readings.push_back({.of = "nodes",
                          .at = nodes,
                          .iterations = after,
                          .score = share,
                          .samples = samples,
                          .what = what,
                          .own = own});
    };
    add("solved", cell.share("solved"), graphs, mean, true);
    add("nodes", cell.share("node_accuracy"), graphs, mean, true);
    if (cell.has("structure")) add("structure", cell.share("structure"), graphs, mean, true);
    double after = 0;
    if (cell.has("solved_after"))
      for (const double share : cell.shares("solved_after"))
        add("solved", share, graphs, ++after, false);
    readings.insert(readings.end(), by_depth.begin(), by_depth.end());
    if (cell.has("recovery")) {
      const RecordFields recovery = cell.object("recovery");
      add("mended", recovery.share("hit_nodes"), recovery.number("hit"), mean, true);
    }
  }
  return readings;
}

GraphTask::GraphTask(const GraphTaskSettings& settings, std::uint64_t seed) : seed_(seed) {
  settings.validate();
}

Samples GraphTask::training_batch(std::size_t, std::uint64_t step) const {
  CounterRandom choice(seed_, RandomStream::training, step, 0);
  const auto nodes = static_cast<std::uint32_t>(
      settings().least_nodes + choice.below(settings().most_nodes - settings().least_nodes + 1));
  const std::size_t count = std::size_t{settings().batch} * settings().most_nodes / nodes;
  std::vector<DrawnGraph> drawn;
  for (std::size_t i = 0; i < count; ++i) {
    CounterRandom random(seed_, RandomStream::training, step, 1 + i);
    ComputationGraph graph = draw_graph(settings().graphs, nodes, random);
    // The first graph says which depth the batch has, so that depths are as frequent as they are.
    if (trains_one_depth() && i > 0) {
      const std::uint32_t depth = drawn.front().graph.depth();
      for (int tries = 1; graph.depth() != depth && tries < kDepthDraws; ++tries)
        graph = draw_graph(settings().graphs, nodes, random);
    }
    drawn.push_back({std::move(graph), random});
  }
  return training_samples(std::move(drawn), step);
}

GraphTask::Graphs GraphTask::measured_graphs(std::uint32_t nodes, std::size_t count) const {
  Graphs graphs;
  for (std::size_t i = 0; i < count; ++i) {
    CounterRandom random(seed_, RandomStream::validation, 2 * std::uint64_t{nodes}, i);
    graphs.push_back(draw_graph(settings().graphs, nodes, random));
  }
  return graphs;
}

nlohmann::ordered_json GraphTask::measure(const Predictor& predictor, std::size_t,
                                          const MeasureProgress& progress) const {
  Json result;
  result["kind"] = settings().kind();
  result["method"] = method();
  result["trained_nodes"] = {settings().least_nodes, settings().most_nodes};
  result["cells"] = Json::array();
  for (const std::uint32_t nodes : settings().test_nodes) {
    const Graphs graphs = measured_graphs(nodes, settings().validation);
    const std::vector<GraphAnswer> answers = solve(predictor, graphs);
    Json json{{"generator", "uniform"}, {"nodes", nodes}};
    json.update(graph_scores_json(graphs, answers));
    more(json, predictor, graphs);
    result["cells"].push_back(std::move(json));
    if (progress) progress(result["cells"].size(), settings().test_nodes.size());
  }
  return result;
}

Score GraphTask::score(const Predictor& predictor, std::size_t) const {
  const Graphs graphs = measured_graphs(settings().most_nodes, kScoredGraphs);
  return {graph_scores_json(graphs, solve(predictor, graphs))["solved"].get<double>()};
}

std::string GraphTask::score_name() const {
  return fmt::format("share of graphs of {} nodes that are fully solved", settings().most_nodes);
}

std::string GraphTask::summary(const Json& result) const {
  std::string text = result["method"].get<std::string>() + ": fully solved";
  for (const Json& cell : result["cells"])
    text += fmt::format("{} {:.3f} at N = {}", &cell == &result["cells"].front() ? "" : ",",
                        cell["solved"].get<double>(), cell["nodes"].get<std::uint32_t>());
  return text;
}

std::vector<BatchKey> batch_keys(const std::vector<GraphTokens>& texts) {
  std::vector<BatchKey> keys;
  for (const GraphTokens& text : texts) keys.push_back({text.depth, text.tokens.size()});
  return keys;
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

}}  // namespace logdepth::learned_latent_reasoning
