#include "learned/relit/relit_settings.hpp"

#include <fmt/core.h>

#include "learned/records/training_config.hpp"
#include "learned/relit/rules_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

void require_range(const char* setting, std::uint32_t value, std::uint32_t least,
                   std::uint32_t most) {
  require(value >= least && value <= most,
          fmt::format("network.{}: expected {} to {}, found {}", setting, least, most, value));
}

}  // namespace

std::unique_ptr<NetworkSettings> RelitSettings::clone() const {
  return std::make_unique<RelitSettings>(*this);
}

void RelitSettings::visit(SettingVisitor& visit) {
  visit.file("backbone", backbone);
  visit("states", states, {"last", "embedding", "random"});
  visit("states_folder", states_folder);
  visit("state_batch", state_batch);
  visit("macro_steps", macro_steps);
  visit("recursions", recursions);
  visit("latent_steps", latent_steps);
  visit("layers", layers);
  visit("heads", heads);
  visit("hidden", hidden);
  visit("z_start", z_start, {"gaussian", "zero", "from-x"});
  visit("update_y", update_y, {"linear", "block"});
  visit("y_every_latent", y_every_latent);
  visit("subtract_input", subtract_input);
  visit("replace", replace);
  visit("through_time", through_time);
  visit("deep_supervision", deep_supervision);
  visit("halting", halting);
  visit("halting_weight", halting_weight);
  visit("least_steps", least_steps);
  visit("loss_epsilon", loss_epsilon);
  visit("head", head, {"frozen", "trainable"});
  visit("adapters", adapters);
  visit("cross_attention", cross_attention);
  visit("probe", probe, {"none", "linear"});
}

void RelitSettings::validate(const RunConfig& config) const {
  require(!backbone.empty(),
          "network.backbone: expected a language model, a GGUF file, a folder or a run");
  require_range("state_batch", state_batch, 1, 4096);
  require_range("macro_steps", macro_steps, 1, 1024);
  require_range("recursions", recursions, 1, 1024);
  require_range("latent_steps", latent_steps, 1, 1024);
  require_range("layers", layers, 1, 64);
  require_range("heads", heads, 1, 256);
  require_range("hidden", hidden, 0, 65536);
  require_range("least_steps", least_steps, 1, 1024);
  require_range("adapters", adapters, 0, 1024);
  require(halting_weight >= 0, "network.halting_weight: expected at least 0");
  require(loss_epsilon >= 0 && loss_epsilon < 1,
          "network.loss_epsilon: expected at least 0, below 1");
  require(!replace || !subtract_input,
          "network.subtract_input: expected with the residual refinement, which network.replace "
          "leaves out");
  require(adapters == 0 || states == States::last,
          "network.adapters: expected network.states last, the language model's own layers");
  require(probe == Probe::none || (macro_steps == 1 && !halting),
          "network.probe: expected network.macro_steps 1 without network.halting, a probe has "
          "no steps");
  const auto* task = config.task.try_as<RulesTaskConfig>();
  require(task != nullptr, "task.kind: expected rules, which a network of the kind relit answers");
  require(task->macro_steps == macro_steps,
          fmt::format("task.macro_steps: expected network.macro_steps = {}, found {}", macro_steps,
                      task->macro_steps));
  require(config.training.supervision == TrainingConfig::Supervision::last,
          "training.supervision: expected last, macro steps have losses of their own");
  require(config.training.gradient_span == 0,
          "training.gradient_span: expected 0, network.through_time sets what the gradient passes");
  require(config.training.empty_discount == 0,
          "training.empty_discount: expected 0, no answer means \"not known yet\"");
}

}  // namespace logdepth::inline learned_relit
