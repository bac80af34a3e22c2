#include <string>
#include <vector>

#include "learned/depth_recurrent/depth_recurrent_report.hpp"
#include "learned/depth_recurrent/hop_graphs.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/depth_recurrent/presets.hpp"
#include "learned/papers.hpp"

namespace logdepth {
namespace {

class DepthRecurrentExperiment final : public Experiment {
 public:
  const char* name() const override { return "depth-recurrent"; }
  const char* help() const override {
    return "train the depth-recurrent transformer of Chen 2026 on paths in graphs\n"
           "Example: logdepth train depth-recurrent --generator twin --out runs/hops";
  }

  void visit(OptionVisitor& visit) override {
    visit("--generator", "twin (no shortcut below k steps), natural (with one), random-pairs",
          generators_, {"twin", "natural", "random-pairs"});
    visit("--supervision", "last (silent thinking) or mean-steps (a loss after every step)",
          supervision_, {"last", "mean-steps"});
    visit("--paper-size", "width 128 and 5000 steps, as published", paper_size_);
  }

  TrainingPlan runs() const override {
    static const char* const kSupervision[] = {"last", "mean-steps"};
    TrainingPlan plan;
    for (const HopGenerator generator : generators_)
      for (const auto supervision : supervision_) {
        RunConfig config = depth_recurrent(generator, paper_size_);
        config.training.supervision = supervision;
        plan.push_back({std::string(generator_name(generator)) + "/" +
                            kSupervision[static_cast<int>(supervision)],
                        config});
      }
    return plan;
  }

 private:
  std::vector<HopGenerator> generators_ = {HopGenerator::twin};
  std::vector<TrainingConfig::Supervision> supervision_ = {TrainingConfig::Supervision::last};
  bool paper_size_ = false;
};

}  // namespace

Paper depth_recurrent_paper() {
  Paper paper;
  paper.tasks = {HopTaskConfig()};
  paper.experiments = {make_experiment<DepthRecurrentExperiment>};
  paper.reports = {
      {"depth-recurrent",
       "trained depth-recurrent transformers on graph reachability: accuracy by hops and loops "
       "beside the published figure, the frontier, and the criteria DR-1 to DR-3\n"
       "Example: logdepth report depth-recurrent runs --out depth-recurrent",
       depth_recurrent_markdown, depth_recurrent_json, save_depth_recurrent_report}};
  return paper;
}

}  // namespace logdepth
