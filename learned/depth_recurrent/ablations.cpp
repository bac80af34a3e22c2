#include "learned/depth_recurrent/ablations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/phrases.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

/// Rows of the table of identities by which vertices know edges without the mask.
constexpr std::uint32_t kIdentities = 64;

/// The preset and what was changed about it, one change a run.
class Series {
 public:
  explicit Series(const RunConfig& preset) : preset_(preset), plan_{{"last", preset}} {}

  void add(const std::string& name, const std::function<void(RunConfig&)>& change) {
    plan_.push_back({name, preset_});
    change(plan_.back().config);
  }
  TrainingPlan plan() && { return std::move(plan_); }

 private:
  const RunConfig& preset_;
  TrainingPlan plan_;
};

void add_gates(Series& series) {
  series.add("gate-none", [](RunConfig& c) { c.model.gate = ModelConfig::Gate::none; });
  for (const auto& [name, bias] :
       {std::pair("gate-bias-minus-4", -4), {"gate-bias-0", 0}, {"gate-bias-plus-2", 2}})
    series.add(name, [bias = bias](RunConfig& c) { c.model.gate_bias = bias; });
}

void add_layer_scales(Series& series, const std::optional<double>& now) {
  using Value = std::optional<double>;
  for (const auto& [name, value] :
       {std::pair("none", Value()), {"1e-4", Value(1e-4)}, {"1e-2", Value(1e-2)}, {"1", Value(1)}})
    if (value != now)
      series.add(std::string("layer-scale-") + name,
                 [value = value](RunConfig& c) { c.model.layer_scale = value; });
}

void add_step_embeddings(Series& series) {
  using Kind = ModelConfig::StepEmbedding;
  for (const auto& [name, kind] : {std::pair("none", Kind::none),
                                   {"clamped", Kind::clamped},
                                   {"sinusoidal", Kind::sinusoidal}})
    series.add(std::string("step-embedding-") + name,
               [kind = kind](RunConfig& c) { c.model.step_embedding = kind; });
}

/// Without the mask vertices need identities, so there is a run of the mask with them as well.
void add_masks(Series& series, const RunConfig& preset) {
  if (!has_ablation(preset.task, RecurrentAblation::mask))
    throw InputError("--ablation mask: expected --task graphs, other tasks have no mask");
  for (const bool masked : {true, false})
    series.add(masked ? "mask-and-identities" : "mask-none", [masked](RunConfig& c) {
      auto& graphs = c.task.as<HopTaskConfig>();
      graphs.identities = kIdentities;
      graphs.masked = masked;
    });
}

void add_loops(Series& series, const LoopRule& rule) {
  for (const std::uint32_t loops : {rule.least, rule.most})
    series.add(fmt::format("loops-{}", loops), [loops](RunConfig& c) {
      c.model.loops = {LoopRule::Kind::fixed, loops, loops};
      c.model.trained_steps = loops;
    });
}

void add_untied(Series& series, std::uint32_t layers) {
  series.add(fmt::format("untied-{}", layers), [layers](RunConfig& c) {
    c.model.initial = layers;
    c.model.repeated = 0;
    c.model.loops = LoopRule();
    c.model.gate = ModelConfig::Gate::none;
    c.model.step_embedding = ModelConfig::StepEmbedding::none;
    c.task.as<DifficultySettings>().test_loops = {layers};
  });
}

/// What an ablation changes: settings, or groups of them.
std::vector<std::string> changed_settings(RecurrentAblation ablation) {
  switch (ablation) {
    case RecurrentAblation::supervision:
      return {"training.supervision"};
    case RecurrentAblation::gate:
      return {"model.gate", "model.gate_bias"};
    case RecurrentAblation::layer_scale:
      return {"model.layer_scale"};
    case RecurrentAblation::step_embedding:
      return {"model.step_embedding"};
    case RecurrentAblation::mask:
      return {"task.identities", "task.masked"};
    case RecurrentAblation::loops:
      return {"model.loops", "model.trained_steps"};
    case RecurrentAblation::untied:
      break;
  }
  return {"model.initial", "model.repeated",       "model.loops",
          "model.gate",    "model.step_embedding", "task.test_loops"};
}

bool changes(RecurrentAblation ablation, const std::string& setting) {
  return std::ranges::any_of(changed_settings(ablation), [&](const std::string& changed) {
    return setting == changed || setting.starts_with(changed + ".");
  });
}

bool is_untied(const std::vector<SettingDifference>& differences) {
  return std::ranges::any_of(differences, [](const SettingDifference& difference) {
    return difference.setting == "model.repeated";
  });
}

}  // namespace

const char* ablation_name(RecurrentAblation ablation) {
  switch (ablation) {
    case RecurrentAblation::supervision:
      return "supervision";
    case RecurrentAblation::gate:
      return "gate";
    case RecurrentAblation::layer_scale:
      return "layer-scale";
    case RecurrentAblation::step_embedding:
      return "step-embedding";
    case RecurrentAblation::mask:
      return "mask";
    case RecurrentAblation::loops:
      return "loops";
    case RecurrentAblation::untied:
      break;
  }
  return "untied";
}

bool has_ablation(const TaskConfig& task, RecurrentAblation ablation) {
  return ablation != RecurrentAblation::mask || task.try_as<HopTaskConfig>();
}

TrainingPlan ablation_runs(RecurrentAblation ablation, const RunConfig& preset) {
  Series series(preset);
  switch (ablation) {
    case RecurrentAblation::supervision:
      series.add("mean-steps", [](RunConfig& c) {
        c.training.supervision = TrainingConfig::Supervision::mean_steps;
      });
      break;
    case RecurrentAblation::gate:
      add_gates(series);
      break;
    case RecurrentAblation::layer_scale:
      add_layer_scales(series, preset.model.layer_scale);
      break;
    case RecurrentAblation::step_embedding:
      add_step_embeddings(series);
      break;
    case RecurrentAblation::mask:
      add_masks(series, preset);
      break;
    case RecurrentAblation::loops:
      add_loops(series, preset.model.loops);
      break;
    case RecurrentAblation::untied:
      add_untied(series, preset.model.loops.most);
      break;
  }
  return std::move(series).plan();
}

std::optional<std::vector<RecurrentAblation>> ablations_of(
    const std::vector<SettingDifference>& differences, SettingDifference* other) {
  std::vector<RecurrentAblation> found;
  if (is_untied(differences)) found.push_back(RecurrentAblation::untied);
  const auto add = [&](const SettingDifference& difference) {
    if (!found.empty() && found.front() == RecurrentAblation::untied &&
        changes(RecurrentAblation::untied, difference.setting))
      return true;
    for (const RecurrentAblation ablation : kRecurrentAblations) {
      if (ablation == RecurrentAblation::untied || !changes(ablation, difference.setting)) continue;
      if (std::ranges::find(found, ablation) == found.end()) found.push_back(ablation);
      return true;
    }
    return false;
  };
  for (const SettingDifference& difference : differences) {
    if (add(difference)) continue;
    if (other) *other = difference;
    return std::nullopt;
  }
  return found;
}

std::string ablation_label(const std::vector<SettingDifference>& differences) {
  std::vector<std::string> changed;
  for (const SettingDifference& difference : differences) {
    const std::string& setting = difference.setting;
    if (is_untied(differences) &&
        (setting.starts_with("model.loops") || setting == "task.test_loops"))
      continue;
    changed.push_back(setting + "=" + difference.value);
  }
  return joined(changed);
}

}  // namespace logdepth::inline learned_depth_recurrent
