#include "learned/encode_think_decode/etd_experiment.hpp"

#include <algorithm>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_encode_think_decode {

const char* EtdExperiment::help() const {
  return "continue the training of a pretrained model with a repeated block of its layers "
         "(Encode-Think-Decode), or pretrain a base model\nExample: logdepth train etd --pretrain "
         "--out runs/etd\nExample: logdepth train etd --base runs/etd/base/seed-1 --loops 1,2,3 "
         "--seeds 1,2,3 --out runs/etd";
}

void EtdExperiment::visit(OptionVisitor& visit) {
  visit("--pretrain", "train the base model: non-looped, on the generated corpus", pretrain_);
  visit("--base", "base model: a GGUF file, a model folder, or the folder of a run (--pretrain)",
        base_);
  visit("--shape",
        "encoder-block*iterations-decoder in layers, as 3-2*2-3; or 3-2+2-3, two blocks with the "
        "same initial weights",
        shapes_);
  visit("--loops",
        "iterations of the block of --cut, one run per number (default without --shape, --router, "
        "--series: 1,2,3)",
        loops_, {1, 64});
  visit("--router", "one run of --cut per method of learning the number of iterations per token",
        routers_, {"straight-through", "mixture", "untrained"});
  visit("--series",
        "series of shapes of the paper, scaled to --cut: loops (1 to 5 iterations), position and "
        "size of the block, alternatives (all layers, all but four), untied, adaptive",
        series_, {"loops", "position", "size", "alternatives", "untied", "adaptive"});
  visit("--cut",
        "encoder-block-decoder in layers, as 3-2-3, or the angular.measurement.json of lm angular "
        "(default: 7-4-5 of 16 layers, scaled)",
        cut_);
  visit("--text",
        "training text: JSON lines with question, answer and kind (default: the generated corpus)",
        text_);
  visit("--size", "size of base model, batch and steps: small (CPU) or large (GPU)", size_,
        {"small", "large"});
}

TrainingPlan EtdExperiment::runs() const {
  if (pretrain_) {
    refuse_options_of_mid_training();
    return {{"base", etd_base(size_)}};
  }
  if (base_.empty())
    throw InputError("--base: expected the model to go on from, or --pretrain, which trains one");
  const PretrainedModel base = read_pretrained_model(base_);
  TrainingPlan plan;
  for (const ThinkShape& shape : shapes(base))
    plan.push_back({shape_name(shape), etd_middle(base, shape, size_, text_)});
  return plan;
}

void EtdExperiment::refuse_options_of_mid_training() const {
  const auto refuse = [](bool given, const char* option) {
    if (given)
      throw InputError(
          std::string(option) +
          ": expected without --pretrain, which trains a plain model on the own corpus");
  };
  refuse(!base_.empty(), "--base");
  refuse(!shapes_.empty(), "--shape");
  refuse(!loops_.empty(), "--loops");
  refuse(!routers_.empty(), "--router");
  refuse(!series_.empty(), "--series");
  refuse(!cut_.empty(), "--cut");
  refuse(!text_.empty(), "--text");
}

LayerCut EtdExperiment::cut_of(const PretrainedModel& base) const {
  const std::uint32_t layers = base.model.initial;
  // A curve without knees is cut as the published one.
  const LayerCut cut =
      cut_.empty() ? layer_cut(std::vector<double>(layers, 1.0)) : read_layer_cut(cut_, "--cut");
  if (cut.encoder + cut.think + cut.decoder != layers)
    throw InputError("--cut: expected " + std::to_string(layers) + " layers in all, as " +
                     base.path + " has, found " + layer_cut_text(cut));
  return cut;
}

std::vector<ThinkShape> EtdExperiment::shapes(const PretrainedModel& base) const {
  std::vector<ThinkShape> all;
  const auto add = [&](const ThinkShape& shape) {
    if (std::find(all.begin(), all.end(), shape) == all.end()) all.push_back(shape);
  };
  for (const std::string& text : shapes_) add(parse_think_shape(text, "--shape"));
  const bool by_cut = !loops_.empty() || !routers_.empty() || !series_.empty();
  if (!shapes_.empty() && !by_cut) {
    if (!cut_.empty())
      throw InputError("--cut: expected with --loops, --router or --series; --shape has its own");
    return all;
  }
  const LayerCut cut = cut_of(base);
  for (const std::uint32_t passes : by_cut ? loops_ : std::vector<std::uint32_t>{1, 2, 3})
    add(looped_shape(cut, passes));
  for (const LoopRouter router : routers_)
    add({cut.encoder, cut.think, cut.decoder, ThinkShape::Block::adaptive, kAdaptivePasses,
         static_cast<ModelConfig::Router>(static_cast<int>(router) + 1)});
  for (const ShapeSeries series : series_)
    for (const ThinkShape& shape : series_shapes(series, cut)) add(shape);
  return all;
}

}  // namespace logdepth::inline learned_encode_think_decode
