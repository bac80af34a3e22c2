#include "learned/encode_think_decode/presets.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_encode_think_decode {

RunConfig etd_base(EtdSize size) {
  const bool large = size == EtdSize::large;
  LinesConfig lines;
  lines.batch = large ? 256 : 32;
  lines.answers_only = true;
  RunConfig config;
  config.preset = "etd-base";
  config.task = lines;
  ModelConfig& model = config.model;
  model.initial = large ? 12 : 8;
  model.repeated = 0;
  model.width = large ? 512 : 96;
  model.heads = large ? 8 : 4;
  model.hidden = large ? 1408 : 256;
  model.norm = ModelConfig::NormKind::rmsnorm;
  model.norm_epsilon = 1e-6;
  model.norm_place = ModelConfig::NormPlace::after;
  model.activation = ModelConfig::Activation::swiglu;
  model.bias = false;
  model.query_key_norm = true;
  model.query_key_norm_over = ModelConfig::NormOver::all_heads;
  model.positions = ModelConfig::Positions::rotary;
  model.rotary_base = 100;  // lines are short: slower pairs would hardly turn
  model.readout_bias = false;
  TrainingConfig& training = config.training;
  training.learning_rate = large ? 1e-3 : 2e-3;
  training.steps = large ? 10000 : 3000;
  training.warm_up = large ? 200 : 50;
  if (large) training.precision = TrainingConfig::Precision::bfloat16;
  if (!large) training.curve_first = 375;
  return config;
}

RunConfig etd_middle(const PretrainedModel& base, const ThinkShape& shape, EtdSize size,
                     const std::string& text) {
  const bool large = size == EtdSize::large;
  LinesConfig lines;
  lines.phase = LinesConfig::Phase::middle;
  if (text.empty()) {
    if (base.vocabulary != etd_words().size())
      throw InputError(fmt::format(
          "{}: expected a model of the {} words of the own corpus, found {}; or --text, a file of "
          "lines in its tokens",
          base.path, etd_words().size(), base.vocabulary));
    if (large) lines.batch = 256;
    lines.answers_only = true;
  } else {
    lines.text = text;
    lines.tokens = base.path;
    lines.length = std::min<std::uint32_t>(base.context, 256);
  }
  RunConfig config;
  config.preset = "etd";
  config.initial_weights = base.path;
  config.task = lines;
  config.model = base.model;
  set_think_shape(config, shape);
  // The last stage of OLMo 2: the rate falls to nothing in a straight line.
  TrainingConfig& training = config.training;
  training.learning_rate = text.empty() ? etd_base(size).training.learning_rate : 1e-4;
  training.steps = large ? 1500 : 300;
  training.warm_up = 10;
  training.decay = 1;
  training.floor = 0;
  if (large) training.precision = TrainingConfig::Precision::bfloat16;
  training.curve_first = large ? 250 : 75;
  return config;
}

}  // namespace logdepth::inline learned_encode_think_decode
