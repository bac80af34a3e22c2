#include "learned/report/depth_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/quoted_text.hpp"
#include "learned/report/run_table.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline learned_report {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& json, const char* name) {
  const auto value = json.find(name);
  return value != json.end() && value->is_string() ? value->get<std::string>() : "unknown";
}

// --- what a record is ----------------------------------------------------------------------------

/// Loops on an input of size n.
std::uint64_t loops_of(const LoopRule& rule, double n) {
  switch (rule.kind) {
    case LoopRule::Kind::fixed:
    case LoopRule::Kind::asked:
      return rule.least;
    case LoopRule::Kind::range:
      return rule.most;
    case LoopRule::Kind::adaptive:
      return kAdaptiveCap;  // what it may take
    case LoopRule::Kind::per_doubling:
      return std::max<std::uint64_t>(
          1, rule.least * ceil_log2(static_cast<std::uint64_t>(std::max(n, 0.0))));
  }
  return 0;
}

double executed(const ModelConfig& model, std::uint64_t loops) {
  return static_cast<double>(model.initial) +
         static_cast<double>(model.repeated) * static_cast<double>(loops) +
         static_cast<double>(model.final);
}

std::string shape_text(const ModelConfig& model) {
  return fmt::format("({}, {}, {})", model.initial, model.repeated, model.final);
}

enum class NetworkForm { stack, loop, adaptive };

NetworkForm form_of(const ModelConfig& model) {
  using M = ModelConfig;
  if (model.repeated == 0) return NetworkForm::stack;
  if (model.loops.kind == LoopRule::Kind::per_doubling) return NetworkForm::adaptive;
  const bool plain = model.gate == M::Gate::none && model.step_embedding == M::StepEmbedding::none;
  return plain && loops_of(model.loops, 1) == 1 ? NetworkForm::stack : NetworkForm::loop;
}

/// A record as points of tables.
struct Measured {
  DepthReading reading;
  bool diverged = false;  ///< a failure: nothing was measured
  std::string kind;
  NetworkForm form = NetworkForm::stack;
  SeriesRun run;
  std::optional<RunPoint> own;     ///< under the model's own number of loops
  std::vector<RunPoint> by_loops;  ///< under others that were asked
};

SeriesRun run_of(const RunRecord& record, const LearningCurve& curve) {
  const RecordFields training = fields_of(record, record.training, "training");
  const auto number = [&](const char* name) {
    return training.has(name) ? training.number(name) : 0;
  };
  const double steps = std::max(0.0, number("steps"));
  const double first = static_cast<double>(record.config.training.curve_first);
  return {
      record.config.seed,
      static_cast<std::uint64_t>(steps),
      number("tokens"),
      number("parameters"),
      passed_sizes(training, curve),
      !curve.points.empty() && steps < 2 * first && curve.trend() == LearningCurve::Trend::unknown};
}

/// What training last did to a reach: by the curve of so many loops, where the record has one.
LearningCurve::Trend trend_of(const DepthReading::Point& at, const LearningCurve& curve) {
  const LearningCurve own = at.loops ? curve.after_loops(*at.loops) : LearningCurve{};
  return own.points.empty() ? curve.trend() : own.trend();
}

RunPoint point_of(const RunRecord& record, const DepthReading& reading,
                  const DepthReading::Point& at, const LearningCurve& curve) {
  using Trend = LearningCurve::Trend;
  const ModelConfig& model = record.config.model;
  RunPoint point;
  point.trend = trend_of(at, curve);
  point.point = {executed(model, at.loops ? *at.loops : loops_of(model.loops, reading.size)),
                 std::max(at.reach, 0.0), at.censored, record.config.seed,
                 point.trend != Trend::flat};
  point.interval = at.interval;
  point.loose = at.loose;
  const std::string stopped = text(record.training, "stopped");
  point.ended_early = stopped == "seconds" || stopped == "interrupted";
  point.unfinished = reading.unfinished;
  return point;
}

std::string loop_kind(NetworkForm form) {
  return form == NetworkForm::stack  ? "stack"
         : form == NetworkForm::loop ? "loop"
                                     : "adaptive loop";
}

/// Absent for what has no place in the table.
std::optional<Measured> measured(const RunRecord& record) {
  // A network made from a weights file: its depth is the construction's, not the configuration's.
  if (record.config.constructed || !record.config.initial_weights.empty()) return std::nullopt;
  const ModelConfig& model = record.config.model;
  if (model.width == 0)
    fields_of(record, record.result, "config.model").refuse("width", "at least 1");
  const RecordFields result = fields_of(record, record.result, "result");
  const std::string task = record.config.task->kind();
  if (text(record.result, "kind") != task)
    result.refuse("kind", in_quotes(task) + ", as in its task");
  auto reading = record.config.task->depth_reading(result);
  if (!reading) return std::nullopt;
  Measured m;
  m.diverged = early_end(record).starts_with("diverged");
  const LearningCurve curve = learning_curve(record);
  m.run = run_of(record, curve);
  m.run.accuracy = reading->accuracy;
  m.run.circuit = reading->circuit;
  for (const DepthReading::Point& at : reading->points) {
    const RunPoint point = point_of(record, *reading, at, curve);
    if (!at.loops || model.repeated == 0) {
      if (!m.own) m.own = point;  // without a loop every number of loops is the same network
    } else {
      m.by_loops.push_back(point);
    }
  }
  m.form = form_of(model);
  if (!m.own) m.form = NetworkForm::loop;
  if (m.form == NetworkForm::adaptive && !m.by_loops.empty()) m.own.reset();
  if (m.own && m.by_loops.size() < 2) m.by_loops.clear();  // that is its own number
  m.kind = reading->network.empty() ? loop_kind(m.form) : reading->network;
  m.reading = std::move(*reading);
  return m;
}

// --- what makes two records alike ----------------------------------------------------------------

/// Settings of task, model and training that must agree within a series, beside the ones in its
/// name: not depth, or how long was trained or measured.
FlatSettings settings_of(const RunRecord& record, const Measured& m, bool by_loops) {
  static const std::set<std::string> kFree = {
      "model.initial",   "model.repeated",       "model.final",     "model.width",
      "model.step_rows", "model.trained_steps",  "task.kind",       "model.layer_scale",
      "training.steps",  "training.curve_first", "training.seconds"};
  const Json config = to_json(record.config);
  FlatSettings all, settings;
  for (const char* part : {"task", "model", "training"}) flatten(config.at(part), part, all);
  for (const auto& [path, value] : all)
    if (!kFree.contains(path) && (by_loops || !path.starts_with("model.loops.")))
      settings[path] = value;
  for (const std::string& name : m.reading.free_settings) settings.erase("task." + name);
  // The depth of an adaptive loop varies with the size of the input.
  if (m.form == NetworkForm::adaptive) settings.erase("task." + m.reading.size_setting);
  return settings;
}

/// Networks that are named after their loop stand first; the others in the order of their names.
std::size_t kind_rank(const std::string& kind) {
  std::size_t rank = 0;
  for (const NetworkForm form : {NetworkForm::stack, NetworkForm::loop, NetworkForm::adaptive}) {
    if (kind == loop_kind(form)) break;
    ++rank;
  }
  return rank;
}

/// What is visible of a series, and what is not. `across`: the width in a series of depths, the
/// depth in a series of widths.
struct Key {
  std::string problem, kind, shape, device;
  bool by_loops = false;
  double across = 0;
  FlatSettings settings;

  auto visible() const { return std::tie(problem, kind, shape, by_loops, across, device); }
  bool operator<(const Key& other) const {
    const auto rank = kind_rank(kind), other_rank = kind_rank(other.kind);
    return std::tie(problem, rank, kind, shape, by_loops, across, device, settings) <
           std::tie(other.problem, other_rank, other.kind, other.shape, other.by_loops,
                    other.across, other.device, other.settings);
  }
};

struct Group {
  std::string reach, unit;
  double threshold = 0;
  std::optional<bool> solvable;
  std::map<std::string, std::string> controls;  ///< of the reading
  std::vector<RunPoint> points;
  std::vector<SeriesRun> runs;
  std::vector<const RunRecord*> records;
  std::size_t diverged = 0;
};
using Groups = std::map<Key, Group>;

Key key_of(const RunRecord& record, const Measured& m, bool by_loops) {
  Key key{m.reading.problem,
          m.kind,
          "",
          text(record.machine, "device"),
          by_loops,
          static_cast<double>(record.config.model.width),
          settings_of(record, m, by_loops)};
  if (m.form != NetworkForm::stack) key.shape = shape_text(record.config.model);
  if (m.kind != "adaptive loop" && m.form == NetworkForm::adaptive) key.shape += ", adaptive";
  return key;
}

void add(Groups& groups, const Key& key, const Measured& m, const RunRecord& record,
         const std::vector<RunPoint>& points) {
  Group& group = groups[key];
  group.reach = m.reading.reach;
  group.unit = m.reading.unit;
  group.threshold = m.reading.threshold;
  group.solvable = m.reading.solvable;
  group.controls = m.reading.controls;
  if (m.diverged) {
    ++group.diverged;
    return;
  }
  for (RunPoint point : points) {
    point.run = group.runs.size();
    group.points.push_back(point);
  }
  group.runs.push_back(m.run);
  group.records.push_back(&record);
}

/// "control: shuffled labels"; "model.heads=8" where a group alike in what is visible has another.
std::string setting_text(const Groups& groups, const Key& key) {
  std::string label;
  const auto append = [&](const std::string& part) { label += (label.empty() ? "" : ", ") + part; };
  std::set<std::string> controls;
  for (const auto& [name, control] : groups.at(key).controls) {
    controls.insert("task." + name);
    const auto found = key.settings.find("task." + name);
    if (found == key.settings.end() || found->second == "false" || found->second == "[]") continue;
    append("control: " + control + (found->second == "true" ? "" : " " + found->second));
  }
  for (const auto& [path, value] : key.settings) {
    if (controls.contains(path)) continue;
    for (const auto& [other, group] : groups) {
      const auto at = other.settings.find(path);
      if (other.visible() != key.visible() || (at != other.settings.end() && at->second == value))
        continue;
      append(path + "=" + value);
      break;
    }
  }
  return label;
}

SeriesCost cost_of(const std::vector<const RunRecord*>& records) {
  SeriesCost cost;
  std::set<std::string> processors;
  for (const RunRecord* record : records) {
    const double seconds = fields_of(*record, record->training, "training").number("seconds");
    cost.least = cost.runs == 0 ? seconds : std::min(cost.least, seconds);
    cost.most = std::max(cost.most, seconds);
    cost.seconds += seconds;
    ++cost.runs;
    processors.insert(text(record->machine, "processor"));
  }
  cost.processors.assign(processors.begin(), processors.end());
  return cost;
}

std::vector<DepthPoint> plain(const std::vector<RunPoint>& points) {
  std::vector<DepthPoint> result;
  for (const RunPoint& point : points) result.push_back(point.point);
  return result;
}

void sort_by_depth(std::vector<RunPoint>& points) {
  std::stable_sort(points.begin(), points.end(), [](const RunPoint& a, const RunPoint& b) {
    return a.point.depth < b.point.depth;
  });
}

}  // namespace

std::vector<DepthPoint> LearnedSeries::depth_points() const {
  std::vector<DepthPoint> result = plain(points);
  if (!by_loops) return result;
  std::set<double> depths;
  std::map<std::size_t, DepthPoint> deepest;  // of each run
  for (std::size_t i = 0; i < points.size(); ++i) {
    result[i].network = points[i].run;
    depths.insert(result[i].depth);
    deepest[points[i].run] = result[i];  // points stand by depth
  }
  for (const auto& [run, last] : deepest) {
    double most = 0;
    for (const DepthPoint& point : depth_points(run)) most = std::max(most, point.reach);
    for (auto depth = depths.upper_bound(last.depth); depth != depths.end(); ++depth) {
      result.push_back(last);
      result.back().depth = *depth;
      result.back().reach = most;
      result.back().absent = true;
    }
  }
  return result;
}

std::vector<DepthPoint> LearnedSeries::depth_points(std::size_t run) const {
  std::vector<DepthPoint> result;
  for (const RunPoint& point : points)
    if (point.run == run) result.push_back(point.point);
  return result;
}

std::vector<DepthPoint> LearnedWidths::width_points() const {
  return plain(points);
}

std::vector<LearnedSeries> depth_series(const std::vector<RunRecord>& records) {
  Groups groups;
  struct Once {
    const RunRecord* record;
    Measured m;
    Key as_loop;
  };
  std::vector<Once> once;  // ran their repeated block one time
  for (const RunRecord& record : records) {
    const auto m = measured(record);
    if (!m) continue;
    if (!m->by_loops.empty()) add(groups, key_of(record, *m, true), *m, record, m->by_loops);
    if (!m->own) continue;
    Key key = key_of(record, *m, false);
    add(groups, key, *m, record, {*m->own});
    if (m->form == NetworkForm::stack && record.config.model.repeated > 0) {
      key.shape = shape_text(record.config.model);
      if (key.kind == "stack") key.kind = "loop";
      once.push_back({&record, *m, key});
    }
  }
  for (const Once& one : once)
    if (groups.contains(one.as_loop)) add(groups, one.as_loop, one.m, *one.record, {*one.m.own});
  std::vector<LearnedSeries> result;
  for (auto& [key, group] : groups) {
    if (group.runs.empty()) continue;  // all of them diverged
    LearnedSeries series;
    series.problem = key.problem;
    series.kind = key.kind;
    series.shape = key.shape;
    series.by_loops = key.by_loops;
    series.width = static_cast<std::uint32_t>(key.across);
    series.device = key.device;
    series.setting = setting_text(groups, key);
    series.reach = group.reach;
    series.unit = group.unit;
    series.threshold = group.threshold;
    series.solvable = group.solvable;
    series.points = group.points;
    series.runs = group.runs;
    series.diverged = group.diverged;
    sort_by_depth(series.points);
    series.cost = cost_of(group.records);
    result.push_back(std::move(series));
  }
  return result;
}

std::vector<LearnedWidths> width_series(const std::vector<RunRecord>& records) {
  Groups groups;
  for (const RunRecord& record : records) {
    const auto m = measured(record);
    if (!m || !m->own || m->diverged) continue;
    Key key = key_of(record, *m, false);
    key.across = m->own->point.depth;
    for (const char* setting : {"model.heads", "model.hidden", "training.learning_rate"})
      key.settings.erase(setting);
    RunPoint point = *m->own;
    point.point.depth = std::log2(static_cast<double>(record.config.model.width));
    add(groups, key, *m, record, {point});
  }
  std::erase_if(groups, [](const auto& entry) {
    const auto& points = entry.second.points;
    return std::all_of(points.begin(), points.end(), [&](const RunPoint& point) {
      return point.point.depth == points.front().point.depth;
    });
  });
  std::vector<LearnedWidths> result;
  for (auto& [key, group] : groups) {
    LearnedWidths widths{key.problem,
                         key.kind,
                         key.shape,
                         key.device,
                         setting_text(groups, key),
                         group.reach,
                         key.across,
                         group.points,
                         cost_of(group.records)};
    sort_by_depth(widths.points);
    result.push_back(std::move(widths));
  }
  return result;
}

}  // namespace logdepth::inline learned_report
