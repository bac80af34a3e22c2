#include <initializer_list>
#include <string>
#include <vector>

#include "learned/depth_recurrent/tasks.hpp"
#include "learned/papers.hpp"
#include "learned/report/criteria.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_depth_recurrent {
namespace {

/// The tasks, by the names of their presets.
enum class Subject { graphs, expressions, families };
constexpr std::initializer_list<const char*> kSubjects = {"graphs", "expressions", "families"};

class DepthRecurrentExperiment final : public Experiment {
 public:
  const char* name() const override { return "depth-recurrent"; }
  const char* help() const override {
    return "train the depth-recurrent transformer of Chen 2026 on paths in graphs, nested "
           "expressions or family text\n"
           "Example: logdepth train depth-recurrent --task graphs --generator twin --out runs/hops";
  }

  void add_options(ExperimentOptions& add) override {
    add("--task", "training task", task_, kSubjects);
    add("--generator",
        "graph generator: twin (default; no shortcut below k steps), natural (with one)",
        generators_, {"twin", "natural"});
    add("--supervision",
        "loss: last (silent thinking) or mean-steps (a loss after every thinking step)",
        supervision_, {"last", "mean-steps"});
    add("--paper-size", "use the published width, batch, difficulties and steps", paper_size_);
  }

  TrainingPlan runs() const override {
    if (task_ != Subject::graphs && !generators_.empty())
      throw InputError("--generator: expected --task graphs, other tasks have one generator");
    const std::string task = kSubjects.begin()[static_cast<std::size_t>(task_)];
    RunConfig config = preset("thinking_deeper", task + (paper_size_ ? " paper-size" : ""));
    TrainingPlan plan;
    const auto add = [&](const std::string& name) {
      for (const Supervision supervision : supervision_) {
        config.training.supervision = supervision;
        plan.push_back(
            {name + (supervision == Supervision::last ? "/last" : "/mean-steps"), config});
      }
    };
    if (task_ != Subject::graphs) {
      add(task);
      return plan;
    }
    for (const HopGenerator generator :
         generators_.empty() ? std::vector{HopGenerator::twin} : generators_) {
      config.task.as<HopTaskConfig>().generator = generator;
      add(std::string("graphs-") + generator_name(generator));
    }
    return plan;
  }

 private:
  using Supervision = TrainingConfig::Supervision;

  Subject task_ = Subject::graphs;
  std::vector<HopGenerator> generators_;
  std::vector<Supervision> supervision_ = {Supervision::last};
  bool paper_size_ = false;
};

}  // namespace

Paper depth_recurrent_paper() {
  return {{HopTaskConfig(), ExpressionTaskConfig(), FamilyTaskConfig()},
          {make_experiment<DepthRecurrentExperiment>}};
}

}}  // namespace logdepth::learned_depth_recurrent
