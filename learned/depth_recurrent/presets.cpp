#include "learned/depth_recurrent/presets.hpp"

namespace logdepth {

RunConfig depth_recurrent(HopTaskConfig::Generator generator, bool paper_size) {
  RunConfig config;
  config.preset = "depth-recurrent";
  HopTaskConfig graphs;
  graphs.generator = generator;
  config.task = graphs;
  ModelConfig& model = config.model;
  model.width = paper_size ? 128 : 64;
  model.heads = 4;
  model.hidden = 2 * model.width;
  model.loops = {LoopRule::Kind::range, 5, 8};
  model.gate = ModelConfig::Gate::gru;
  model.step_embedding = ModelConfig::StepEmbedding::learned;
  model.step_rows = 20;
  model.final_norm = false;
  TrainingConfig& training = config.training;
  training.steps = paper_size ? 5000 : 600;
  training.learning_rate = paper_size ? 1e-3 : 2e-3;
  training.warm_up = paper_size ? 200 : 50;
  return config;
}

}  // namespace logdepth
