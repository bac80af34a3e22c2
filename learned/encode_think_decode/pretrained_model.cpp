#include "learned/encode_think_decode/pretrained_model.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "learned/encode_think_decode/think_shape.hpp"
#include "learned/language_model/model_file.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"

namespace logdepth::inline learned_encode_think_decode {

PretrainedModel read_pretrained_model(const std::string& path) {
  const LanguageModelFile file(path);
  PretrainedModel base{path, file.model(), file.vocabulary(), file.context()};
  ModelConfig& model = base.model;
  const bool once = model.loops.kind == LoopRule::Kind::fixed && model.loops.least == 1;
  if (model.repeated > 0 && !once)
    throw InputError(path +
                     ": expected a model whose layers are passed once, found one with a "
                     "loop of " +
                     std::to_string(model.repeated) + " layers");
  model.initial = model.layers();
  model.repeated = model.final = 0;
  return base;
}

LayerCut read_layer_cut(const std::string& text, const std::string& option) {
  if (!std::filesystem::is_regular_file(text)) return parse_layer_cut(text, option);
  const auto json = nlohmann::json::parse(read_json_file(text), nullptr, false);
  const auto size = [&](const char* name) {
    const nlohmann::json* const cut =
        json.is_object() && json.contains("cut") ? &json["cut"] : nullptr;
    if (!cut || !cut->is_object() || !cut->contains(name) || !(*cut)[name].is_number_unsigned() ||
        (*cut)[name].get<std::uint64_t>() > 512)
      throw InputError(text +
                       ": expected the cut of a model as lm angular writes it, an object "
                       "\"cut\" with encoder, think and decoder");
    return (*cut)[name].get<std::uint32_t>();
  };
  const LayerCut cut{size("encoder"), size("think"), size("decoder"), false, false};
  if (cut.think == 0)
    throw InputError(text + ": expected at least one layer in the block, found " +
                     layer_cut_text(cut));
  return cut;
}

}  // namespace logdepth::inline learned_encode_think_decode
