#include "learned/encode_think_decode/etd_runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/number_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/records/depth_reading.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

using Json = nlohmann::ordered_json;
using Block = ThinkShape::Block;

std::string file_of(const RunRecord& record) {
  return (record.folder.empty() ? "" : record.folder + "/") + std::string(kRecordFile);
}

// --- shapes --------------------------------------------------------------------------------------

[[noreturn]] void refuse_config(const RunRecord& record, const std::string& expected) {
  throw InputError(file_of(record) + ": config: expected " + expected);
}

/// Of layers of their own that begin as copies: 0 1 2 | 3 4 | 3 4 | 5 6 7.
ThinkShape untied_shape(const RunRecord& record) {
  const std::vector<std::uint32_t>& layers = record.config.initial_layers;
  const ModelConfig& model = record.config.model;
  const std::uint32_t distinct = layers.empty() ? 0 : *std::ranges::max_element(layers) + 1;
  ThinkShape shape{model.initial, 0, model.final, Block::untied, 0, ModelConfig::Router::none};
  if (distinct > model.initial + model.final) {
    shape.think = distinct - model.initial - model.final;
    shape.passes = model.repeated / shape.think;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < model.initial; ++i) expected.push_back(i);
    for (std::uint32_t i = 0; i < model.repeated; ++i)
      expected.push_back(model.initial + i % shape.think);
    for (std::uint32_t i = 0; i < model.final; ++i)
      expected.push_back(model.initial + shape.think + i);
    if (layers == expected && model.repeated == shape.think * shape.passes) return shape;
  }
  refuse_config(record, "initial_layers that repeat one block between the layers around it");
}

ThinkShape shape_of(const RunRecord& record) {
  const ModelConfig& model = record.config.model;
  if (!record.config.initial_layers.empty()) return untied_shape(record);
  ThinkShape shape{model.initial, model.repeated,    model.final,
                   Block::looped, model.loops.least, ModelConfig::Router::none};
  if (model.loops.kind == LoopRule::Kind::adaptive) {
    shape.block = Block::adaptive;
    shape.passes = model.loops.most;
    shape.router = model.router;
  } else if (model.loops.kind != LoopRule::Kind::fixed) {
    refuse_config(record, "model.loops.kind fixed or adaptive");
  }
  return shape;
}

bool is_base(const RunRecord& record) {
  return record.config.initial_weights.empty();
}

// --- a result ------------------------------------------------------------------------------------

std::uint32_t right_of(const RecordFields& fields, std::uint32_t asked) {
  const double right = fields.number("right");
  if (right < 0 || right > asked || right != static_cast<std::uint32_t>(right))
    fields.refuse("right",
                  fmt::format("a whole number from 0 to {}, as many as were asked", asked));
  return static_cast<std::uint32_t>(right);
}

EtdScore score_of(const RecordFields& fields, bool adaptive) {
  EtdScore score;
  score.asked = fields.count("asked");
  score.right = right_of(fields, score.asked);
  if (!adaptive) return score;
  score.mean_loops = fields.number("mean_loops");
  if (*score.mean_loops < 1 || *score.mean_loops > kAdaptiveCap)
    fields.refuse("mean_loops", fmt::format("a number from 1 to {}", kAdaptiveCap));
  return score;
}

EtdRun run_of(const RunRecord& record, const ThinkShape& shape, std::vector<std::string>& kinds) {
  const bool adaptive = shape.block == Block::adaptive;
  const RecordFields result(record.result, file_of(record) + ": result");
  EtdRun run{record.folder,
             {record.config.seed, early_end(record), learning_curve(record).trend()},
             {},
             std::nullopt};
  if (result.text("kind") != record.config.task->kind())
    result.refuse("kind", record.config.task->kind());
  for (const Json& item : result.list("kinds")) {
    const RecordFields fields = result.entry("kinds", item);
    const std::string kind = fields.text("kind");
    const EtdScore score = score_of(fields, adaptive);
    if (!run.kinds.emplace(kind, score).second) fields.refuse("kind", "every kind once");
    kinds.push_back(kind);
    EtdScore sum;
    std::set<double> difficulties;
    for (const Json& entry : fields.list("difficulties")) {
      const RecordFields of(entry, file_of(record) + ": result.kinds.difficulties");
      const EtdScore one = score_of(of, adaptive);
      if (!difficulties.insert(of.number("difficulty")).second)
        of.refuse("difficulty", "every difficulty once");
      sum.asked += one.asked;
      sum.right += one.right;
    }
    if (sum.asked != score.asked || sum.right != score.right)
      fields.refuse("difficulties", "as many asked and right as of the kind in all");
  }
  if (run.kinds.empty()) result.refuse("kinds", "at least one kind");
  if (adaptive) {
    run.largest_loops = result.count("largest_loops");
    if (*run.largest_loops > kAdaptiveCap)
      result.refuse("largest_loops", fmt::format("at most {}", kAdaptiveCap));
  }
  return run;
}

// --- what belongs together -----------------------------------------------------------------------

/// The lines and the model before it was cut: runs that may stand in one table.
std::string section_key(const RunRecord& record, const ThinkShape& shape) {
  Json json = to_json(record.config), model = json.at("model");
  for (const char* name : {"initial", "repeated", "final", "loops", "router"}) model.erase(name);
  return Json{{"task", json.at("task")},
              {"model", model},
              {"layers", shape.layers()},
              {"base", is_base(record)}}
      .dump();
}

/// The settings that all runs of a section have alike.
FlatSettings shared_settings(const RunConfig& config) {
  const Json json = settings_of_series(config);
  FlatSettings settings;
  flatten(json.at("training"), "training", settings);
  settings["initial_weights"] = config.initial_weights;
  return settings;
}

/// Errors: InputError naming the setting that differs.
void expect_same_settings(const RunRecord& first, const RunRecord& other) {
  const FlatSettings expected = shared_settings(first.config),
                     found = shared_settings(other.config);
  for (const auto& [name, value] : expected)
    if (const auto at = found.find(name); at == found.end() || at->second != value)
      throw InputError(fmt::format(
          "{}: config.{}: expected {} as in {}, found {}: shapes are compared on one base and the "
          "same training",
          file_of(other), name, value, file_of(first), at == found.end() ? "none" : at->second));
}

auto order_of(const ThinkShape& shape) {
  return std::tuple(static_cast<int>(shape.block), shape.encoder + shape.decoder, shape.encoder,
                    shape.passes, static_cast<int>(shape.router));
}

bool has_cut(const ThinkShape& shape, const LayerCut& cut) {
  return shape.encoder == cut.encoder && shape.think == cut.think && shape.decoder == cut.decoder;
}

/// The cut with most numbers of passes, of several the one with most shapes at all, or the first.
LayerCut chosen_cut(const std::vector<EtdSeries>& series) {
  LayerCut best;
  std::pair<std::size_t, std::size_t> most;
  for (const EtdSeries& one : series) {
    const LayerCut cut{one.shape.encoder, one.shape.think, one.shape.decoder, false, false};
    std::pair<std::size_t, std::size_t> count;
    for (const EtdSeries& other : series)
      if (has_cut(other.shape, cut)) {
        count.first += other.shape.block == Block::looped;
        ++count.second;
      }
    if (count > most) {
      most = count;
      best = cut;
    }
  }
  return best;
}

struct Building {
  EtdSection section;
  const RunRecord* first = nullptr;
  std::vector<const RunRecord*> records;  ///< one for each run
};

void add_record(const RunRecord& record, const ThinkShape& shape, Building& building) {
  EtdSection& section = building.section;
  std::vector<std::string> kinds;
  EtdRun run = run_of(record, shape, kinds);
  if (!building.first) {
    building.first = &record;
    section.config = record.config;
    section.kinds = kinds;
  }
  if (!is_base(record)) expect_same_settings(*building.first, record);
  for (const auto& [kind, score] : run.kinds)
    if (std::ranges::find(section.kinds, kind) == section.kinds.end() ||
        run.kinds.size() != section.kinds.size())
      throw InputError(fmt::format("{}: result.kinds: expected those of {}", file_of(record),
                                   file_of(*building.first)));
  auto series = std::ranges::find(section.series, shape, &EtdSeries::shape);
  if (series == section.series.end())
    series = section.series.insert(section.series.end(), EtdSeries{shape, {}});
  for (const RunRecord* other : building.records)
    if (other->config.seed == record.config.seed && shape_of(*other) == shape &&
        settings_of_series(other->config) == settings_of_series(record.config)) {
      if (other->result == record.result) return;
      throw InputError(fmt::format(
          "{} and {}: expected one result of seed {}, found two that differ under the same "
          "configuration",
          other->folder, record.folder, record.config.seed));
    }
  building.records.push_back(&record);
  series->runs.push_back(std::move(run));
}

/// A number of every run that has it.
template <class Number>
std::optional<report::Mean> mean_of(const std::vector<EtdRun>& runs, Number number) {
  std::vector<double> values;
  for (const EtdRun& run : runs)
    if (const std::optional<double> value = number(run)) values.push_back(*value);
  return report::mean_of(values);
}

}  // namespace

std::optional<double> EtdRun::accuracy(const std::string& kind) const {
  EtdScore sum;
  for (const std::string& part : kind == kCompositional
                                     ? std::vector<std::string>{"multi-hop", "arithmetic"}
                                     : std::vector{kind}) {
    const auto found = kinds.find(part);
    if (found == kinds.end()) return std::nullopt;
    sum.asked += found->second.asked;
    sum.right += found->second.right;
  }
  return sum.accuracy();
}

std::optional<double> EtdRun::loops(const std::string& kind) const {
  if (kind != kCompositional) {
    const auto found = kinds.find(kind);
    return found == kinds.end() ? std::nullopt : found->second.mean_loops;
  }
  const auto hops = loops("multi-hop"), terms = loops("arithmetic");
  return hops && terms ? std::optional((*hops + *terms) / 2) : std::nullopt;
}

std::string EtdSeries::seeds() const {
  std::string text;
  for (const EtdRun& run : runs) text += (text.empty() ? "" : ", ") + std::to_string(run.end.seed);
  return text;
}

std::string EtdSeries::state() const {
  std::vector<RunEnd> ends;
  for (const EtdRun& run : runs) ends.push_back(run.end);
  return ends_text(ends);
}

std::optional<report::Mean> EtdSeries::accuracy(const std::string& kind) const {
  return mean_of(runs, [&](const EtdRun& run) { return run.accuracy(kind); });
}

std::optional<report::Mean> EtdSeries::loops(const std::string& kind) const {
  return mean_of(runs, [&](const EtdRun& run) { return run.loops(kind); });
}

std::string EtdSeries::passes() const {
  const std::uint32_t around = shape.encoder + shape.decoder;
  if (shape.block != Block::adaptive) return std::to_string(around + shape.think * shape.passes);
  double loops = 0, kinds = 0;
  for (const EtdRun& run : runs)
    for (const auto& [kind, score] : run.kinds) {
      loops += *score.mean_loops;
      ++kinds;
    }
  return fixed_text(around + shape.think * loops / kinds, 1);
}

std::string EtdSection::title() const {
  const auto& task = config.task.as<LinesConfig>();
  const std::string lines =
      task.text.empty() ? "the own corpus" : std::filesystem::path(task.text).filename().string();
  return fmt::format("{}, {} layers of width {}, {} steps", lines, series.front().shape.layers(),
                     config.model.width, config.training.steps);
}

std::vector<std::string> EtdSection::columns() const {
  std::vector<std::string> all = kinds;
  if (series.front().runs.front().accuracy(kCompositional)) all.emplace_back(kCompositional);
  return all;
}

const EtdSeries* EtdSection::loops(std::uint32_t passes) const {
  for (const EtdSeries& one : series)
    if (one.shape == looped_shape(cut, passes)) return &one;
  return nullptr;
}

std::vector<const EtdSeries*> EtdSection::adaptive() const {
  std::vector<const EtdSeries*> found;
  for (const EtdSeries& one : series)
    if (one.shape.block == Block::adaptive) found.push_back(&one);
  return found;
}

std::vector<const EtdSeries*> EtdSection::fixed() const {
  std::vector<const EtdSeries*> found;
  for (const EtdSeries& one : series)
    if (one.shape.block == Block::looped && has_cut(one.shape, cut)) found.push_back(&one);
  return found;
}

std::optional<EtdChange> EtdSection::change(const EtdSeries& changed,
                                            const std::string& kind) const {
  const EtdSeries* base = loops(1);
  if (!base) return std::nullopt;
  std::vector<double> before, after, differences;
  for (const EtdRun& run : changed.runs)
    for (const EtdRun& other : base->runs)
      if (run.end.seed == other.end.seed && run.accuracy(kind) && other.accuracy(kind)) {
        before.push_back(*other.accuracy(kind));
        after.push_back(*run.accuracy(kind));
        differences.push_back(after.back() - before.back());
      }
  if (differences.empty()) return std::nullopt;
  EtdChange change{*report::mean_of(before), *report::mean_of(after), *report::mean_of(differences),
                   std::nullopt};
  if (change.once.mean > 0) {
    change.relative = change.difference;
    change.relative->mean /= change.once.mean;
    if (change.relative->error) *change.relative->error /= change.once.mean;
  }
  return change;
}

EtdRuns etd_runs(const std::vector<RunRecord>& records) {
  std::vector<std::pair<std::string, Building>> found;
  for (const RunRecord& record : records) {
    if (!record.config.task.try_as<LinesConfig>()) continue;
    const ThinkShape shape = shape_of(record);
    if (!is_base(record) && shape.think == 0)
      refuse_config(record, "a block of layers that is passed again, model.repeated from 1 on");
    const std::string key = section_key(record, shape);
    auto at = std::ranges::find(found, key, &std::pair<std::string, Building>::first);
    if (at == found.end()) at = found.insert(found.end(), {key, {}});
    add_record(record, shape, at->second);
  }
  EtdRuns runs;
  for (auto& [key, building] : found) {
    EtdSection& section = building.section;
    for (EtdSeries& series : section.series)
      std::ranges::sort(series.runs, {}, [](const EtdRun& run) { return run.end.seed; });
    section.cut = chosen_cut(section.series);
    std::ranges::stable_sort(section.series, {}, [&](const EtdSeries& series) {
      return std::pair(!has_cut(series.shape, section.cut), order_of(series.shape));
    });
    (section.config.initial_weights.empty() ? runs.bases : runs.sections)
        .push_back(std::move(section));
  }
  return runs;
}

}  // namespace logdepth
