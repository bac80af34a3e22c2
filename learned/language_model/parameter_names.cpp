#include "learned/language_model/parameter_names.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace logdepth::inline learned_language_model {
namespace {

using Names = std::vector<const char*>;

struct NameScheme {
  const char *embedding, *final_norm, *readout;
  const char *attention_norm, *feed_forward_norm;
  Names query_key_value;  ///< three of them, or one that is stacked already
  const char *query_norm, *key_norm, *output;
  Names in;  ///< gate and up, or one that is stacked already
  const char* out;
};

NameScheme scheme_of(TensorNames names, ModelConfig::NormPlace place) {
  switch (names) {
    case TensorNames::gguf:
      return {"token_embd.weight",  "output_norm.weight",
              "output.weight",      "attn_norm.weight",
              "ffn_norm.weight",    {"attn_q.weight", "attn_k.weight", "attn_v.weight"},
              "attn_q_norm.weight", "attn_k_norm.weight",
              "attn_output.weight", {"ffn_gate.weight", "ffn_up.weight"},
              "ffn_down.weight"};
    case TensorNames::hugging_face: {
      const bool after = place == ModelConfig::NormPlace::after;
      return {"model.embed_tokens.weight",
              "model.norm.weight",
              "lm_head.weight",
              after ? "post_attention_layernorm.weight" : "input_layernorm.weight",
              after ? "post_feedforward_layernorm.weight" : "post_attention_layernorm.weight",
              {"self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"},
              "self_attn.q_norm.weight",
              "self_attn.k_norm.weight",
              "self_attn.o_proj.weight",
              {"mlp.gate_proj.weight", "mlp.up_proj.weight"},
              "mlp.down_proj.weight"};
    }
    case TensorNames::run:
      return {"embedding.0",
              "final_norm.weight",
              "readout.weight",
              "attention_norm.weight",
              "feed_forward_norm.weight",
              {"query_key_value.weight"},
              "query_norm.weight",
              "key_norm.weight",
              "output.weight",
              {"in.weight"},
              "out.weight"};
  }
  throw std::logic_error("unknown names of tensors");
}

std::string layer_prefix(TensorNames names, const ModelConfig& model, std::uint32_t layer) {
  if (names == TensorNames::gguf) return fmt::format("blk.{}.", layer);
  if (names == TensorNames::hugging_face) return fmt::format("model.layers.{}.", layer);
  if (layer < model.initial) return fmt::format("initial.{}.", layer);
  layer -= model.initial;
  if (layer < model.repeated) return fmt::format("repeated.{}.", layer);
  return fmt::format("final.{}.", layer - model.repeated);
}

}  // namespace

std::vector<NamedParameter> named_parameters(const LanguageModelSettings& settings,
                                             TensorNames names) {
  const ModelConfig& model = settings.model;
  const NameScheme scheme = scheme_of(names, model.norm_place);
  const std::uint64_t width = model.width, hidden = model.hidden;
  const std::uint64_t vocabulary = settings.vocabulary.value(), head = width / model.heads;
  const std::uint64_t key_width =
      (model.key_value_heads ? model.key_value_heads : model.heads) * head;
  std::vector<NamedParameter> all;
  const auto add = [&](const std::string& name, const std::string& tensor,
                       std::vector<std::uint64_t> shape) {
    all.push_back({name, {{tensor, std::move(shape)}}});
  };
  add("embedding.0", scheme.embedding, {vocabulary, width});
  add("final_norm.weight", scheme.final_norm, {width});
  if (!settings.tied.value()) add("readout.weight", scheme.readout, {vocabulary, width});
  // The following three are of runs only.
  if (model.readout_bias) add("readout.bias", "readout.bias", {vocabulary});
  if (model.router != ModelConfig::Router::none) {
    add("router.weight", "router.weight", {1, width});
    add("router.bias", "router.bias", {1});
  }
  for (std::uint32_t i = 0; i < model.layers(); ++i) {
    const std::string to = fmt::format("layers.{}.", i), from = layer_prefix(names, model, i);
    const auto add_stacked = [&](const char* name, const Names& tensors,
                                 const std::vector<std::uint64_t>& rows) {
      NamedParameter parameter{to + name, {}};
      std::uint64_t sum = 0;
      for (const std::uint64_t count : rows) sum += count;
      for (std::size_t part = 0; part < tensors.size(); ++part)
        parameter.parts.push_back(
            {from + tensors[part], {tensors.size() == 1 ? sum : rows[part], width}});
      all.push_back(std::move(parameter));
    };
    add(to + "attention_norm.weight", from + scheme.attention_norm, {width});
    add(to + "feed_forward_norm.weight", from + scheme.feed_forward_norm, {width});
    add_stacked("query_key_value.weight", scheme.query_key_value, {width, key_width, key_width});
    if (model.query_key_norm) {
      const bool wide = model.query_key_norm_over == ModelConfig::NormOver::all_heads;
      add(to + "query_norm.weight", from + scheme.query_norm, {wide ? width : head});
      add(to + "key_norm.weight", from + scheme.key_norm, {wide ? key_width : head});
    }
    add(to + "output.weight", from + scheme.output, {width, width});
    add_stacked("in.weight", scheme.in, {hidden, hidden});
    add(to + "out.weight", from + scheme.out, {width, hidden});
  }
  return all;
}

}  // namespace logdepth::inline learned_language_model
