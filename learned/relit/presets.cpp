#include "learned/relit/presets.hpp"

#include <algorithm>
#include <cmath>

#include "learned/relit/rule_text_task.hpp"

namespace logdepth::inline learned_relit {
namespace {

/// A row of the paper's appendix A. Test samples are even numbers there too.
struct PublishedSize {
  std::uint32_t macro_steps, heads, layers, batch;
  double learning_rate;
  std::uint32_t training_samples, test_samples;
};
constexpr PublishedSize kHelp = {8, 16, 4, 16, 8e-5, 800, 200};
constexpr PublishedSize kRuleTaker = {6, 16, 4, 128, 1e-4, 5000, 3000};
constexpr PublishedSize kProofWriter = {3, 8, 1, 256, 2e-5, 5000, 3000};

}  // namespace

void set_relit_method(RunConfig& config, RelitMethod method) {
  config.preset = kRelitMethods[static_cast<std::size_t>(method)];
  auto& network = config.network->as<RelitSettings>();
  switch (method) {
    case RelitMethod::relit:
      break;
    case RelitMethod::linear_probe:
      network.probe = RelitSettings::Probe::linear;
      [[fallthrough]];
    case RelitMethod::one_pass:
      network.macro_steps = network.recursions = network.latent_steps = 1;
      network.halting = false;
      config.task.as<RulesTaskConfig>().macro_steps = 1;
      break;
    case RelitMethod::through_time:
      network.through_time = true;
      break;
    case RelitMethod::replace:
      network.replace = true;
      break;
    case RelitMethod::no_deep_supervision:
      network.deep_supervision = false;
      break;
    case RelitMethod::trainable_head:
      network.head = RelitSettings::Head::trainable;
      break;
    case RelitMethod::no_halting:
      network.halting = false;
      break;
    case RelitMethod::adapters:
      network.adapters = 8;
      break;
    case RelitMethod::cross_attention:
      network.cross_attention = true;
      break;
  }
}

RunConfig relit_preset(RulesTaskConfig::Set set, RuleWorld world, bool paper_size) {
  RunConfig config;
  RulesTaskConfig task;
  RelitSettings network;
  TrainingConfig& training = config.training;
  task.set = set;
  task.rules = rule_settings(world);
  training.learning_rate = 5e-4;
  training.warm_up = 20;
  training.beta2 = 0.95;
  if (set == RulesTaskConfig::Set::nli) {
    task.training_samples = 800;
    task.test_samples = 300;
  }
  if (paper_size) {
    const PublishedSize& size = set == RulesTaskConfig::Set::nli ? kHelp
                                : world == RuleWorld::open       ? kProofWriter
                                                                 : kRuleTaker;
    task.depths = {0, 1, 2, 3, 4, 5};
    task.training_samples = size.training_samples;
    task.test_samples = size.test_samples;
    task.batch = size.batch;
    network.macro_steps = size.macro_steps;
    network.recursions = network.latent_steps = 3;
    network.layers = size.layers;
    network.heads = size.heads;
    training.learning_rate = size.learning_rate;
  }
  task.macro_steps = network.macro_steps;
  config.task = task;
  config.network = network;
  set_epochs(config, kRelitEpochs);
  set_relit_method(config, RelitMethod::relit);
  return config;
}

void set_epochs(RunConfig& config, double epochs) {
  const auto& task = config.task.as<RulesTaskConfig>();
  const double steps = std::ceil(epochs * task.training_samples / task.batch);
  config.training.steps = static_cast<std::uint64_t>(std::max(1.0, steps));
  config.training.curve_first = std::max<std::uint64_t>(1, config.training.steps / 8);
}

RunConfig relit_base(RulesTaskConfig::Set set, RuleWorld world, bool paper_size) {
  RunConfig config;
  config.preset = "relit-base";
  RuleTextConfig task;
  task.set =
      set == RulesTaskConfig::Set::nli ? RuleTextConfig::Set::nli : RuleTextConfig::Set::rules;
  task.rules = rule_settings(world);
  if (paper_size) task.depths = {0, 1, 2, 3, 4, 5};
  config.task = task;
  ModelConfig& model = config.model;
  model.initial = paper_size ? 8 : 4;
  model.repeated = 0;
  model.width = paper_size ? 512 : 96;
  model.heads = paper_size ? 8 : 4;
  model.hidden = paper_size ? 1408 : 256;
  model.norm = ModelConfig::NormKind::rmsnorm;
  model.activation = ModelConfig::Activation::swiglu;
  model.bias = false;
  model.readout_bias = false;
  model.positions = ModelConfig::Positions::rotary;
  TrainingConfig& training = config.training;
  training.steps = paper_size ? 3000 : 1200;
  training.learning_rate = paper_size ? 6e-4 : 2e-3;
  training.beta2 = 0.95;
  if (!paper_size) training.curve_first = 150;
  return config;
}

}  // namespace logdepth::inline learned_relit
