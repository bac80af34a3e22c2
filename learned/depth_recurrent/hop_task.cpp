#include "learned/depth_recurrent/hop_task.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

using Generator = HopTaskConfig::Generator;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostVertices = 1024;
/// Rows of the table of roles.
constexpr std::uint32_t kRoles = 3;
constexpr std::int32_t kNoRole = 0, kSource = 1, kTarget = 2;

/// "task.chain = 8" or what else bounds the hops of a generator.
std::string bound_text(Generator generator, const char* chain, const HopGraphSize& size) {
  if (generator == Generator::twin) return fmt::format("less than {} = {}", chain, size.chain);
  return fmt::format("less than the {} vertices of 2 * {} + task.pool", size.vertices(), chain);
}

class HopTask final : public DifficultyTask {
 public:
  HopTask(const HopTaskConfig& config, std::uint64_t seed)
      : DifficultyTask(seed),
        config_(config),
        trained_{config.chain, config.pool},
        measured_{config.test_chain, config.pool} {
    check();
    // The other generators make a graph whenever they may be asked for one.
    if (config_.generator == Generator::random_pairs) try_every_difficulty();
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

 private:
  const DifficultySettings& settings() const override { return config_; }
  const char* unit() const override { return "hops"; }
  std::string difficulty_text(std::uint32_t hops) const override { return counted(hops, "hop"); }
  std::string subject() const override {
    return fmt::format("{}, {} vertices", generator_name(config_.generator), measured_.vertices());
  }

  void check() const {
    check_difficulties();
    const HopTaskConfig& c = config_;
    for (const auto& [size, name] :
         {std::pair(trained_, "task.chain"), std::pair(measured_, "task.test_chain")}) {
      require(size.chain >= 2, std::string(name) + ": expected at least 2");
      require(size.vertices() <= kMostVertices,
              fmt::format("{}, task.pool: expected at most {} vertices", name, kMostVertices));
    }
    require(c.hardest <= most_hops(c.generator, trained_),
            fmt::format("task.hardest: expected {}, found {}",
                        bound_text(c.generator, "task.chain", trained_), c.hardest));
    require(c.tested.back() <= most_hops(c.generator, measured_),
            fmt::format("task.tested: expected {}, found {}",
                        bound_text(c.generator, "task.test_chain", measured_), c.tested.back()));
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

  Samples inputs(Questions questions, Use use) const override {
    const HopGraphSize& size = use == Use::training ? trained_ : measured_;
    const TaskFormat form = format();
    const std::size_t count = questions.size();
    Samples samples;
    samples.count = count;
    samples.tokens = samples.size = size.vertices();
    samples.indices.assign(count * samples.tokens * form.tables.size(), kNoRole);
    samples.features.assign(count * samples.tokens * form.features, 0);
    if (config_.masked) samples.view.assign(count * samples.tokens * samples.tokens, 0);
    samples.read.resize(2 * count);
    for (std::size_t i = 0; i < count; ++i) fill(samples, i, size, questions[i]);
    return samples;
  }

  void fill(Samples& samples, std::size_t i, const HopGraphSize& size,
            DifficultyQuestion& question) const {
    const HopGraph graph =
        hop_graph(config_.generator, size, question.difficulty, question.answer, question.random);
    const std::size_t n = samples.tokens, tables = config_.identities > 0 ? 2 : 1;
    std::int32_t* indices = samples.indices.data() + i * n * tables;
    indices[graph.source * tables] = kSource;
    indices[graph.target * tables] = kTarget;
    std::vector<std::uint32_t> identity;
    if (config_.identities > 0) {
      identity = question.random.permutation(config_.identities);
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
  }

  void add_to_result(Json& result) const override {
    result["generator"] = generator_name(config_.generator);
  }

  HopTaskConfig config_;
  HopGraphSize trained_, measured_;
};

}  // namespace

HopTaskConfig::HopTaskConfig() {
  tested = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  test_loops = {1, 2, 3, 5, 8, 12, 15, 20};
}

std::unique_ptr<TaskSettings> HopTaskConfig::clone() const {
  return std::make_unique<HopTaskConfig>(*this);
}

void HopTaskConfig::visit(SettingVisitor& visit) {
  visit("generator", generator, {"twin", "natural", "random-pairs"});
  visit("chain", chain);
  visit("pool", pool);
  visit("test_chain", test_chain);
  visit("identities", identities);
  visit("masked", masked);
  visit_difficulties(visit);
}

std::unique_ptr<Task> HopTaskConfig::make_task(std::uint64_t seed) const {
  return std::make_unique<HopTask>(*this, seed);
}

std::optional<DepthReading> HopTaskConfig::depth_reading(const RecordFields& result) const {
  // The mask lets an iteration move by one hop: the depth is the mask's, nothing that was learned.
  if (masked) return std::nullopt;
  DepthReading reading;
  reading.problem = "reachability";
  reading.network = "unmasked recurrence";
  reading.reach = "hops";
  reading.unit = "hops";
  reading.threshold = threshold;
  double most = 0;
  for (const Json& asked : result.list("difficulties")) {
    if (!asked.is_number()) result.refuse("difficulties", "numbers");
    most = std::max(most, asked.get<double>());
  }
  for (const Json& item : result.list("frontier")) {
    const RecordFields entry = result.entry("frontier", item);
    const double loops = entry.number("loops"), solved = entry.number("difficulty");
    reading.points.push_back({solved, solved >= most, static_cast<std::uint64_t>(loops)});
  }
  reading.free_settings = {"batch", "validation", "tested", "test_loops", "test_chain"};
  return reading;
}

}  // namespace logdepth::inline learned_depth_recurrent
