#include "learned/report/need_series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "learned/records/counter_random.hpp"
#include "learned/report/run_table.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/least_squares.hpp"
#include "report/statistics.hpp"

namespace logdepth::inline learned_report {
namespace {

using Json = nlohmann::ordered_json;

struct NeedKey {
  std::size_t rank = 0;
  std::string problem, kind;
  std::uint32_t width = 0;
  std::uint64_t steps = 0;
  auto operator<=>(const NeedKey&) const = default;
};

std::string place_of(const RunRecord& record) {
  return record.folder + "/" + kRecordFile;
}

/// What must agree within a series, beside what its key holds.
FlatSettings shared_settings(const RunRecord& record, const DepthReading& reading) {
  FlatSettings settings = flat_settings(record.config);
  for (const char* free : {"seed", "preset", "model.initial", "model.repeated", "model.loops.least",
                           "model.step_rows", "training.seconds", "training.curve_first"})
    settings.erase(free);
  for (const std::string& free : reading.free_settings) settings.erase("task." + free);
  return settings;
}

std::string difference(const FlatSettings& one, const FlatSettings& other) {
  for (const auto& [name, value] : one) {
    const auto found = other.find(name);
    if (found == other.end() || found->second != value)
      return name + " " + (found == other.end() ? "none" : found->second) + " and " + value;
  }
  return "settings";
}

NeedSeed seed_of(const RunRecord& record, const DepthReading& reading) {
  const RecordFields result = fields_of(record, record.result, "result");
  const LearningCurve curve = learning_curve(record);
  NeedSeed seed;
  seed.seed = record.config.seed;
  for (const DepthReading::Point& point : reading.points) {
    if (point.loops) {
      seed.after_loops.push_back(point.reach);
    } else {
      seed.reach = point.reach;
      seed.censored = point.censored;
    }
  }
  seed.loose = result.number("loose");
  seed.trained = result.number(result.has("trained_length") ? "trained_length" : "length");
  seed.trend = curve.trend();
  for (const LearningCurve::Point& point : curve.points)
    seed.after_steps[point.steps] = point.score;
  const std::vector<double> accuracy = result.shares("accuracy");
  const auto last = static_cast<std::size_t>(seed.reach);
  for (std::size_t i = last; i < last + 3 && i <= accuracy.size(); ++i)
    seed.beyond.push_back(i == 0 ? 1 : accuracy[i - 1]);
  return seed;
}

std::uint32_t layers_of(const ModelConfig& model) {
  return model.initial + model.repeated * model.loops.least + model.final;
}

/// Of these seeds, which may be one several times.
std::optional<double> doublings_of(const NeedSeries& series,
                                   const std::vector<std::size_t>& seeds) {
  PlotLine points;
  for (const NeedDepth& depth : series.depths) {
    std::vector<double> reaches;
    for (const std::size_t seed : seeds) reaches.push_back(depth.seeds[seed].reach);
    const double median = report::median(reaches).value();
    if (median < 1) return std::nullopt;
    points.emplace_back(depth.layers, std::log2(median));
  }
  const auto line = least_squares(points);
  return line ? std::optional(line->a) : std::nullopt;
}

std::vector<std::uint64_t> seeds_of(const NeedDepth& depth) {
  std::vector<std::uint64_t> seeds;
  for (const NeedSeed& seed : depth.seeds) seeds.push_back(seed.seed);
  return seeds;
}

void find_purchase(NeedSeries& series) {
  const auto& depths = series.depths;
  if (depths.size() < kNeedDepths) {
    series.no_purchase =
        fmt::format("{} of the {} depths that a slope needs", depths.size(), kNeedDepths);
    return;
  }
  if (std::ranges::any_of(depths, [&](const NeedDepth& depth) {
        return seeds_of(depth) != seeds_of(depths.front());
      })) {
    series.no_purchase = "the depths do not have the same seeds";
    return;
  }
  if (std::ranges::any_of(depths, [](const NeedDepth& depth) {
        return std::ranges::any_of(depth.seeds, &NeedSeed::censored);
      })) {
    series.no_purchase = "a seed solves all words that were measured";
    return;
  }
  std::vector<std::size_t> all(depths.front().seeds.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto doublings = doublings_of(series, all);
  if (!doublings) {
    series.no_purchase = "a median below 1 has no logarithm";
    return;
  }
  Purchase purchase{*doublings, {}, kResamples, 0};
  std::vector<double> resampled;
  for (std::size_t i = 0; i < kResamples; ++i) {
    CounterRandom random(1, RandomStream::bootstrap, i);
    std::vector<std::size_t> drawn;
    for (std::size_t seed = 0; seed < all.size(); ++seed) drawn.push_back(random.below(all.size()));
    if (const auto slope = doublings_of(series, drawn)) {
      resampled.push_back(*slope);
    } else {
      ++purchase.not_fitted;
    }
  }
  // The sample itself is among what can be drawn, but need not have been.
  purchase.interval =
      resampled.empty() ? Percentiles{*doublings, *doublings} : percentiles(std::move(resampled));
  series.purchase = purchase;
}

/// The records of one key.
struct NeedGroup {
  NeedSeries series;
  const RunRecord* first = nullptr;
  FlatSettings settings;
  std::set<std::string> devices;
  std::set<std::pair<std::uint32_t, double>> stacks;  ///< depth and seconds, once for each stack
};

void add(NeedGroup& group, const RunRecord& record, const DepthReading& reading) {
  const FlatSettings settings = shared_settings(record, reading);
  if (!group.first) {
    group.first = &record;
    group.settings = settings;
  } else if (settings != group.settings) {
    throw InputError(fmt::format(
        "{}: expected the settings of {}, which is in the same table, found {}", place_of(record),
        place_of(*group.first), difference(settings, group.settings)));
  }
  group.series.solvable = reading.solvable;
  const std::uint32_t layers = layers_of(record.config.model);
  auto& depths = group.series.depths;
  auto at = std::ranges::find(depths, layers, &NeedDepth::layers);
  if (at == depths.end()) at = depths.insert(at, NeedDepth{layers, {}});
  if (early_end(record).empty()) {
    at->seeds.push_back(seed_of(record, reading));
  } else {
    ++at->diverged;
  }
  const auto& machine = record.machine;
  group.devices.insert(machine.value("device_name", machine.value("processor", "unknown")));
  const double seconds = record.training.value("seconds", 0.0);
  const bool alone = record.training.value("together", 1) == 1;
  if (alone || group.stacks.insert({layers, seconds}).second) group.series.seconds += seconds;
  const double tokens = record.training.value("tokens", 0.0);
  auto& series = group.series;
  series.most_tokens = std::max(series.most_tokens, tokens);
  series.least_tokens = series.least_tokens == 0 ? tokens : std::min(series.least_tokens, tokens);
}

}  // namespace

double NeedDepth::median() const {
  std::vector<double> reaches;
  for (const NeedSeed& seed : seeds) reaches.push_back(seed.reach);
  return report::median(reaches).value_or(0);
}

double NeedDepth::least() const {
  return std::ranges::min(seeds, {}, &NeedSeed::reach).reach;
}

double NeedDepth::most() const {
  return std::ranges::max(seeds, {}, &NeedSeed::reach).reach;
}

std::size_t NeedDepth::settled() const {
  return static_cast<std::size_t>(std::ranges::count_if(seeds, &NeedSeed::settled));
}

std::size_t NeedSeries::settled_depths() const {
  return static_cast<std::size_t>(std::ranges::count_if(depths, [](const NeedDepth& depth) {
    return depth.diverged == 0 && depth.settled() == depth.seeds.size();
  }));
}

std::vector<NeedSeries> need_series(const std::vector<RunRecord>& records,
                                    const std::vector<std::string>& problems) {
  std::map<NeedKey, NeedGroup> groups;
  for (const RunRecord& record : records) {
    const RunConfig& config = record.config;
    if (!config.task->packs()) continue;
    const auto reading = config.task->depth_reading(fields_of(record, record.result, "result"));
    if (!reading) continue;
    const std::string end = early_end(record);
    if (!end.empty() && !end.starts_with("diverged"))
      throw InputError(fmt::format("{}: expected a run of {} steps, found one that {}",
                                   place_of(record), config.training.steps, end));
    const auto rank =
        static_cast<std::size_t>(std::ranges::find(problems, reading->problem) - problems.begin());
    const NeedKey key{rank, reading->problem, config.model.repeated == 0 ? "stack" : "loop",
                      config.model.width, config.training.steps};
    add(groups[key], record, *reading);
  }
  std::vector<NeedSeries> all;
  for (auto& [key, group] : groups) {
    NeedSeries& series = group.series;
    series.problem = key.problem;
    series.kind = key.kind;
    series.width = key.width;
    series.steps = key.steps;
    series.devices.assign(group.devices.begin(), group.devices.end());
    std::erase_if(series.depths, [](const NeedDepth& depth) { return depth.seeds.empty(); });
    if (series.depths.empty()) continue;  // all of them diverged
    std::ranges::sort(series.depths, {}, &NeedDepth::layers);
    for (NeedDepth& depth : series.depths) std::ranges::sort(depth.seeds, {}, &NeedSeed::seed);
    find_purchase(series);
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace logdepth::inline learned_report
