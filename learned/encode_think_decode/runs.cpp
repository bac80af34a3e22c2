#include "learned/encode_think_decode/runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/number_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "learned/records/depth_reading.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::etd {
namespace {

using Json = nlohmann::ordered_json;
using Block = ThinkShape::Block;

// --- shapes --------------------------------------------------------------------------------------

[[noreturn]] void refuse_config(const RunRecord& record, const std::string& expected) {
  throw InputError(record_file(record) + ": config: expected " + expected);
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
                  fmt::format("a whole number from 0 to {}, the number of questions", asked));
  return static_cast<std::uint32_t>(right);
}

Score score_of(const RecordFields& fields, bool adaptive) {
  Score score;
  score.asked = fields.count("asked");
  score.right = right_of(fields, score.asked);
  if (!adaptive) return score;
  score.mean_loops = fields.number("mean_loops");
  if (*score.mean_loops < 1 || *score.mean_loops > kAdaptiveCap)
    fields.refuse("mean_loops", fmt::format("a number from 1 to {}", kAdaptiveCap));
  return score;
}

Run run_of(const RunRecord& record, bool adaptive) {
  const RecordFields result(record.result, record_file(record) + ": result");
  Run run{run_end(record)};
  if (result.text("kind") != record.config.task->kind())
    result.refuse("kind", record.config.task->kind());
  for (const Json& item : result.list("kinds")) {
    const RecordFields fields = result.entry("kinds", item);
    const std::string kind = fields.text("kind");
    const Score score = score_of(fields, adaptive);
    if (run.find(kind)) fields.refuse("kind", "every kind once");
    run.kinds.emplace_back(kind, score);
    Score sum;
    std::set<double> difficulties;
    for (const Json& entry : fields.list("difficulties")) {
      const RecordFields of(entry, record_file(record) + ": result.kinds.difficulties");
      const Score one = score_of(of, adaptive);
      if (!difficulties.insert(of.number("difficulty")).second)
        of.refuse("difficulty", "every difficulty once");
      sum.asked += one.asked;
      sum.right += one.right;
    }
    if (sum.asked != score.asked || sum.right != score.right)
      fields.refuse("difficulties",
                    "sums of questions and right answers equal to those of the kind");
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
std::optional<std::string> section_key(const RunRecord& record) {
  if (!record.config.task.try_as<LinesConfig>()) return std::nullopt;
  const ThinkShape shape = shape_of(record);
  if (!is_base(record) && shape.think == 0)
    refuse_config(record, "a block of layers that is passed again, model.repeated of at least 1");
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
  for (const SettingDifference& one :
       setting_differences(shared_settings(first.config), shared_settings(other.config)))
    throw InputError(fmt::format(
        "{}: config.{}: expected {} as in {}, found {}: shapes are compared on one base and the "
        "same training",
        record_file(other), one.setting, one.base, record_file(first), one.value));
}

auto order_of(const ThinkShape& shape) {
  return std::tuple(static_cast<int>(shape.block), shape.encoder + shape.decoder, shape.encoder,
                    shape.passes, static_cast<int>(shape.router));
}

bool has_cut(const ThinkShape& shape, const LayerCut& cut) {
  return shape.encoder == cut.encoder && shape.think == cut.think && shape.decoder == cut.decoder;
}

/// The cut with most numbers of passes, of several the one with most shapes at all, or the first.
LayerCut chosen_cut(const std::vector<Series>& series) {
  LayerCut best;
  std::pair<std::size_t, std::size_t> most;
  for (const Series& one : series) {
    const LayerCut cut{one.shape.encoder, one.shape.think, one.shape.decoder, false, false};
    std::pair<std::size_t, std::size_t> count;
    for (const Series& other : series)
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

std::vector<std::string> kinds_of(const Run& run) {
  std::vector<std::string> names;
  for (const auto& [kind, score] : run.kinds) names.push_back(kind);
  return names;
}

Section section_of(const RecordSection& found) {
  const RunRecord* first = found.groups.front().records.front();
  for (const RecordGroup& group : found.groups)  // they stand in one list
    first = std::min(first, std::ranges::min(group.records));
  Section section{first->config, {}, {}, {}};
  section.kinds = kinds_of(run_of(*first, shape_of(*first).block == Block::adaptive));
  for (const RecordGroup& group : found.groups) {
    const ThinkShape shape = shape_of(*group.records.front());
    auto series = std::ranges::find(section.series, shape, &Series::shape);
    if (series == section.series.end())
      series = section.series.insert(
          series, Series{{group.records.front()->config, group.settings, {}, {}}, shape});
    for (const RunRecord* record : group.records) {
      if (!section.is_base()) expect_same_settings(*first, *record);
      series->runs.push_back(run_of(*record, shape.block == Block::adaptive));
      if (!std::ranges::is_permutation(kinds_of(series->runs.back()), section.kinds))
        throw InputError(fmt::format("{}: result.kinds: expected those of {}", record_file(*record),
                                     record_file(*first)));
    }
    std::ranges::stable_sort(series->runs, {}, [](const Run& run) { return run.end.seed; });
  }
  section.cut = chosen_cut(section.series);
  std::ranges::stable_sort(section.series, {}, [&](const Series& series) {
    return std::pair(!has_cut(series.shape, section.cut), order_of(series.shape));
  });
  return section;
}

std::vector<const Series*> series_where(const Section& section, auto holds) {
  std::vector<const Series*> found;
  for (const Series& one : section.series)
    if (holds(one.shape)) found.push_back(&one);
  return found;
}

}  // namespace

const Score* Run::find(const std::string& kind) const {
  const auto found = std::ranges::find(kinds, kind, &std::pair<std::string, Score>::first);
  return found == kinds.end() ? nullptr : &found->second;
}

std::optional<double> Run::accuracy(const std::string& kind) const {
  Score sum;
  for (const std::string& part : kind == kCompositional
                                     ? std::vector<std::string>{"multi-hop", "arithmetic"}
                                     : std::vector{kind}) {
    const Score* const score = find(part);
    if (!score) return std::nullopt;
    sum.asked += score->asked;
    sum.right += score->right;
  }
  return static_cast<double>(sum.right) / sum.asked;
}

std::optional<double> Run::loops(const std::string& kind) const {
  if (kind != kCompositional) return find(kind) ? find(kind)->mean_loops : std::nullopt;
  const auto hops = loops("multi-hop"), terms = loops("arithmetic");
  return hops && terms ? std::optional((*hops + *terms) / 2) : std::nullopt;
}

std::optional<report::Mean> Series::accuracy(const std::string& kind) const {
  return mean([&](const Run& run) { return run.accuracy(kind); });
}

std::optional<report::Mean> Series::loops(const std::string& kind) const {
  return mean([&](const Run& run) { return run.loops(kind); });
}

std::string Series::passes() const {
  const std::uint32_t around = shape.encoder + shape.decoder;
  if (shape.block != Block::adaptive) return std::to_string(around + shape.think * shape.passes);
  double loops = 0, kinds = 0;
  for (const Run& run : runs)
    for (const auto& [kind, score] : run.kinds) {
      loops += *score.mean_loops;
      ++kinds;
    }
  return fixed_text(around + shape.think * loops / kinds, 1);
}

std::string Section::title() const {
  const auto& task = config.task.as<LinesConfig>();
  const std::string lines =
      task.text.empty() ? "the own corpus" : std::filesystem::path(task.text).filename().string();
  return fmt::format("{}, {} layers of width {}, {} steps", lines, series.front().shape.layers(),
                     config.model.width, config.training.steps);
}

std::vector<std::string> Section::columns() const {
  std::vector<std::string> all = kinds;
  if (series.front().runs.front().accuracy(kCompositional)) all.emplace_back(kCompositional);
  return all;
}

const Series* Section::loops(std::uint32_t passes) const {
  for (const Series& one : series)
    if (one.shape == looped_shape(cut, passes)) return &one;
  return nullptr;
}

std::vector<const Series*> Section::adaptive() const {
  return series_where(*this, [](const ThinkShape& one) { return one.block == Block::adaptive; });
}

std::vector<const Series*> Section::fixed() const {
  return series_where(*this, [&](const ThinkShape& one) {
    return one.block == Block::looped && has_cut(one, cut);
  });
}

std::optional<Change> Section::change(const Series& changed, const std::string& kind) const {
  const Series* base = loops(1);
  if (!base) return std::nullopt;
  std::vector<double> before, after, differences;
  for (const Run& run : changed.runs)
    for (const Run& other : base->runs)
      if (run.end.seed == other.end.seed && run.accuracy(kind) && other.accuracy(kind)) {
        before.push_back(*other.accuracy(kind));
        after.push_back(*run.accuracy(kind));
        differences.push_back(after.back() - before.back());
      }
  if (differences.empty()) return std::nullopt;
  Change change{*report::mean_of(before), *report::mean_of(after), *report::mean_of(differences),
                std::nullopt};
  if (change.once.mean > 0) {
    change.relative = change.difference;
    change.relative->mean /= change.once.mean;
    if (change.relative->error) *change.relative->error /= change.once.mean;
  }
  return change;
}

Runs runs_of(const std::vector<RunRecord>& records) {
  Runs runs;
  for (const RecordSection& found : run_table(records, {section_key})) {
    Section section = section_of(found);
    (section.is_base() ? runs.bases : runs.sections).push_back(std::move(section));
  }
  return runs;
}

}  // namespace logdepth::etd
