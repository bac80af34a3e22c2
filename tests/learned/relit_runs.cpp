// The runs of ReLIT's experiment, and settings of its network that contradict each other.

#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "learned/records/task.hpp"
#include "learned/relit/presets.hpp"
#include "learned/relit/rule_text_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::relit_runs_tests {
namespace {

using Json = nlohmann::ordered_json;
using Set = RulesTaskConfig::Set;

TEST(RelitRuns, EveryMethodIsAValidRunOfItsName) {
  for (std::size_t i = 0; i < std::size(kRelitMethods); ++i)
    for (const bool paper_size : {false, true})
      for (const RuleWorld world : {RuleWorld::closed, RuleWorld::open}) {
        RunConfig config = relit_preset(Set::rules, world, paper_size);
        config.network->as<RelitSettings>().backbone = "a folder";
        const Json before = to_json(config);
        set_relit_method(config, static_cast<RelitMethod>(i));
        EXPECT_NO_THROW(validate(config)) << kRelitMethods[i];
        EXPECT_EQ(config.preset, kRelitMethods[i]);
        EXPECT_EQ(to_json(config)["network"] == before["network"], i == 0) << kRelitMethods[i];
        EXPECT_EQ(to_json(run_config_from_json(to_json(config), "test")), to_json(config));
      }
  RunConfig base = relit_base(Set::rules, RuleWorld::open, false);
  EXPECT_NO_THROW(validate(base));
  EXPECT_NO_THROW(base.task->make_task(1));
}

TEST(RelitRuns, StepsAreThoseOfTheEpochs) {
  RunConfig config = relit_preset(Set::rules, RuleWorld::closed, false);
  EXPECT_EQ(config.training.steps, 375u);  // 6 x 2000 / 32
  set_epochs(config, 0.001);
  EXPECT_EQ(config.training.steps, 1u);
  set_epochs(config, 1);
  EXPECT_EQ(config.training.steps, 63u);
}

std::string network_refusal(void (*change)(RunConfig&, RelitSettings&)) {
  RunConfig config = relit_preset(Set::rules, RuleWorld::closed, false);
  auto& network = config.network->as<RelitSettings>();
  network.backbone = "a folder";
  change(config, network);
  try {
    validate(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RelitSettings, RefuseWhatContradictsItselfOrTheTask) {
  EXPECT_EQ(network_refusal([](RunConfig&, RelitSettings&) {}), "accepted");
  EXPECT_EQ(network_refusal([](RunConfig&, RelitSettings& n) { n.backbone.clear(); }),
            "network.backbone: expected a language model, a GGUF file, a folder or a run");
  EXPECT_EQ(network_refusal([](RunConfig&, RelitSettings& n) { n.recursions = 0; }),
            "network.recursions: expected 1 to 1024, found 0");
  EXPECT_EQ(network_refusal([](RunConfig&, RelitSettings& n) { n.macro_steps = 4; }),
            "task.macro_steps: expected network.macro_steps = 4, found 3");
  EXPECT_EQ(
      network_refusal([](RunConfig&, RelitSettings& n) { n.replace = n.subtract_input = true; }),
      "network.subtract_input: expected with the residual refinement, which network.replace "
      "leaves out");
  EXPECT_EQ(network_refusal([](RunConfig&, RelitSettings& n) {
              n.adapters = 8;
              n.states = RelitSettings::States::random;
            }),
            "network.adapters: expected network.states last, the language model's own layers");
  EXPECT_EQ(
      network_refusal([](RunConfig&, RelitSettings& n) { n.probe = RelitSettings::Probe::linear; }),
      "network.probe: expected network.macro_steps 1 without network.halting, a probe has no "
      "steps");
  EXPECT_EQ(network_refusal([](RunConfig& c, RelitSettings&) { c.task = RuleTextConfig(); }),
            "task.kind: expected rules, which a network of the kind relit answers");
  EXPECT_EQ(network_refusal([](RunConfig& c, RelitSettings&) {
              c.training.supervision = TrainingConfig::Supervision::mean_steps;
            }),
            "training.supervision: expected last, macro steps have losses of their own");
  EXPECT_EQ(
      network_refusal([](RunConfig& c, RelitSettings&) { c.training.gradient_span = 1; }),
      "training.gradient_span: expected 0, network.through_time sets what the gradient passes");
  EXPECT_EQ(network_refusal([](RunConfig& c, RelitSettings&) { c.training.empty_discount = 0.5; }),
            "training.empty_discount: expected 0, no answer means \"not known yet\"");
}

}  // namespace
}  // namespace logdepth::relit_runs_tests
