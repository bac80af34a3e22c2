#include "learned/latent_reasoning/presets.hpp"

#include <string>

#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/latent_values_task.hpp"
#include "learned/latent_reasoning/latent_words_task.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

using Positions = ModelConfig::Positions;

void set_graphs(GraphTaskSettings& task, bool paper_size) {
  task.graphs.modulus = paper_size ? 23 : 5;
  if (!paper_size) {  // the other defaults are those of a CPU
    task.test_nodes = {8, 12, 16, 32};
    return;
  }
  task.graphs.names = 128;
  task.graphs.operations = GraphShape::Operations::all;
  task.graphs.operand_weights = {1, 1, 1};
  task.most_nodes = 32;
  task.batch = 512;
  task.test_nodes = {8, 16, 32, 40, 64, 128};
}

RunConfig on_graphs(TaskConfig task, const std::string& preset, bool paper_size) {
  RunConfig config;
  config.preset = preset;
  set_graphs(task.as<GraphTaskSettings>(), paper_size);
  config.task = std::move(task);
  ModelConfig& model = config.model;
  model.width = paper_size ? 256 : 64;
  model.heads = paper_size ? 16 : 4;
  model.hidden = 4 * model.width;
  model.embedding_deviation = 0.15;
  model.positions = paper_size ? Positions::deberta : Positions::relative;
  TrainingConfig& training = config.training;
  training.learning_rate = paper_size ? 3e-4 : 2e-3;
  training.warm_up = paper_size ? 500 : 100;
  training.floor = 0.05;
  // Methods are compared, so that all have as many on a CPU.
  training.steps = paper_size ? 10000 : 8000;
  if (!paper_size) training.curve_first = 500;
  return config;
}

void set_stack(ModelConfig& model, std::uint32_t layers) {
  model.initial = layers;
  model.repeated = 0;
}

void set_loop(ModelConfig& model, LoopRule loops) {
  model.initial = 0;
  model.repeated = 2;
  model.loops = loops;
}

LatentValuesConfig values(LatentValuesConfig::Method method) {
  LatentValuesConfig task;
  task.method = method;
  return task;
}

RunConfig discrete(bool corrected, bool paper_size) {
  LatentStepsConfig task;
  if (corrected) task.corrupted = 0.25;
  RunConfig config = on_graphs(
      task, latent_method_name(corrected ? LatentMethod::corrected : LatentMethod::discrete),
      paper_size);
  // The paper saw no benefit of correction with two layers, and one with four. At the size for a
  // CPU two layers correct nine values of ten, and four solve fewer large graphs (README).
  set_stack(config.model, corrected && paper_size ? 4 : 2);
  if (corrected && paper_size) {
    config.model.width = 384;
    config.model.hidden = 4 * config.model.width;
  }
  if (paper_size) config.training.steps = 20000;
  return config;
}

}  // namespace

const char* latent_method_name(LatentMethod method) {
  switch (method) {
    case LatentMethod::feed_forward:
      return "feed-forward";
    case LatentMethod::recurrent:
      return "recurrent";
    case LatentMethod::chain_of_thought:
      return "chain-of-thought";
    case LatentMethod::continuous:
      return "continuous";
    case LatentMethod::discrete:
      return "discrete";
    case LatentMethod::corrected:
      break;
  }
  return "corrected";
}

RunConfig latent_reasoning(LatentMethod method, bool paper_size) {
  using Method = LatentValuesConfig::Method;
  const std::string name = latent_method_name(method);
  switch (method) {
    case LatentMethod::feed_forward: {
      RunConfig config = on_graphs(values(Method::feed_forward), name, paper_size);
      set_stack(config.model, 8);
      return config;
    }
    case LatentMethod::recurrent: {
      RunConfig config = on_graphs(values(Method::recurrent), name, paper_size);
      // The paper's table 1 calls it adaptive to the input; its appendix fixes 4 loops.
      set_loop(config.model, paper_size ? LoopRule{LoopRule::Kind::fixed, 4, 4}
                                        : LoopRule{LoopRule::Kind::asked, 1, 1});
      if (paper_size) config.model.positions = Positions::rotary;
      return config;
    }
    case LatentMethod::chain_of_thought: {
      RunConfig config = on_graphs(LatentWordsConfig(), name, paper_size);
      if (paper_size) {
        set_loop(config.model, {LoopRule::Kind::fixed, 4, 4});
        config.model.positions = Positions::rotary;
      } else {
        set_stack(config.model, 4);
      }
      return config;
    }
    case LatentMethod::continuous: {
      RunConfig config = on_graphs(values(Method::continuous), name, paper_size);
      set_loop(config.model, {LoopRule::Kind::asked, 1, 1});
      config.training.supervision = TrainingConfig::Supervision::when_due;
      return config;
    }
    case LatentMethod::discrete:
    case LatentMethod::corrected:
      break;
  }
  return discrete(method == LatentMethod::corrected, paper_size);
}

RunConfig latent_without_oracle(bool paper_size, double discount) {
  RunConfig config =
      on_graphs(values(LatentValuesConfig::Method::no_oracle), "no-oracle", paper_size);
  // About as often as the deepest training graphs are deep.
  const std::uint32_t loops = paper_size ? 12 : 8;
  set_loop(config.model, {LoopRule::Kind::fixed, loops, loops});
  config.training.supervision = TrainingConfig::Supervision::mean_steps;
  config.training.empty_discount = discount;
  return config;
}

}  // namespace logdepth::inline learned_latent_reasoning
