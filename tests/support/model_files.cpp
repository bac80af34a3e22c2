#include "tests/support/model_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/encode_think_decode/lines_task.hpp"

namespace logdepth::support {
namespace {

constexpr std::uint64_t kWidth = 32, kHeads = 4, kKeyHeads = 2, kHead = 8, kHidden = 64,
                        kTokens = 5;

std::uint32_t gguf_type(const std::string& encoding) {
  static const std::map<std::string, std::uint32_t> numbers = {
      {"F32", 0}, {"F16", 1}, {"Q4_0", 2}, {"Q4_1", 3}, {"Q8_0", 8}, {"BF16", 30}};
  const auto found = numbers.find(encoding);
  return found != numbers.end() ? found->second : static_cast<std::uint32_t>(std::stoul(encoding));
}

/// As llama.cpp's converter turns rows of queries and keys: weights.reshape(heads, 2, w / 2, in)
/// .swapaxes(1, 2).
std::string turned_rows(const std::string& bytes, std::uint64_t heads) {
  const std::size_t row = kWidth * sizeof(float);
  std::string turned;
  for (std::uint64_t head = 0; head < heads; ++head)
    for (std::uint64_t i = 0; i < kHead / 2; ++i)
      for (std::uint64_t half = 0; half < 2; ++half)
        turned += bytes.substr((head * kHead + half * (kHead / 2) + i) * row, row);
  return turned;
}

std::vector<SampleTensor> small_tensors(bool olmo2) {
  std::vector<SampleTensor> all;
  float first = 1;
  const auto add = [&](const std::string& name, const std::vector<std::uint64_t>& shape) {
    all.push_back(f32_tensor(name, shape, first));
    first += 100;
  };
  add("model.embed_tokens.weight", {kTokens, kWidth});
  for (int i = 0; i < 2; ++i) {
    const std::string at = fmt::format("model.layers.{}.", i);
    add(at + (olmo2 ? "post_attention_layernorm.weight" : "input_layernorm.weight"), {kWidth});
    add(at + (olmo2 ? "post_feedforward_layernorm.weight" : "post_attention_layernorm.weight"),
        {kWidth});
    add(at + "self_attn.q_proj.weight", {kHeads * kHead, kWidth});
    add(at + "self_attn.k_proj.weight", {kKeyHeads * kHead, kWidth});
    add(at + "self_attn.v_proj.weight", {kKeyHeads * kHead, kWidth});
    add(at + "self_attn.o_proj.weight", {kWidth, kHeads * kHead});
    if (olmo2) {
      add(at + "self_attn.q_norm.weight", {kHeads * kHead});
      add(at + "self_attn.k_norm.weight", {kKeyHeads * kHead});
    }
    add(at + "mlp.gate_proj.weight", {kHidden, kWidth});
    add(at + "mlp.up_proj.weight", {kHidden, kWidth});
    add(at + "mlp.down_proj.weight", {kWidth, kHidden});
  }
  add("model.norm.weight", {kWidth});
  if (olmo2) add("lm_head.weight", {kTokens, kWidth});
  return all;
}

}  // namespace

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

std::string float_bytes(float value) {
  return little_endian(std::bit_cast<std::uint32_t>(value), 4);
}

std::string floats_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += float_bytes(value);
  return bytes;
}

std::vector<float> counted_floats(std::size_t count, float first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i) / 64;
  return values;
}

SampleTensor f32_tensor(const std::string& name, const std::vector<std::uint64_t>& shape,
                        float first) {
  std::size_t count = 1;
  for (const std::uint64_t side : shape) count *= side;
  return {name, shape, "F32", floats_bytes(counted_floats(count, first))};
}

SampleTensor& named(std::vector<SampleTensor>& tensors, const std::string& name) {
  for (SampleTensor& tensor : tensors)
    if (tensor.name == name) return tensor;
  throw std::out_of_range("no tensor " + name);
}

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

std::string safetensors_bytes(const std::vector<SampleTensor>& tensors) {
  std::string entries, data;
  for (const SampleTensor& tensor : tensors) {
    std::string shape;
    for (const std::uint64_t side : tensor.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(side);
    entries += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                           entries.empty() ? "" : ",", tensor.name, tensor.type, shape, data.size(),
                           data.size() + tensor.bytes.size());
    data += tensor.bytes;
  }
  return safetensors_bytes("{" + entries + "}", data);
}

std::string gguf_number(std::uint32_t value) {
  return little_endian(4, 4) + little_endian(value, 4);
}

std::string gguf_real(float value) {
  return little_endian(6, 4) + float_bytes(value);
}

std::string gguf_string(const std::string& text) {
  return little_endian(text.size(), 8) + text;
}

std::string gguf_text(const std::string& text) {
  return little_endian(8, 4) + gguf_string(text);
}

std::string gguf_bytes(const GgufMetadata& metadata, const std::vector<SampleTensor>& tensors,
                       std::uint64_t alignment) {
  std::string bytes = "GGUF" + little_endian(3, 4) + little_endian(tensors.size(), 8) +
                      little_endian(metadata.size(), 8);
  for (const auto& [key, value] : metadata) bytes += gguf_string(key) + value;
  std::string data;
  const auto pad = [&](std::string& text) {
    text.resize((text.size() + alignment - 1) / alignment * alignment);
  };
  for (const SampleTensor& tensor : tensors) {
    bytes += gguf_string(tensor.name) + little_endian(tensor.shape.size(), 4);
    for (auto side = tensor.shape.rbegin(); side != tensor.shape.rend(); ++side)
      bytes += little_endian(*side, 8);
    bytes += little_endian(gguf_type(tensor.type), 4) + little_endian(data.size(), 8);
    data += tensor.bytes;
    pad(data);
  }
  pad(bytes);
  return bytes + data;
}

GgufMetadata small_gguf_metadata() {
  return {{"general.architecture", gguf_text("llama")},
          {"general.name", gguf_text("small")},
          {"llama.block_count", gguf_number(2)},
          {"llama.context_length", gguf_number(128)},
          {"llama.embedding_length", gguf_number(kWidth)},
          {"llama.feed_forward_length", gguf_number(kHidden)},
          {"llama.attention.head_count", gguf_number(kHeads)},
          {"llama.attention.head_count_kv", gguf_number(kKeyHeads)},
          {"llama.attention.layer_norm_rms_epsilon", gguf_real(1e-5f)},
          {"llama.rope.freq_base", gguf_real(100000)},
          {"llama.rope.dimension_count", gguf_number(kHead)}};
}

std::vector<SampleTensor> small_gguf_tensors() {
  static const std::vector<std::pair<std::string, std::string>> names = {
      {"model.embed_tokens.", "token_embd."},
      {"model.norm.", "output_norm."},
      {"model.layers.", "blk."},
      {"input_layernorm.", "attn_norm."},
      {"post_attention_layernorm.", "ffn_norm."},
      {"self_attn.q_proj.", "attn_q."},
      {"self_attn.k_proj.", "attn_k."},
      {"self_attn.v_proj.", "attn_v."},
      {"self_attn.o_proj.", "attn_output."},
      {"mlp.gate_proj.", "ffn_gate."},
      {"mlp.up_proj.", "ffn_up."},
      {"mlp.down_proj.", "ffn_down."}};
  std::vector<SampleTensor> tensors = small_llama_tensors();
  for (SampleTensor& tensor : tensors) {
    for (const auto& [from, to] : names)
      if (const std::size_t at = tensor.name.find(from); at != std::string::npos)
        tensor.name.replace(at, from.size(), to);
    if (tensor.name.find("attn_q.") != std::string::npos)
      tensor.bytes = turned_rows(tensor.bytes, kHeads);
    if (tensor.name.find("attn_k.") != std::string::npos)
      tensor.bytes = turned_rows(tensor.bytes, kKeyHeads);
  }
  return tensors;
}

nlohmann::json small_llama_config() {
  return {{"model_type", "llama"},         {"num_hidden_layers", 2},
          {"hidden_size", kWidth},         {"intermediate_size", kHidden},
          {"num_attention_heads", kHeads}, {"num_key_value_heads", kKeyHeads},
          {"rms_norm_eps", 1e-5},          {"max_position_embeddings", 128},
          {"vocab_size", kTokens},         {"hidden_act", "silu"},
          {"rope_theta", 100000.0},        {"rope_scaling", nullptr},
          {"attention_bias", false},       {"tie_word_embeddings", true}};
}

std::vector<SampleTensor> small_llama_tensors() {
  return small_tensors(false);
}

nlohmann::json small_olmo2_config() {
  nlohmann::json config = small_llama_config();
  config["model_type"] = "olmo2";
  config["tie_word_embeddings"] = false;
  config["rms_norm_eps"] = 1e-6;
  return config;
}

std::vector<SampleTensor> small_olmo2_tensors() {
  return small_tensors(true);
}

RunConfig small_run_config() {
  RunConfig run;
  run.task = LinesConfig();
  ModelConfig& model = run.model;
  model.initial = 1;
  model.repeated = 2;
  model.final = 1;
  model.loops.least = model.loops.most = 3;
  model.width = 8;
  model.heads = 2;
  model.hidden = 12;
  model.norm = ModelConfig::NormKind::rmsnorm;
  model.norm_epsilon = 1e-6;
  model.norm_place = ModelConfig::NormPlace::after;
  model.activation = ModelConfig::Activation::swiglu;
  model.bias = model.readout_bias = false;
  model.query_key_norm = true;
  model.query_key_norm_over = ModelConfig::NormOver::all_heads;
  model.positions = ModelConfig::Positions::rotary;
  return run;
}

std::vector<SampleTensor> small_run_tensors() {
  const std::uint64_t tokens = etd_words().size();
  std::vector<SampleTensor> all = {f32_tensor("embedding.0", {tokens, 8}, 1),
                                   f32_tensor("final_norm.weight", {8}, 100),
                                   f32_tensor("readout.weight", {tokens, 8}, 200)};
  float first = 300;
  for (const char* layer : {"initial.0.", "repeated.0.", "repeated.1.", "final.0."}) {
    const std::string at = layer;
    all.push_back(f32_tensor(at + "attention_norm.weight", {8}, first));
    all.push_back(f32_tensor(at + "feed_forward_norm.weight", {8}, first + 1));
    all.push_back(f32_tensor(at + "query_key_value.weight", {24, 8}, first + 2));
    all.push_back(f32_tensor(at + "query_norm.weight", {8}, first + 3));
    all.push_back(f32_tensor(at + "key_norm.weight", {8}, first + 4));
    all.push_back(f32_tensor(at + "output.weight", {8, 8}, first + 5));
    all.push_back(f32_tensor(at + "in.weight", {24, 8}, first + 6));
    all.push_back(f32_tensor(at + "out.weight", {8, 12}, first + 7));
    first += 50;
  }
  return all;
}

}  // namespace logdepth::support
