#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <vector>

#include "learned/papers.hpp"
#include "learned/reachability/presets.hpp"
#include "learned/reachability/relation_task.hpp"

namespace logdepth::inline learned_reachability {
namespace {

class RowTokensExperiment final : public Experiment {
 public:
  const char* name() const override { return "row-tokens"; }
  const char* help() const override {
    return "train transformers on the reachability relation, one token per row of the adjacency "
           "matrix\nExample: logdepth train row-tokens --depths 1,2,3 --out runs/rows";
  }

  void visit(OptionVisitor& visit) override {
    visit("--vertices", "number of vertices per graph", vertices_, {2, 256});
    visit("--depths", "numbers of layers", depths_, {1, 512});
    visit("--looped", "repeat one layer instead of using different layers", looped_);
  }

  TrainingPlan runs() const override {
    TrainingPlan plan;
    for (const std::uint32_t depth : depths_)
      plan.push_back({fmt::format("rows-{}/{}{}", vertices_, looped_ ? "loop-" : "stack-", depth),
                      relation(RelationTaskConfig::Tokens::rows, vertices_, depth, looped_)});
    return plan;
  }

 private:
  std::uint32_t vertices_ = 16;
  std::vector<std::uint32_t> depths_ = {1, 2, 3};
  bool looped_ = false;
};

class PairTokensExperiment final : public Experiment {
 public:
  const char* name() const override { return "pair-tokens"; }
  const char* help() const override {
    return "train transformers on the reachability relation with the tokens of MS25 Theorem 5.1: "
           "n^2 pairs, n^3 padding tokens, a block of two layers per doubling\nExample: logdepth "
           "train pair-tokens --vertices 5 --out runs/pairs";
  }

  void visit(OptionVisitor& visit) override {
    visit("--vertices", "number of vertices per graph", vertices_, {2, 16});
    visit("--blocks", "iterations of the block per doubling of the number of vertices", blocks_,
          {1, 16});
  }

  TrainingPlan runs() const override {
    TrainingPlan plan;
    for (const std::uint32_t blocks : blocks_)
      plan.push_back(
          {fmt::format("pairs-{}/loop-{}", vertices_, blocks),
           relation(RelationTaskConfig::Tokens::pairs, vertices_, blocks, /*looped=*/true)});
    return plan;
  }

 private:
  std::uint32_t vertices_ = 5;
  std::vector<std::uint32_t> blocks_ = {1};
};

}  // namespace

Paper reachability_paper() {
  Paper paper;
  paper.tasks = {RelationTaskConfig()};
  paper.experiments = {make_experiment<RowTokensExperiment>, make_experiment<PairTokensExperiment>};
  return paper;
}

}  // namespace logdepth::inline learned_reachability
