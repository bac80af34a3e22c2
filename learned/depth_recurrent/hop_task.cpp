#include "learned/depth_recurrent/hop_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "learned/records/counter_random.hpp"
#include "learned/records/training_config.hpp"
#include "learned/report/frontier.hpp"
#include "objects/input_error.hpp"

namespace logdepth {
namespace {

using Generator = HopTaskConfig::Generator;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostVertices = 1024;
/// Graphs that a predictor is given at once in a measurement.
constexpr std::size_t kMeasuredAtOnce = 250;
/// Rows of the table of roles.
constexpr std::uint32_t kRoles = 3;
constexpr std::int32_t kNoRole = 0, kSource = 1, kTarget = 2;

void require(bool holds, const std::string& sentence) {
  if (!holds) throw InputError(sentence);
}

void require_growing(const std::vector<std::uint32_t>& numbers, const std::string& setting) {
  bool growing = !numbers.empty() && numbers.front() >= 1;
  for (std::size_t i = 1; i < numbers.size(); ++i) growing &= numbers[i - 1] < numbers[i];
  require(growing, setting + ": expected growing numbers from 1 on");
}

/// "task.chain = 8" or what else bounds the hops of a generator.
std::string bound_text(Generator generator, const char* chain, const HopGraphSize& size) {
  if (generator == Generator::twin) return fmt::format("less than {} = {}", chain, size.chain);
  return fmt::format("less than the {} vertices of 2 * {} + task.pool", size.vertices(), chain);
}

class HopTask final : public Task {
 public:
  HopTask(const HopTaskConfig& config, std::uint64_t seed)
      : config_(config),
        seed_(seed),
        trained_{config.chain, config.pool},
        measured_{config.test_chain, config.pool} {
    check();
  }

  TaskFormat format() const override {
    TaskFormat format;
    format.tables = {kRoles};
    if (config_.identities > 0) format.tables.push_back(config_.identities);
    format.features = config_.masked ? 0 : config_.identities;
    format.view = config_.masked ? TaskFormat::View::given : TaskFormat::View::everything;
    format.readout = TaskFormat::Readout::pair;
    format.answer = TaskFormat::Answer::one_class;
    format.outputs = {2};
    return format;
  }

  Samples training_batch(std::size_t, std::uint64_t step) const override {
    Samples samples = empty(config_.batch, trained_);
    for (std::uint32_t i = 0; i < config_.batch; ++i) {
      CounterRandom random(seed_, RandomStream::training, step, i);
      const auto hops = static_cast<std::uint32_t>(1 + random.below(config_.hops));
      fill(samples, i, trained_, hops, i % 2 == 1, random);
    }
    return samples;
  }

  Json measure(const Predictor& predictor, std::size_t,
               const MeasureProgress& progress) const override {
    AccuracyHeatmap heatmap{config_.test_hops, config_.test_loops, {}};
    const std::size_t total =
        heatmap.difficulties.size() * heatmap.loops.size() * config_.validation;
    std::size_t done = 0;
    for (const std::uint32_t hops : heatmap.difficulties) {
      std::vector<std::size_t> right(heatmap.loops.size());
      for (std::size_t first = 0; first < config_.validation; first += kMeasuredAtOnce) {
        const Samples samples = validation_batch(hops, first);
        for (std::size_t column = 0; column < right.size(); ++column) {
          const std::vector<std::int32_t> answers =
              predictor.answers(samples, heatmap.loops[column]);
          for (std::size_t i = 0; i < samples.count; ++i)
            right[column] += answers.at(i) == samples.targets[i];
          done += samples.count;
          if (progress) progress(done, total);
        }
      }
      std::vector<double>& row = heatmap.accuracy.emplace_back();
      for (const std::size_t count : right)
        row.push_back(static_cast<double>(count) / static_cast<double>(config_.validation));
    }
    return result_of(heatmap);
  }

  double score(const Predictor& predictor, std::size_t) const override {
    const Samples samples = validation_batch(config_.hops, 0);
    return promoting_accuracy(samples, predictor.answers(samples, config_.test_loops.back()));
  }
  std::string score_name() const override {
    return fmt::format("share of right answers, {} hops at T = {}", config_.hops,
                       config_.test_loops.back());
  }

  std::string summary(const Json& result) const override {
    std::string text =
        fmt::format("{}, {} vertices: {} hops solved;", result["generator"].get<std::string>(),
                    measured_.vertices(), result["largest_solved"].dump());
    for (const Json& entry : result["frontier"])
      text += std::string(&entry == &result["frontier"].front() ? "" : ",") +
              " T = " + entry["loops"].dump() + ": " + entry["hops"].dump();
    return text;
  }

 private:
  void check() const {
    const HopTaskConfig& c = config_;
    for (const auto& [size, name] :
         {std::pair(trained_, "task.chain"), std::pair(measured_, "task.test_chain")}) {
      require(size.chain >= 2, std::string(name) + ": expected at least 2");
      require(size.vertices() <= kMostVertices,
              fmt::format("{}, task.pool: expected at most {} vertices", name, kMostVertices));
    }
    require(c.hops >= 1 && c.hops <= most_hops(c.generator, trained_),
            fmt::format("task.hops: expected at least 1 and {}, found {}",
                        bound_text(c.generator, "task.chain", trained_), c.hops));
    require_growing(c.test_hops, "task.test_hops");
    require_growing(c.test_loops, "task.test_loops");
    require(c.test_hops.back() <= most_hops(c.generator, measured_),
            fmt::format("task.test_hops: expected {}, found {}",
                        bound_text(c.generator, "task.test_chain", measured_), c.test_hops.back()));
    require(c.batch >= 1 && c.batch <= 65536, "task.batch: expected 1 to 65536");
    require(c.validation >= 2 && c.validation % 2 == 0,
            "task.validation: expected an even number of graphs, half of which have a path");
    require(c.threshold > 0.5 && c.threshold <= 1,
            "task.threshold: expected more than 0.5, which a coin reaches, and at most 1");
    const std::size_t largest = std::max(trained_.vertices(), measured_.vertices());
    require(
        c.identities == 0 || (c.identities >= largest && c.identities <= 65536),
        fmt::format(
            "task.identities: expected 0, or {} to 65536, one for each vertex of a graph, found {}",
            largest, c.identities));
    require(c.masked || c.identities > 0,
            fmt::format("task.identities: expected at least {} where task.masked is false, because "
                        "the edges are then read as features of the identities",
                        largest));
  }

  Samples empty(std::size_t count, const HopGraphSize& size) const {
    const TaskFormat form = format();
    Samples samples;
    samples.count = count;
    samples.tokens = samples.size = size.vertices();
    samples.indices.assign(count * samples.tokens * form.tables.size(), kNoRole);
    samples.features.assign(count * samples.tokens * form.features, 0);
    if (config_.masked) samples.view.assign(count * samples.tokens * samples.tokens, 0);
    samples.read.resize(2 * count);
    samples.targets.resize(count);
    samples.labels.resize(count);
    return samples;
  }

  /// Sample `i` becomes a graph; its label is the number of hops that was asked for, also where
  /// there is no path.
  void fill(Samples& samples, std::size_t i, const HopGraphSize& size, std::uint32_t hops,
            bool reachable, CounterRandom& random) const {
    const HopGraph graph = hop_graph(config_.generator, size, hops, reachable, random);
    const std::size_t n = samples.tokens, tables = config_.identities > 0 ? 2 : 1;
    std::int32_t* indices = samples.indices.data() + i * n * tables;
    indices[graph.source * tables] = kSource;
    indices[graph.target * tables] = kTarget;
    std::vector<std::uint32_t> identity;
    if (config_.identities > 0) {
      identity = random.permutation(config_.identities);
      for (std::size_t v = 0; v < n; ++v)
        indices[v * tables + 1] = static_cast<std::int32_t>(identity[v]);
    }
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to) {
        if (from != to && !graph.has_edge(from, to)) continue;
        if (config_.masked) {
          samples.view[(i * n + from) * n + to] = 1;
        } else {
          samples.features[(i * n + from) * config_.identities + identity[to]] = 1;
        }
      }
    samples.read[2 * i] = static_cast<std::int32_t>(graph.source);
    samples.read[2 * i + 1] = static_cast<std::int32_t>(graph.target);
    samples.targets[i] = reachable;
    samples.labels[i] = static_cast<std::int32_t>(hops);
  }

  Samples validation_batch(std::uint32_t hops, std::size_t first) const {
    const std::size_t count = std::min<std::size_t>(kMeasuredAtOnce, config_.validation - first);
    Samples samples = empty(count, measured_);
    for (std::size_t i = 0; i < count; ++i) {
      CounterRandom random(seed_, RandomStream::validation, hops, first + i);
      fill(samples, i, measured_, hops, (first + i) % 2 == 1, random);
    }
    return samples;
  }

  Json result_of(const AccuracyHeatmap& heatmap) const {
    Json result;
    result["kind"] = "hops";
    result["generator"] = generator_name(config_.generator);
    result["hops"] = heatmap.difficulties;
    result["loops"] = heatmap.loops;
    result["graphs"] = config_.validation;
    result["threshold"] = config_.threshold;
    result["accuracy"] = heatmap.accuracy;
    result["frontier"] = Json::array();
    const std::vector<std::uint32_t> reached = frontier(heatmap, config_.threshold);
    for (std::size_t i = 0; i < reached.size(); ++i)
      result["frontier"].push_back({{"loops", heatmap.loops[i]}, {"hops", reached[i]}});
    result["largest_solved"] = largest_solved(heatmap, config_.threshold);
    const std::vector<double> lost = overthinking(heatmap);
    result["overthinking"] = Json::object();
    for (std::size_t i = 0; i < lost.size(); ++i)
      result["overthinking"][std::to_string(heatmap.difficulties[i])] = lost[i];
    result["fastest"] = Json::array();
    const auto fewest = fewest_loops(heatmap, config_.threshold);
    for (std::size_t i = 0; i < fewest.size(); ++i)
      result["fastest"].push_back(
          {{"hops", heatmap.difficulties[i]}, {"loops", fewest[i] ? Json(*fewest[i]) : Json()}});
    return result;
  }

  HopTaskConfig config_;
  std::uint64_t seed_;
  HopGraphSize trained_, measured_;
};

}  // namespace

std::unique_ptr<TaskSettings> HopTaskConfig::clone() const {
  return std::make_unique<HopTaskConfig>(*this);
}

void HopTaskConfig::visit(SettingVisitor& visit) {
  visit("generator", generator, {"twin", "natural", "random-pairs"});
  visit("hops", hops);
  visit("chain", chain);
  visit("pool", pool);
  visit("test_chain", test_chain);
  visit("identities", identities);
  visit("masked", masked);
  visit("batch", batch);
  visit("test_hops", test_hops);
  visit("test_loops", test_loops);
  visit("validation", validation);
  visit("threshold", threshold);
}

void HopTaskConfig::validate() const {
  for (const std::uint32_t loops : test_loops)
    require(loops <= kLoopLimit, fmt::format("task.test_loops: expected at most {}", kLoopLimit));
}

std::unique_ptr<Task> HopTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<HopTask>(*this, seed);
}

std::optional<DepthReading> HopTaskConfig::depth_reading(const RecordFields& result) const {
  DepthReading reading;
  reading.problem = "reachability";
  reading.network = masked ? "masked recurrence" : "unmasked recurrence";
  reading.reach = "hops";
  reading.unit = "hops";
  reading.threshold = threshold;
  reading.by_loops = true;
  double most = 0;
  for (const Json& asked : result.list("hops")) {
    if (!asked.is_number()) result.refuse("hops", "numbers");
    most = std::max(most, asked.get<double>());
  }
  for (const Json& item : result.list("frontier")) {
    const RecordFields entry = result.entry("frontier", item);
    const double loops = entry.number("loops"), solved = entry.number("hops");
    reading.points.push_back({solved, solved >= most, static_cast<std::uint64_t>(loops)});
  }
  reading.free_settings = {"batch", "validation", "test_hops", "test_loops", "test_chain"};
  return reading;
}

}  // namespace logdepth
