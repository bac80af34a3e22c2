#include "learned/reachability/relation_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "learned/records/training_config.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph.hpp"

namespace logdepth { inline namespace learned_reachability {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMostVertices = 1024;

class RelationTask final : public Task {
 public:
  RelationTask(const RelationTaskConfig& config, std::uint64_t seed)
      : config_(config), seed_(seed), n_(config.vertices) {
    require(
        config.vertices >= 2 && config.vertices <= kMostVertices,
        fmt::format("task.vertices: expected 2 to {}, found {}", kMostVertices, config.vertices));
    require(config.edges_per_vertex >= 0 && config.edges_per_vertex < kMostVertices,
            fmt::format("task.edges_per_vertex: expected 0 to {}", kMostVertices - 1));
    require(config.batch >= 1 && config.batch <= 65536, "task.batch: expected 1 to 65536");
    require(config.validation >= 1, "task.validation: expected at least 1 graph");
    require(config.threshold > 0 && config.threshold <= 1,
            "task.threshold: expected more than 0 and at most 1");
    require(config.false_positives >= 0 && config.false_positives <= 1,
            "task.false_positives: expected 0 to 1");
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.view = TaskFormat::View::everything;
    format.answer = TaskFormat::Answer::bits;
    format.tables = {config_.vertices};
    format.features = config_.vertices;
    format.outputs = {config_.vertices};
    return format;
  }

  Samples training_batch(std::size_t, std::uint64_t step) const override {
    return batch(RandomStream::training, step, 0, config_.batch);
  }

  Json measure(const Predictor& predictor, std::size_t,
               const MeasureProgress& progress) const override {
    RelationScore score;
    // What fits in training fits here.
    for (std::size_t first = 0; first < config_.validation; first += config_.batch) {
      const std::size_t count = std::min<std::size_t>(config_.batch, config_.validation - first);
      const Samples samples = batch(RandomStream::validation, 0, first, count);
      const std::vector<std::int32_t> answers = predictor.answers(samples, 0);
      for (std::size_t i = 0; i < samples.targets.size(); ++i)
        score.add(samples.labels[i], answers.at(i) != 0);
      if (progress) progress(first + count, config_.validation);
    }
    const std::int32_t reach = score.reach(config_.threshold, config_.false_positives);
    Json result;
    result["kind"] = "relation";
    result["tokens"] = "rows";
    result["vertices"] = config_.vertices;
    result["h"] = reach;
    result["censored"] = reach >= 0 && reach == score.largest_counted();
    result["recall"] = Json::array();
    for (std::size_t d = 0; d < score.pairs.size(); ++d)
      result["recall"].push_back(
          score.pairs[d] == 0 ? Json() : Json(share_of(score.found[d], score.pairs[d])));
    result["pairs"] = score.pairs;
    result["false_positives"] = score.false_positive_rate();
    result["graphs"] = config_.validation;
    result["threshold"] = config_.threshold;
    return result;
  }

  Score score(const Predictor& predictor, std::size_t) const override {
    const Samples samples = batch(RandomStream::validation, 0, 0, config_.batch);
    return {promoting_accuracy(samples, predictor.answers(samples, 0))};
  }
  std::string score_name() const override { return "share of right answers"; }

  std::string summary(const Json& result) const override {
    const auto h = result["h"].get<std::int32_t>();
    return result["tokens"].get<std::string>() + ", " + result["vertices"].dump() + " vertices: " +
           (h < 0 ? "no h*"
                  : fmt::format("{}{}", result["censored"] == true ? "h* >= " : "h* = ", h)) +
           fmt::format(", false positives {:.3f}", result["false_positives"].get<double>());
  }

 private:
  Samples batch(RandomStream stream, std::uint64_t step, std::size_t first,
                std::size_t count) const {
    Samples samples;
    samples.count = count;
    samples.size = n_;
    samples.tokens = n_;
    const auto rounded = static_cast<std::size_t>(config_.edges_per_vertex * n_ + 0.5);
    const std::size_t edges = std::min(rounded, n_ * (n_ - 1));
    for (std::size_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, stream, step, first + i);
      const std::vector<std::uint8_t> adjacency = drawn_graph(n_, edges, random);
      const std::vector<std::int32_t> distances = all_distances(adjacency, n_);
      for (const std::int32_t distance : distances) {
        samples.targets.push_back(distance >= 0);
        samples.labels.push_back(distance);
      }
      for (std::size_t v = 0; v < n_; ++v) {
        samples.indices.push_back(static_cast<std::int32_t>(v));
        for (std::size_t to = 0; to < n_; ++to)
          samples.features.push_back(v == to || adjacency[v * n_ + to] ? 1.0F : 0.0F);
      }
    }
    return samples;
  }

  RelationTaskConfig config_;
  std::uint64_t seed_;
  std::size_t n_;
};

}  // namespace

std::vector<std::uint8_t> drawn_graph(std::size_t vertices, std::size_t edges,
                                      CounterRandom& random) {
  std::vector<std::uint8_t> adjacency(vertices * vertices);
  while (edges > 0) {
    const std::uint64_t pair = random.below(adjacency.size());
    if (pair / vertices == pair % vertices || adjacency[pair] == 1) continue;
    adjacency[pair] = 1;
    --edges;
  }
  return adjacency;
}

void RelationScore::add(std::int32_t distance, bool answer) {
  if (distance < 0) {
    ++unreachable;
    false_positives += answer;
    return;
  }
  const auto d = static_cast<std::size_t>(distance);
  if (d >= pairs.size()) {
    pairs.resize(d + 1);
    found.resize(d + 1);
  }
  ++pairs[d];
  found[d] += answer;
}

double RelationScore::false_positive_rate() const {
  return share_of(false_positives, unreachable);
}

std::int32_t RelationScore::largest_counted() const {
  std::size_t counted = 0;
  while (counted < pairs.size() && pairs[counted] >= kCountedPairs) ++counted;
  return static_cast<std::int32_t>(counted) - 1;
}

std::int32_t RelationScore::reach(double threshold, double most_false_positives) const {
  if (false_positive_rate() > most_false_positives) return -1;
  const std::int32_t counted = largest_counted();
  std::int32_t reached = -1;
  while (reached < counted) {
    const auto next = static_cast<std::size_t>(reached + 1);
    if (share_of(found[next], pairs[next]) < threshold) break;
    ++reached;
  }
  return reached;
}

void RelationTaskConfig::visit(SettingVisitor& visit) {
  visit("vertices", vertices);
  visit("edges_per_vertex", edges_per_vertex);
  visit("batch", batch);
  visit("validation", validation);
  visit("threshold", threshold);
  visit("false_positives", false_positives);
}

std::unique_ptr<Task> RelationTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<RelationTask>(*this, seed);
}

RunReadings RelationTaskConfig::readings(const RecordFields& result,
                                         const ModelConfig& model) const {
  const double loops = model.repeated > 0 ? model.loops.least : 1;
  const Json &recall = result.list("recall"), &pairs = result.list("pairs");
  if (pairs.size() != recall.size()) result.refuse("pairs", "a number for each distance");
  RunReadings readings;
  for (std::size_t distance = 0; distance < recall.size(); ++distance)
    if (recall[distance].is_number() && pairs[distance].is_number())
      readings.push_back({.of = "distance",
                          .at = static_cast<double>(distance),
                          .iterations = loops,
                          .score = recall[distance].get<double>(),
                          .samples = pairs[distance].get<double>()});
  readings.push_back({.of = "distance",
                      .iterations = loops,
                      .score = result.share("false_positives"),
                      .samples = result.number("graphs"),
                      .what = "false positives"});
  return readings;
}

}}  // namespace logdepth::learned_reachability
