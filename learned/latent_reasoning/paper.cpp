#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "learned/latent_reasoning/latent_tasks.hpp"
#include "learned/papers.hpp"
#include "learned/report/criteria.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_latent_reasoning {
namespace {

/// The six methods of the paper's table 1, by the names of their presets.
enum class Kind { feed_forward, recurrent, chain_of_thought, continuous, discrete, corrected };
constexpr std::initializer_list<const char*> kPresets = {
    "feed-forward", "recurrent", "chain-of-thought", "continuous", "discrete", "corrected"};

class LatentReasoningExperiment final : public Experiment {
 public:
  const char* name() const override { return "latent-reasoning"; }
  const char* help() const override {
    return "train transformers on modular arithmetic in computation graphs: end to end, with "
           "chains of thought, or with supervised latent states\nExample: logdepth train "
           "latent-reasoning --method continuous,discrete --out runs/latent";
  }

  void add_options(ExperimentOptions& add) override {
    add("--method",
        "training method: feed-forward or recurrent (end to end), chain-of-thought, continuous "
        "(supervised states), discrete (discretised states), corrected (trained on states with "
        "errors)",
        methods_, kPresets);
    add("--no-oracle",
        "train the continuous method without depths: one target after every iteration, with a "
        "loss that discounts \"not known yet\"",
        no_oracle_);
    add("--paper-size",
        "use the published sizes: 23 values, 128 names, up to 32 nodes, published shapes",
        paper_size_);
  }

  TrainingPlan runs() const override {
    if (no_oracle_ && std::ranges::find(methods_, Kind::continuous) == methods_.end())
      throw InputError("--no-oracle: expected the method continuous, whose loss it changes");
    TrainingPlan plan;
    for (const Kind method : methods_) {
      std::string name = kPresets.begin()[static_cast<std::size_t>(method)], run = name;
      if (method == Kind::chain_of_thought) run += "-eq-val";  // what a thought says of a node
      if (method == Kind::continuous && no_oracle_) {
        name = "no-oracle";
        run = "no-oracle-0.5";  // alpha of its loss
      }
      plan.push_back({run, preset("latent_reasoning", name + (paper_size_ ? " paper-size" : ""))});
    }
    return plan;
  }

 private:
  std::vector<Kind> methods_ = {Kind::discrete};
  bool no_oracle_ = false, paper_size_ = false;
};

}  // namespace

Paper latent_reasoning_paper() {
  return {{LatentStepsConfig(), LatentValuesConfig(), LatentWordsConfig()},
          {make_experiment<LatentReasoningExperiment>}};
}

}}  // namespace logdepth::learned_latent_reasoning
