#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "learned/depth_recurrent/ablations.hpp"
#include "learned/depth_recurrent/depth_recurrent_report.hpp"
#include "learned/depth_recurrent/expression_task.hpp"
#include "learned/depth_recurrent/family_task.hpp"
#include "learned/depth_recurrent/hop_graphs.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/depth_recurrent/presets.hpp"
#include "learned/papers.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

class DepthRecurrentExperiment final : public Experiment {
 public:
  const char* name() const override { return "depth-recurrent"; }
  const char* help() const override {
    return "train the depth-recurrent transformer of Chen 2026 on paths in graphs, nested "
           "expressions or family text\n"
           "Example: logdepth train depth-recurrent --task graphs --generator twin --out runs/hops";
  }

  void visit(OptionVisitor& visit) override {
    visit("--task", "training task", task_, {"graphs", "expressions", "families"});
    visit("--generator",
          "graph generator: twin (default; no shortcut below k steps), natural (with one), "
          "random-pairs",
          generators_, {"twin", "natural", "random-pairs"});
    visit("--supervision",
          "loss: last (default; silent thinking) or mean-steps (a loss after every thinking step)",
          supervision_, {"last", "mean-steps"});
    visit("--ablation", "one run per value of this part of the model or the training", ablations_,
          {"supervision", "gate", "layer-scale", "step-embedding", "mask", "loops", "untied"});
    visit("--paper-size", "use the published width, batch, difficulties and steps", paper_size_);
  }

  TrainingPlan runs() const override {
    if (task_ != Subject::graphs && !generators_.empty())
      throw InputError("--generator: expected --task graphs, other tasks have one generator");
    if (!ablations_.empty() && !supervision_.empty())
      throw InputError(
          "--supervision: expected without --ablation, which has a series of its own "
          "for it, --ablation supervision");
    TrainingPlan plan;
    for (const PlannedRun& preset : presets())
      for (const PlannedRun& run : series(preset.config)) {
        const std::string name = preset.name + "/" + run.name;
        // The preset itself is in every series.
        if (std::none_of(plan.begin(), plan.end(),
                         [&](const PlannedRun& other) { return other.name == name; }))
          plan.push_back({name, run.config});
      }
    return plan;
  }

 private:
  enum class Subject { graphs, expressions, families };
  using Supervision = TrainingConfig::Supervision;

  TrainingPlan presets() const {
    if (task_ == Subject::expressions)
      return {{"expressions", depth_recurrent_expressions(paper_size_)}};
    if (task_ == Subject::families) return {{"families", depth_recurrent_families(paper_size_)}};
    TrainingPlan plan;
    for (const HopGenerator generator :
         generators_.empty() ? std::vector{HopGenerator::twin} : generators_)
      plan.push_back({std::string("graphs-") + generator_name(generator),
                      depth_recurrent(generator, paper_size_)});
    return plan;
  }

  TrainingPlan series(const RunConfig& preset) const {
    TrainingPlan plan;
    for (const RecurrentAblation ablation : ablations_)
      for (PlannedRun& run : ablation_runs(ablation, preset)) plan.push_back(std::move(run));
    if (!ablations_.empty()) return plan;
    for (const Supervision supervision :
         supervision_.empty() ? std::vector{Supervision::last} : supervision_) {
      plan.push_back({supervision == Supervision::last ? "last" : "mean-steps", preset});
      plan.back().config.training.supervision = supervision;
    }
    return plan;
  }

  Subject task_ = Subject::graphs;
  std::vector<HopGenerator> generators_;
  std::vector<Supervision> supervision_;
  std::vector<RecurrentAblation> ablations_;
  bool paper_size_ = false;
};

}  // namespace

Paper depth_recurrent_paper() {
  Paper paper;
  paper.tasks = {HopTaskConfig(), ExpressionTaskConfig(), FamilyTaskConfig()};
  paper.experiments = {make_experiment<DepthRecurrentExperiment>};
  paper.reports = {
      {"depth-recurrent",
       "report on depth-recurrent transformers (graphs, expressions, family text): accuracy by "
       "difficulty and iterations next to the published figures, frontiers, ablations, criteria "
       "DR-1 to DR-5\nExample: logdepth report depth-recurrent runs --out depth-recurrent",
       of_records<depth_recurrent_report>}};
  return paper;
}

}  // namespace logdepth::inline learned_depth_recurrent
