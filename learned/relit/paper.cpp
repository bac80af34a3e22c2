#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/papers.hpp"
#include "learned/relit/presets.hpp"
#include "learned/relit/recursion_probe.hpp"
#include "learned/relit/relit_settings.hpp"
#include "learned/relit/report.hpp"
#include "learned/relit/rule_text_task.hpp"
#include "learned/relit/rules_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

class RelitExperiment final : public Experiment {
 public:
  const char* name() const override { return "relit"; }
  const char* help() const override {
    return "train a recursive block on the states of a frozen language model (ReLIT), on questions "
           "about facts and rules; with --pretrain, a small language model\nExample: logdepth "
           "train relit --backbone runs/relit/base/seed-1 --out runs/relit";
  }

  void visit(OptionVisitor& visit) override {
    visit("--pretrain", "train the language model, on statements without questions", pretrain_);
    visit("--backbone",
          "frozen language model: a GGUF file, a model folder, or the folder of a run", backbone_);
    visit("--states",
          "states of the language model to read: last (last layer), embedding (before the layers), "
          "random (with random weights)",
          states_, {"last", "embedding", "random"});
    visit("--method",
          "training method: relit, a baseline (linear-probe, one-pass), or relit with one part "
          "changed",
          methods_,
          {"relit", "linear-probe", "one-pass", "through-time", "replace", "no-deep-supervision",
           "trainable-head", "no-halting", "adapters", "cross-attention"});
    visit("--prompts",
          "prompts: rules (facts and rules), nli (pairs of sentences), file (of --questions)",
          prompts_, {"rules", "nli", "file"});
    visit("--questions", "file of JSON lines with question and answer; the answer is one token",
          questions_);
    visit("--world",
          "world of the rules: statements that do not follow are false (closed) or unknown (open)",
          world_, {"closed", "open"});
    visit("--negation",
          "place of \"not\": none, facts, rules (both); preset: rules in an open world, else facts",
          negation_, {"preset", "none", "facts", "rules"});
    visit("--depths", "proof depths", depths_, {0, kDeepestProof});
    visit("--training-samples", "numbers of training samples, one run per number",
          training_samples_, {1, 10'000'000});
    visit("--test-samples", "number of test samples", test_samples_, {1, 1'000'000});
    visit.above_zero("--epochs",
                     "epochs over the training samples, unless --steps is given (default: 6)",
                     epochs_);
    visit("--macro-steps", "largest number of losses per batch, each with an optimiser step",
          macro_steps_, {1, 1024});
    visit("--recursions", "recursions per macro step, the last with gradient", recursions_,
          {1, 1024});
    visit("--latent-steps", "latent steps per recursion", latent_steps_, {1, 1024});
    visit("--block-layers", "layers of the recursive block", layers_, {1, 64});
    visit("--paper-size",
          "use the published sizes, batch and learning rate, and pretrain a larger model",
          paper_size_);
  }

  TrainingPlan runs() const override {
    require(pretrain_ == backbone_.empty(),
            "expected either --backbone, a language model, or --pretrain to train one");
    require(
        !pretrain_ || !of_the_block(),
        "--pretrain: expected no options of the block, its states, samples and epochs; it trains "
        "the language model that they need");
    require((prompts_ == Prompts::file) == !questions_.empty(),
            "--questions: expected a file exactly with --prompts file");
    require(prompts_ == Prompts::rules || (negation_ == NegationChoice::preset && depths_.empty() &&
                                           world_ == RuleWorld::closed),
            "--world, --negation, --depths: expected --prompts rules, whose theories they are of");
    require(
        recurs() || !(macro_steps_ || recursions_ || latent_steps_),
        "--macro-steps, --recursions, --latent-steps: expected a --method that recurs, not only "
        "linear-probe and one-pass");
    if (pretrain_) return {{"base", base()}};
    TrainingPlan plan;
    for (const RelitMethod method : methods_)
      for (const RelitSettings::States states : states_)
        for (const std::uint32_t samples : samples_of_runs())
          plan.push_back({name_of(method, states, samples), config_of(method, states, samples)});
    return plan;
  }

 private:
  using Prompts = RulesTaskConfig::Set;
  using States = RelitSettings::States;
  /// `preset` leaves it as it is.
  enum class NegationChoice { preset, none, facts, rules };

  /// Whether something is said that the language model itself has not.
  bool of_the_block() const {
    return methods_ != std::vector{RelitMethod::relit} || states_ != std::vector{States::last} ||
           !training_samples_.empty() || test_samples_ || epochs_ || macro_steps_ || recursions_ ||
           latent_steps_ || layers_;
  }

  bool recurs() const {
    return std::ranges::any_of(methods_, [](RelitMethod method) {
      return method != RelitMethod::linear_probe && method != RelitMethod::one_pass;
    });
  }

  RunConfig base() const {
    require(prompts_ != Prompts::file,
            "--prompts: expected rules or nli with --pretrain, whose texts are generated");
    RunConfig config = relit_base(prompts_, world_, paper_size_);
    auto& task = config.task.as<RuleTextConfig>();
    set_negation(task.rules);
    if (!depths_.empty()) task.depths = sorted_depths();
    return config;
  }

  void set_negation(RuleSettings& rules) const {
    if (negation_ != NegationChoice::preset)
      rules.negation = static_cast<RuleSettings::Negation>(static_cast<int>(negation_) - 1);
  }

  std::vector<std::uint32_t> samples_of_runs() const {
    if (!training_samples_.empty()) return training_samples_;
    return {
        relit_preset(prompts_, world_, paper_size_).task.as<RulesTaskConfig>().training_samples};
  }

  std::vector<std::uint32_t> sorted_depths() const {
    std::vector<std::uint32_t> depths = depths_;
    std::sort(depths.begin(), depths.end());
    return depths;
  }

  RunConfig config_of(RelitMethod method, States states, std::uint32_t samples) const {
    RunConfig config = relit_preset(prompts_, world_, paper_size_);
    auto& task = config.task.as<RulesTaskConfig>();
    auto& network = config.network->as<RelitSettings>();
    task.questions = questions_;
    task.tokens = backbone_;
    set_negation(task.rules);
    if (!depths_.empty()) task.depths = sorted_depths();
    task.training_samples = samples;
    if (test_samples_) task.test_samples = *test_samples_;
    network.backbone = backbone_;
    network.states = states;
    if (macro_steps_) task.macro_steps = network.macro_steps = *macro_steps_;
    if (recursions_) network.recursions = *recursions_;
    if (latent_steps_) network.latent_steps = *latent_steps_;
    if (layers_) network.layers = *layers_;
    set_epochs(config, epochs_.value_or(kRelitEpochs));
    set_relit_method(config, method);
    return config;
  }

  /// "relit", "relit-embedding", "relit-last-200" where there are several numbers of samples.
  std::string name_of(RelitMethod method, States states, std::uint32_t samples) const {
    constexpr const char* kStates[] = {"last", "embedding", "random"};
    std::string name = kRelitMethods[static_cast<std::size_t>(method)];
    if (states != States::last)
      name += std::string("-") + kStates[static_cast<std::size_t>(states)];
    if (training_samples_.size() > 1) name += fmt::format("-{}", samples);
    return name;
  }

  bool pretrain_ = false;
  std::string backbone_, questions_;
  std::vector<States> states_ = {States::last};
  std::vector<RelitMethod> methods_ = {RelitMethod::relit};
  Prompts prompts_ = Prompts::rules;
  RuleWorld world_ = RuleWorld::closed;
  NegationChoice negation_ = NegationChoice::preset;
  std::vector<std::uint32_t> depths_, training_samples_;
  std::optional<std::uint32_t> test_samples_, macro_steps_, recursions_, latent_steps_, layers_;
  std::optional<double> epochs_;
  bool paper_size_ = false;
};

}  // namespace

Paper relit_paper() {
  Paper paper;
  paper.tasks = {RulesTaskConfig(), RuleTextConfig()};
  paper.networks = {RelitSettings()};
  paper.experiments = {make_experiment<RelitExperiment>};
  paper.reports = {
      {"relit",
       "report on recursive blocks on frozen language models: accuracy by proof depth and macro "
       "step, halting, content of the frozen states, ablations, criteria RL-4 to RL-6 next to the "
       "published values\nExample: logdepth report relit runs --out relit",
       of_records<relit::make_report>}};
  paper.probes = {
      {"relit",
       "with --probe: whether the states of one trained block converge, and whether the language "
       "model is unchanged\nExample: logdepth report relit --probe runs/relit/seed-1",
       recursion_probe_markdown, recursion_probe_svg}};
  return paper;
}

}  // namespace logdepth::inline learned_relit
