#include <fmt/core.h>

#include <cstdint>
#include <vector>

#include "learned/papers.hpp"
#include "learned/reachability/relation_task.hpp"
#include "learned/report/criteria.hpp"

namespace logdepth { inline namespace learned_reachability {
namespace {

class RowTokensExperiment final : public Experiment {
 public:
  const char* name() const override { return "row-tokens"; }
  const char* help() const override {
    return "train transformers on the reachability relation, one token per row of the adjacency "
           "matrix\nExample: logdepth train row-tokens --depths 1,2,3 --out runs/rows";
  }

  void add_options(ExperimentOptions& add) override {
    add("--vertices", "number of vertices per graph", vertices_, {2, 256});
    add("--depths", "numbers of layers", depths_, {1, 512});
    add("--looped", "repeat one layer instead of using different layers", looped_);
  }

  TrainingPlan runs() const override {
    RunConfig config = preset("ms25", "row-tokens");
    config.task.as<RelationTaskConfig>().vertices = vertices_;
    TrainingPlan plan;
    for (const std::uint32_t depth : depths_) {
      config.model.initial = looped_ ? 0 : depth;
      config.model.repeated = looped_ ? 1 : 0;
      config.model.loops.least = depth;
      plan.push_back(
          {fmt::format("rows-{}/{}{}", vertices_, looped_ ? "loop-" : "stack-", depth), config});
    }
    return plan;
  }

 private:
  std::uint32_t vertices_ = 16;
  std::vector<std::uint32_t> depths_ = {1, 2, 3};
  bool looped_ = false;
};

}  // namespace

Paper reachability_paper() {
  return {{RelationTaskConfig()}, {make_experiment<RowTokensExperiment>}};
}

}}  // namespace logdepth::learned_reachability
