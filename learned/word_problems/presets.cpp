#include "learned/word_problems/presets.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_word_problems {

RunConfig word_problem(const std::string& monoid, WordModel kind, std::uint32_t depth,
                       std::uint32_t block) {
  RunConfig config;
  config.preset = "word-problem";
  WordTaskConfig words;
  words.monoid = monoid;
  words.max_length = 64;
  // The rate is constant and falls at the end only, so that a run can be extended.
  config.training.steps = 6000;
  // Below the 0.95 of n*, so that what a model can do is not cut off by its own curriculum.
  config.training.promotion = 0.9;
  ModelConfig& model = config.model;
  model.width = 128;
  model.hidden = 512;
  // What passes lengths of A5 soonest (README, decisions): products of two learned elements are
  // bilinear, and distances mean the same at every position, so that what a pair of letters taught
  // serves all of them.
  words.positions = WordTaskConfig::Positions::begin;
  model.positions = ModelConfig::Positions::rotary;
  model.activation = ModelConfig::Activation::swiglu;
  model.norm = ModelConfig::NormKind::rmsnorm;
  model.embedding_deviation = 1;
  switch (kind) {
    case WordModel::stack:
      model.initial = depth;
      model.repeated = 0;
      break;
    case WordModel::loop:
      if (block == 0 || depth % block != 0)
        throw InputError(
            fmt::format("--block: expected a divisor of the depth {}, found {}", depth, block));
      model.repeated = block;
      model.loops.least = depth / block;
      break;
    case WordModel::adaptive_loop:
      model.repeated = block;
      model.loops.kind = LoopRule::Kind::per_doubling;
      model.loops.least = std::max<std::uint32_t>(1, depth);
      // Many small, long steps and strong decay: of the settings that were tried on A5 these pass a
      // length soonest (README, decisions).
      words.batch_tokens = 512;
      config.training.learning_rate = 4e-3;
      config.training.weight_decay = 0.1;
      // The loop knows which doubling it is at, but learns so slowly to tell one from another that
      // what multiplies two letters goes on to multiply two products.
      model.step_embedding = ModelConfig::StepEmbedding::learned;
      model.step_scale = 0.1;
      break;
  }
  config.task = words;
  return config;
}

void pack(RunConfig& config) {
  auto& words = config.task.as<WordTaskConfig>();
  // Two words of the longest stage but one; a multiple of eight, as fused operations have it.
  words.row_tokens = (words.max_length + 1 + 7) / 8 * 8;
  words.batch_tokens = 2304;
  words.mixed_lengths = 0.25;
  words.measured_times = 2;
  words.validation = 2000;
  TrainingConfig& training = config.training;
  training.learning_rate = 4e-3;
  training.weight_decay = 0.1;
  training.decay = 0.2;
  training.floor = 0.05;
  // A batch of rows has as many letters at every stage, so that fewer readings decide as well.
  training.read_every = 16;
  training.average = 0.5;
  if (config.model.repeated == 0) return;
  config.model.step_embedding = ModelConfig::StepEmbedding::learned;
  config.model.step_scale = 0.1;
  config.model.step_rows = std::max(config.model.step_rows, config.model.loops.least);
}

RunConfig from_construction(const std::string& weights, const std::string& monoid,
                            WordTaskConfig::Letters letters, std::uint32_t length) {
  RunConfig config;
  config.preset = "from-construction";
  WordTaskConfig words;
  words.monoid = monoid;
  words.letters = letters;
  words.max_length = length;
  words.validation = 1000;
  config.task = words;
  config.constructed = ConstructedConfig{.weights = weights};
  TrainingConfig& training = config.training;
  training.steps = 500;
  training.learning_rate = 1e-4;
  training.warm_up = 0;
  training.schedule = TrainingConfig::Schedule::constant;
  // Every length is known from the beginning; the curriculum is to be short.
  training.read_every = 1;
  training.average = 0.5;
  return config;
}

}  // namespace logdepth::inline learned_word_problems
