#include "learned/depth_recurrent/presets.hpp"

#include "learned/depth_recurrent/expression_task.hpp"
#include "learned/depth_recurrent/family_task.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

constexpr std::uint32_t kPaperBatch = 512;
constexpr double kLayerScale = 1e-4;

/// What the models of all tasks have in common, trained at least ... most steps.
RunConfig recurrent(TaskConfig task, std::uint32_t least, std::uint32_t most) {
  RunConfig config;
  config.preset = "depth-recurrent";
  config.task = std::move(task);
  ModelConfig& model = config.model;
  model.loops = {LoopRule::Kind::range, least, most};
  model.gate = ModelConfig::Gate::gru;
  model.step_embedding = ModelConfig::StepEmbedding::learned;
  model.trained_steps = most;
  model.final_norm = false;
  return config;
}

/// What the models that read text have in common.
RunConfig recurrent_on_text(TaskConfig task, std::uint32_t least, std::uint32_t most,
                            bool paper_size) {
  RunConfig config = recurrent(std::move(task), least, most);
  ModelConfig& model = config.model;
  model.width = paper_size ? 256 : 64;
  model.heads = paper_size ? 8 : 4;
  model.hidden = 4 * model.width;
  model.positions = ModelConfig::Positions::rotary;
  model.layer_scale = kLayerScale;
  TrainingConfig& training = config.training;
  training.steps = paper_size ? 30000 : 2000;
  training.learning_rate = paper_size ? 3e-4 : 1e-3;
  training.warm_up = paper_size ? 200 : 100;
  if (!paper_size) training.curve_first = 250;
  return config;
}

}  // namespace

RunConfig depth_recurrent(HopTaskConfig::Generator generator, bool paper_size) {
  HopTaskConfig graphs;
  graphs.generator = generator;
  if (paper_size) graphs.batch = kPaperBatch;
  RunConfig config = recurrent(graphs, 5, 8);
  ModelConfig& model = config.model;
  model.width = paper_size ? 128 : 64;
  model.heads = 4;
  model.hidden = 2 * model.width;
  model.step_rows = 20;
  TrainingConfig& training = config.training;
  training.steps = paper_size ? 5000 : 600;
  training.learning_rate = paper_size ? 1e-3 : 2e-3;
  training.warm_up = paper_size ? 200 : 50;
  if (!paper_size) training.curve_first = 75;
  return config;
}

RunConfig depth_recurrent_expressions(bool paper_size) {
  ExpressionTaskConfig expressions;
  if (paper_size) {
    expressions.hardest = 8;
    expressions.batch = kPaperBatch;
    expressions.tested = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    expressions.test_loops = {1, 2, 4, 6, 8, 10, 12, 16, 20, 24};
  }
  RunConfig config =
      recurrent_on_text(expressions, paper_size ? 4 : 2, paper_size ? 16 : 8, paper_size);
  config.model.step_rows = 28;
  return config;
}

RunConfig depth_recurrent_families(bool paper_size) {
  FamilyTaskConfig families;
  if (paper_size) {
    families.hardest = 5;
    families.batch = kPaperBatch;
    families.tested = {2, 3, 4, 5, 6, 7, 8, 9};
    families.test_loops = {1, 2, 4, 6, 8, 10, 12, 16, 20};
    families.families.names = 40;
  }
  RunConfig config = recurrent_on_text(families, 1, paper_size ? 12 : 6, paper_size);
  config.model.step_rows = 20;
  return config;
}

}  // namespace logdepth::inline learned_depth_recurrent
