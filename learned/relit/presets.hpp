#pragma once

#include <cstdint>

#include "learned/records/training_config.hpp"
#include "learned/relit/relit_settings.hpp"
#include "learned/relit/rules_task.hpp"

namespace logdepth::inline learned_relit {

/// ReLIT, what it is compared with, and what is left out of it or put in its place.
enum class RelitMethod {
  relit,
  linear_probe,         ///< a linear map of the states
  one_pass,             ///< the same block once: one macro step, recursion and latent step
  through_time,         ///< the gradient passes everything
  replace,              ///< z replaced instead of refined
  no_deep_supervision,  ///< a loss after the last macro step only
  trainable_head,
  no_halting,
  adapters,        ///< of rank 8, in the language model
  cross_attention  ///< to the states of the prompt, in every latent step
};
inline constexpr const char* kRelitMethods[] = {
    "relit",    "linear-probe",        "one-pass",       "through-time",
    "replace",  "no-deep-supervision", "trainable-head", "no-halting",
    "adapters", "cross-attention"};

/// Changes what the method changes, and config.preset, which is its name.
void set_relit_method(RunConfig& config, RelitMethod method);

/// ReLIT on a set of prompts; without a backbone, which the caller says. `paper_size`: sizes, batch
/// and rate of the published run that the set stands for (rules in a closed world: RuleTaker, in an
/// open one: ProofWriter; pairs of sentences: HELP), else for a CPU. Steps are those of `epochs`.
RunConfig relit_preset(RulesTaskConfig::Set set, RuleWorld world, bool paper_size);
/// Sets the training steps to so many epochs of the task's samples.
void set_epochs(RunConfig& config, double epochs);
inline constexpr double kRelitEpochs = 6;

/// A language model in the manner of Llama, pre-trained on statements (rule_text_task.hpp):
/// `paper_size`: width 512 and 8 layers, else width 96 and 4.
RunConfig relit_base(RulesTaskConfig::Set set, RuleWorld world, bool paper_size);

}  // namespace logdepth::inline learned_relit
