#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/latent_reasoning/circuit_probes.hpp"
#include "learned/latent_reasoning/constructed_graphs.hpp"
#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/latent_values_task.hpp"
#include "learned/latent_reasoning/latent_words_task.hpp"
#include "learned/latent_reasoning/presets.hpp"
#include "learned/latent_reasoning/report.hpp"
#include "learned/papers.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

/// Positions of a model; `preset` leaves them as they are.
enum class PositionsChoice { preset, none, absolute, rotary, relative, deberta };
constexpr const char* kPositionWords[] = {"preset", "none",     "absolute",
                                          "rotary", "relative", "deberta"};

class LatentReasoningExperiment final : public Experiment {
 public:
  const char* name() const override { return "latent-reasoning"; }
  const char* help() const override {
    return "train transformers on modular arithmetic in computation graphs: end to end, with "
           "chains of thought, or with supervised latent states\nExample: logdepth train "
           "latent-reasoning --method continuous,discrete --out runs/latent";
  }

  void visit(OptionVisitor& visit) override {
    visit("--method",
          "training method: feed-forward or recurrent (end to end), chain-of-thought, continuous "
          "(supervised states), discrete (discretised states), corrected (trained on states with "
          "errors)",
          methods_,
          {"feed-forward", "recurrent", "chain-of-thought", "continuous", "discrete", "corrected"});
    visit("--positions", "position encoding; preset: as published for the method", positions_,
          {"preset", "none", "absolute", "rotary", "relative", "deberta"});
    visit("--format",
          "chain of thought: values (val), with equations (eq-val, the default), with values of "
          "operands (eq-op-val)",
          formats_, {"val", "eq-val", "eq-op-val"});
    visit("--no-oracle",
          "train the continuous method without depths: one target after every iteration, with a "
          "loss that discounts \"not known yet\"",
          no_oracle_);
    visit.above_zero("--discount", "alpha of the --no-oracle loss, below 1 (default: 0.5)",
                     discount_);
    visit("--supervised", "tokens at which values are written: all-occurrences or definition-only",
          supervised_, {"all-occurrences", "definition-only"});
    visit("--generator",
          "generator of training graphs: uniform, or deep (operands among recent nodes)",
          generator_, {"uniform", "deep"});
    visit("--operations", "operations: add, or all of + - x", operations_,
          {"preset", "add", "all"});
    visit("--operands", "largest number of operands per node", operands_, {1, 3});
    visit("--modulus", "prime modulus", modulus_, {2, 997});
    visit("--names", "number of variables", names_, {3, 4096});
    visit("--nodes", "largest number of nodes of a training graph", nodes_, {3, 4096});
    visit("--test-nodes", "numbers of nodes of the test graphs", test_nodes_, {3, 4096});
    visit("--test-deep-nodes", "numbers of nodes of the test graphs from the generator deep",
          test_deep_nodes_, {3, 4096});
    visit("--paper-size",
          "use the published sizes: 23 values, 128 names, up to 32 nodes, published shapes",
          paper_size_);
  }

  TrainingPlan runs() const override {
    const auto among = [&](LatentMethod method) {
      return std::find(methods_.begin(), methods_.end(), method) != methods_.end();
    };
    if (no_oracle_ && !among(LatentMethod::continuous))
      throw InputError("--no-oracle: expected the method continuous, whose loss it changes");
    if (discount_ && !no_oracle_)
      throw InputError("--discount: expected --no-oracle, whose loss it is a part of");
    if (discount_ && *discount_ >= 1)
      throw InputError(fmt::format("--discount: expected a number below 1, found {}", *discount_));
    if (!formats_.empty() && !among(LatentMethod::chain_of_thought))
      throw InputError("--format: expected the method chain-of-thought, others write no thoughts");
    TrainingPlan plan;
    for (const LatentMethod method : methods_) {
      if (method == LatentMethod::chain_of_thought) {
        for (const ThoughtFormat format :
             formats_.empty() ? std::vector{ThoughtFormat::eq_val} : formats_) {
          RunConfig config = latent_reasoning(method, paper_size_);
          config.task.as<LatentWordsConfig>().format = format;
          add(plan, config.preset + "-" + thought_format_name(format), config);
        }
      } else if (method == LatentMethod::continuous && no_oracle_) {
        const double discount = discount_.value_or(0.5);
        const RunConfig config = latent_without_oracle(paper_size_, discount);
        add(plan, fmt::format("{}-{}", config.preset, discount), config);
      } else {
        const RunConfig config = latent_reasoning(method, paper_size_);
        add(plan, config.preset, config);
      }
    }
    return plan;
  }

 private:
  /// Of `--operations`; `preset` leaves them as they are.
  enum class OperationsChoice { preset, add, all };

  /// Adds a run for every choice of positions.
  void add(TrainingPlan& plan, const std::string& name, RunConfig config) const {
    GraphTaskSettings& task = config.task.as<GraphTaskSettings>();
    set_graphs(task);
    // Absolute positions need a row for each token of the longest text: a question, and a thought
    // that repeats it twice at most.
    const std::uint32_t nodes = task.graphs.names;
    config.model.position_rows = 3 * nodes * longest_equation(task.graphs) + 2;
    for (const PositionsChoice choice : positions_) {
      std::string full_name = name;
      if (choice != PositionsChoice::preset) {
        config.model.positions = static_cast<ModelConfig::Positions>(static_cast<int>(choice) - 1);
        full_name += std::string("-") + kPositionWords[static_cast<int>(choice)];
      }
      plan.push_back({full_name, config});
    }
  }

  void set_graphs(GraphTaskSettings& task) const {
    GraphShape& shape = task.graphs;
    shape.generator = generator_;
    if (operations_ != OperationsChoice::preset)
      shape.operations = operations_ == OperationsChoice::add ? GraphShape::Operations::add
                                                              : GraphShape::Operations::all;
    if (operands_) shape.operand_weights.assign(*operands_, 1);
    if (modulus_) shape.modulus = *modulus_;
    if (names_) shape.names = *names_;
    if (nodes_) task.most_nodes = *nodes_;
    if (!test_nodes_.empty()) task.test_nodes = test_nodes_;
    if (!test_deep_nodes_.empty()) task.test_deep_nodes = test_deep_nodes_;
    if (auto* steps = dynamic_cast<LatentStepsConfig*>(&task)) steps->supervised = supervised_;
    if (auto* values = dynamic_cast<LatentValuesConfig*>(&task)) values->supervised = supervised_;
  }

  std::vector<LatentMethod> methods_ = {LatentMethod::discrete};
  std::vector<PositionsChoice> positions_ = {PositionsChoice::preset};
  std::vector<ThoughtFormat> formats_;
  bool no_oracle_ = false;
  std::optional<double> discount_;
  ValueSupervision supervised_ = ValueSupervision::all_occurrences;
  GraphShape::Generator generator_ = GraphShape::Generator::uniform;
  OperationsChoice operations_ = OperationsChoice::preset;
  std::optional<std::uint32_t> operands_, modulus_, names_, nodes_;
  std::vector<std::uint32_t> test_nodes_, test_deep_nodes_;
  bool paper_size_ = false;
};

}  // namespace

Paper latent_reasoning_paper() {
  Paper paper;
  paper.tasks = {LatentStepsConfig(), LatentValuesConfig(), LatentWordsConfig()};
  paper.experiments = {make_experiment<LatentReasoningExperiment>};
  paper.probes = {
      {"latent-reasoning",
       "with --probe: the circuits of one model trained with --method discrete or corrected (what "
       "its heads copy, the frequencies of its addition, the causes of its errors)\nExample: "
       "logdepth report latent-reasoning --probe runs/discrete/seed-1",
       circuit_probes_markdown, circuit_probes_svg}};
  paper.reports = {
      {"latent-reasoning",
       "report on transformers trained on computation graphs: fraction fully solved by size and "
       "depth, iterations, recovery from errors, criteria LO-3 to LO-6 next to the published "
       "values\nExample: logdepth report latent-reasoning runs --out latent",
       of_records<latent::make_report>, with_constructed_graphs}};
  return paper;
}

}  // namespace logdepth::inline learned_latent_reasoning
