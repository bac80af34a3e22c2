// Folders of language models that must be refused, each for its own reason, in a sentence that names
// file and array; and models with damage anywhere, which are read or refused and nothing else.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "learned/language_model/save_language_model.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_refusals.hpp"

namespace logdepth::model_folders_tests {
namespace {

using support::f32_tensor;
using support::gguf_bytes;
using support::little_endian;
using support::model_refusal;
using support::named;
using support::safetensors_bytes;
using support::SampleTensor;
using Tensors = std::vector<SampleTensor>;
using Json = nlohmann::json;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;

/// The folder of a small llama, changed.
struct LlamaFolder {
  TemporaryFolder folder;
  Json config = support::small_llama_config();
  Tensors tensors = support::small_llama_tensors();

  void write() const {
    write_whole_file(folder.file("config.json"), config.dump());
    write_whole_file(folder.file("model.safetensors"), safetensors_bytes(tensors));
  }
  std::string refused() const {
    write();
    return model_refusal(folder, folder.path());
  }
};

TEST(FolderRejects, SettingsThatTheModelHasNot) {
  const auto with = [](const std::string& key, const Json& value) {
    LlamaFolder model;
    model.config[key] = value;
    return model.refused();
  };
  EXPECT_EQ(LlamaFolder().refused(), "");
  EXPECT_EQ(with("model_type", "mistral"),
            "config.json: model_type: expected an architecture of llama or olmo2, found "
            "\"mistral\"");
  EXPECT_EQ(with("hidden_act", "gelu"),
            "config.json: hidden_act: expected the activation \"silu\", found \"gelu\"");
  EXPECT_EQ(with("attention_bias", true),
            "config.json: attention_bias: expected false, attention without biases, found true");
  EXPECT_EQ(
      with("mlp_bias", true),
      "config.json: mlp_bias: expected false, feed-forward layers without biases, found true");
  EXPECT_EQ(with("sliding_window", 4096),
            "config.json: sliding_window: expected null, attention without a sliding window, found "
            "4096");
  EXPECT_EQ(with("rope_scaling", {{"rope_type", "llama3"}, {"factor", 8}}),
            "config.json: rope_scaling: rope_type: expected \"default\", rotary angles without "
            "scaling, found \"llama3\"");
  EXPECT_EQ(with("rope_scaling", {{"factor", 8}}),
            "config.json: rope_scaling: expected rotary angles without scaling, found "
            "{\"factor\":8}");
  EXPECT_EQ(with("rope_scaling", 2), "config.json: rope_scaling: expected an object, found 2");
  EXPECT_EQ(with("rope_interleaved", true),
            "config.json: rope_interleaved: expected false, channels that turn by halves, found "
            "true");
  EXPECT_EQ(with("quantization_config", Json::object()),
            "config.json: quantization_config: expected null, numbers that are F32, F16 or BF16, "
            "found {}");
  EXPECT_EQ(with("layer_types", {"full_attention", "sliding_attention"}),
            "config.json: layer_types: expected \"full_attention\" of every layer, found "
            "[\"full_attention\",\"sliding_attention\"]");
  EXPECT_EQ(with("head_dim", 16),
            "config.json: head_dim: expected 8, hidden_size by num_attention_heads, found 16");
  EXPECT_EQ(with("num_hidden_layers", -2),
            "config.json: num_hidden_layers: expected a whole number from 1 to 512, found -2");
  EXPECT_EQ(with("hidden_size", 32.0),
            "config.json: hidden_size: expected a whole number from 1 to 8192, found 32.0");
  EXPECT_EQ(with("rms_norm_eps", 2), "config.json: rms_norm_eps: expected at most 1, found 2");
  EXPECT_EQ(with("vocab_size", nullptr),
            "config.json: vocab_size: expected a whole number from 1 to 16777216, found nothing");
  EXPECT_EQ(with("vocab_size", 6),
            "model.safetensors: 'model.embed_tokens.weight': expected shape [6, 32], found [5, "
            "32]");
  EXPECT_EQ(with("tie_word_embeddings", false),
            "model.safetensors: expected a tensor 'lm_head.weight' of shape [5, 32]");
  EXPECT_EQ(with("tie_word_embeddings", "yes"),
            "config.json: tie_word_embeddings: expected true or false, found \"yes\"");
  LlamaFolder model;
  model.write();
  write_whole_file(model.folder.file("config.json"), "{");
  EXPECT_EQ(model_refusal(model.folder, model.folder.path()),
            "config.json: expected the settings of a model, a JSON object");
}

/// A second spelling of a setting says the same or is refused with both keys.
TEST(FolderRejects, TwoSpellingsOfOneSettingThatDiffer) {
  const auto with = [](const Json& changes) {
    LlamaFolder model;
    model.config.update(changes);
    return model.refused();
  };
  const Json base = LlamaFolder().config.at("rope_theta");
  EXPECT_EQ(with({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", base}}}}), "");
  EXPECT_EQ(with({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5000.0}}}}),
            "config.json: rope_parameters: rope_theta: expected 100000, as in rope_theta, found "
            "5000.0");
  EXPECT_EQ(with({{"rope_theta", nullptr},
                  {"rope_parameters", {{"rope_theta", 5000}}},
                  {"rope_scaling", {{"rope_theta", 6000}}}}),
            "config.json: rope_scaling: rope_theta: expected 5000, as in "
            "rope_parameters.rope_theta, found 6000");
  EXPECT_EQ(with({{"rope_scaling", {{"rope_type", "default"}, {"type", "linear"}}}}),
            "config.json: rope_scaling: type: expected \"default\", rotary angles without scaling, "
            "found \"linear\"");
  EXPECT_EQ(with({{"dtype", "float32"}, {"torch_dtype", "float32"}}), "");
  EXPECT_EQ(with({{"dtype", "bfloat16"}, {"torch_dtype", "float32"}}),
            "config.json: dtype: expected \"float32\", as in torch_dtype, found \"bfloat16\"");
}

TEST(FolderRejects, ArraysThatDoNotFitTheFile) {
  const auto with = [](const std::string& header, const std::string& data) {
    LlamaFolder model;
    model.write();
    write_whole_file(model.folder.file("model.safetensors"), safetensors_bytes(header, data));
    return model_refusal(model.folder, model.folder.path());
  };
  const std::string eight(8, '\0');
  EXPECT_EQ(with(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                 R"("b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
                 eight.substr(2)),
            "model.safetensors: expected the array 'b' to begin where the one before it ends, "
            "found an overlap");
  EXPECT_EQ(with(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", eight),
            "model.safetensors: expected the array 'a' to begin where the one before it ends, "
            "found a gap");
  EXPECT_EQ(with(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", eight),
            "model.safetensors: expected the arrays to end with the file, found 4 bytes more");
  EXPECT_EQ(with(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                 R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                 eight),
            "model.safetensors: expected the array 'a' once, found it twice");
  EXPECT_EQ(
      with(R"({"a":{"dtype":"F32","shape":[1152921504606846976],"data_offsets":[0,8]}})", eight),
      "model.safetensors: expected offsets of 'a' that fit its shape and the file");
  EXPECT_EQ(
      with(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", ""),
      "model.safetensors: 'a': expected a shape that fits into memory");
  EXPECT_EQ(
      with(R"({"a":{"dtype":"F32","shape":[0,9223372036854775808],"data_offsets":[0,0]}})", ""),
      "model.safetensors: 'a': expected a shape that fits into memory");
  for (const char* shape : {"[-1]", "[1.5]", "1", "[[1]]", "null"})
    EXPECT_EQ(
        with(std::string(R"({"a":{"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,8]}})",
             eight),
        "model.safetensors: expected dtype, shape and data_offsets of 'a'")
        << shape;
  EXPECT_EQ(with(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", eight),
            "model.safetensors: expected a type as F32, F64, BF16 or I64, found 'F8_E4M3'");
  EXPECT_EQ(with(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", eight),
            "model.safetensors: 'a': expected an encoding of F32, F16 or BF16, found 'F64'");
  EXPECT_EQ(with("[]", ""), "model.safetensors: expected a header that is a JSON object");
  LlamaFolder model;
  model.write();
  write_whole_file(model.folder.file("model.safetensors"), little_endian(kHuge, 8) + "{}");
  EXPECT_EQ(model_refusal(model.folder, model.folder.path()),
            "model.safetensors: expected a header that ends within the file, found one of "
            "1152921504606846976 bytes");
}

TEST(FolderRejects, TensorsThatTheModelHasNot) {
  LlamaFolder missing;
  missing.tensors.erase(missing.tensors.begin() + 3);
  EXPECT_EQ(
      missing.refused(),
      "model.safetensors: expected a tensor 'model.layers.0.self_attn.q_proj.weight' of shape "
      "[32, 32]");
  LlamaFolder unknown;
  unknown.tensors.push_back(f32_tensor("model.layers.2.mlp.up_proj.weight", {64, 32}, 1));
  unknown.tensors.push_back(f32_tensor("model.layers.7.mlp.up_proj.weight", {64, 32}, 1));
  EXPECT_EQ(unknown.refused(),
            "model.safetensors: 'model.layers.2.mlp.up_proj.weight': expected no such tensor in a "
            "llama model of 2 layers, found 2 of that kind");
  LlamaFolder turned;
  named(turned.tensors, "model.layers.1.mlp.down_proj.weight").shape = {64, 32};
  EXPECT_EQ(turned.refused(),
            "model.safetensors: 'model.layers.1.mlp.down_proj.weight': expected shape [32, 64], "
            "found [64, 32]");
  const TemporaryFolder empty;
  EXPECT_EQ(model_refusal(empty, empty.path()),
            "config.json: cannot be read: No such file or directory");
  EXPECT_EQ(model_refusal(empty, empty.file("nothing")),
            "nothing: cannot be read: No such file or directory");
}

TEST(FolderRejects, ShardsThatContradictTheirIndex) {
  const auto with = [](const std::function<void(Json&, Tensors&, Tensors&)>& change) {
    LlamaFolder model;
    model.write();
    std::filesystem::remove(model.folder.file("model.safetensors"));
    Tensors first(model.tensors.begin(), model.tensors.begin() + 10);
    Tensors second(model.tensors.begin() + 10, model.tensors.end());
    Json map;
    for (const SampleTensor& tensor : first) map[tensor.name] = "1.safetensors";
    for (const SampleTensor& tensor : second) map[tensor.name] = "2.safetensors";
    change(map, first, second);
    write_whole_file(model.folder.file("1.safetensors"), safetensors_bytes(first));
    write_whole_file(model.folder.file("2.safetensors"), safetensors_bytes(second));
    write_whole_file(model.folder.file("model.safetensors.index.json"),
                     Json{{"weight_map", map}}.dump());
    return model_refusal(model.folder, model.folder.path());
  };
  EXPECT_EQ(with([](Json&, Tensors&, Tensors&) {}), "");
  EXPECT_EQ(
      with([](Json& map, Tensors&, Tensors&) { map["model.norm.weight"] = "../2.safetensors"; }),
      "model.safetensors.index.json: expected the name of a file of the same folder for "
      "'model.norm.weight'");
  EXPECT_EQ(with([](Json& map, Tensors&, Tensors&) { map["model.norm.weight"] = 2; }),
            "model.safetensors.index.json: expected the name of a file of the same folder for "
            "'model.norm.weight'");
  EXPECT_EQ(with([](Json& map, Tensors&, Tensors&) { map["model.norm.weight"] = "1.safetensors"; }),
            "model.safetensors.index.json: expected 'model.norm.weight' in '1.safetensors', found "
            "it in 2.safetensors");
  EXPECT_EQ(with([](Json& map, Tensors&, Tensors&) { map["more"] = "1.safetensors"; }),
            "model.safetensors.index.json: expected 'more' in '1.safetensors', found it nowhere");
  EXPECT_EQ(with([](Json& map, Tensors&, Tensors&) { map.erase("model.norm.weight"); }),
            "2.safetensors: 'model.norm.weight': expected the index to name this array");
  EXPECT_EQ(with([](Json&, Tensors& first, Tensors& second) { second.push_back(first[0]); }),
            "2.safetensors: 'model.embed_tokens.weight': expected this array once, found it in "
            "1.safetensors too");
  EXPECT_EQ(with([](Json& map, Tensors&, Tensors&) { map = 1; }),
            "model.safetensors.index.json: expected a JSON object with an object weight_map");
}

/// A run with these changes, and how it is refused: read, or saved.
std::string run_refusal(const std::function<void(RunConfig&)>& change, bool save) {
  const TemporaryFolder folder;
  RunConfig run = support::small_run_config();
  change(run);
  write_whole_file(folder.file("record.json"), "{}");
  write_whole_file(folder.file("config.json"), to_json(run).dump());
  Tensors tensors = support::small_run_tensors();
  if (run.model.readout_bias)
    tensors.push_back(f32_tensor("readout.bias", {named(tensors, "readout.weight").shape[0]}, 1));
  if (run.model.router != ModelConfig::Router::none) {
    tensors.push_back(f32_tensor("router.weight", {1, 8}, 1));
    tensors.push_back(f32_tensor("router.bias", {1}, 1));
  }
  write_whole_file(folder.file("model.safetensors"), safetensors_bytes(tensors));
  if (!save) return model_refusal(folder, folder.path());
  try {
    save_language_model(LanguageModelFile(folder.path()), folder.file("saved"));
    return "";
  } catch (const InputError& error) {
    EXPECT_FALSE(std::filesystem::exists(folder.file("saved")));
    return std::string(error.what()).substr(folder.path().size());
  }
}

TEST(RunRejects, WhatIsNoLanguageModel) {
  const auto refused = [](const std::function<void(RunConfig&)>& change) {
    return run_refusal(change, false);
  };
  const std::string sentence = "config.json: expected a run of a language model, ";
  EXPECT_EQ(refused([](RunConfig&) {}), "");
  EXPECT_EQ(refused([](RunConfig& run) { run.task = TaskConfig(); }), sentence + "a task of text");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.norm = ModelConfig::NormKind::layernorm; }),
            sentence + "model.norm rmsnorm");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.activation = ModelConfig::Activation::gelu; }),
            sentence + "model.activation swiglu");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.bias = true; }), sentence + "model.bias false");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.layer_scale = 1; }),
            sentence + "no model.layer_scale");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.positions = ModelConfig::Positions::none; }),
            sentence + "model.positions rotary");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.gate = ModelConfig::Gate::gru; }),
            sentence + "model.gate and model.step_embedding none");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.heads = 3; }),
            "config.json: model.heads: expected a divisor of model.width = 8, found 3");
}

TEST(RunRejects, WhatNeitherArchitectureCanSay) {
  const auto refused = [](const std::function<void(RunConfig&)>& change) {
    return run_refusal(change, true);
  };
  const std::string sentence = ": expected a model that llama or olmo2 can represent, ";
  EXPECT_EQ(refused([](RunConfig& run) {
              run.model.loops = {LoopRule::Kind::adaptive, 1, 3};
              run.model.router = ModelConfig::Router::mixture;
            }),
            sentence + "with a fixed number of loops");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.loops.least = 300; }),
            sentence + "with at most 512 layers when its loops are unrolled");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.readout_bias = true; }),
            sentence + "without model.readout_bias");
  EXPECT_EQ(refused([](RunConfig& run) { run.model.norm_place = ModelConfig::NormPlace::before; }),
            sentence + "without model.query_key_norm where norms come first");
}

TEST(SaveRejects, TheFolderOfTheModelItselfAndThatOfARun) {
  LlamaFolder model;
  model.write();
  const LanguageModelFile file(model.folder.path());
  const std::string before = read_whole_file(model.folder.file("config.json"));
  EXPECT_THROW(save_language_model(file, model.folder.path()), InputError);
  EXPECT_EQ(read_whole_file(model.folder.file("config.json")), before);
  const TemporaryFolder run;
  write_whole_file(run.file("record.json"), "{}");
  EXPECT_THROW(save_language_model(file, run.path()), InputError);
  EXPECT_FALSE(std::filesystem::exists(run.file("config.json")));
}

/// The bytes with a few of them replaced, removed or repeated, most of them near the beginning.
std::string damaged(std::string bytes) {
  const auto most = static_cast<std::size_t>(*rc::gen::element(64, 1024, 1 << 20));
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes && !bytes.empty(); ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, std::min(most, bytes.size()));
    const auto length = std::min(*rc::gen::inRange<std::size_t>(1, 9), bytes.size() - at);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        bytes[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        bytes.replace(at, length, std::string(length, *rc::gen::element('\0', '\xff', '9')));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(at, bytes.substr(at, length));
    }
  }
  return bytes;
}

/// In place: thousands of new files take a minute where folders are slow.
void overwrite(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// Whether a model is read: the only other outcome is an InputError of one line.
bool reads(const std::string& path) {
  try {
    const LanguageModelFile file(path);
    for (const auto& parameter : file.parameters()) file.values(parameter);
    file.digest();
    return true;
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
    return false;
  }
}

RC_GTEST_PROP(DamagedModels, OfGgufAreReadOrRefused, ()) {
  static const std::string valid =
      gguf_bytes(support::small_gguf_metadata(), support::small_gguf_tensors());
  static const TemporaryFolder folder;
  overwrite(folder.file("m.gguf"), damaged(valid));
  RC_CLASSIFY(reads(folder.file("m.gguf")), "read");
}

RC_GTEST_PROP(DamagedModels, OfSafetensorsAreReadOrRefused, ()) {
  static const std::string arrays = safetensors_bytes(support::small_llama_tensors()),
                           config = support::small_llama_config().dump();
  static const TemporaryFolder folder;
  const bool settings = *rc::gen::arbitrary<bool>();
  overwrite(folder.file("config.json"), settings ? damaged(config) : config);
  overwrite(folder.file("model.safetensors"), settings ? arrays : damaged(arrays));
  RC_CLASSIFY(reads(folder.path()), "read");
}

}  // namespace
}  // namespace logdepth::model_folders_tests
