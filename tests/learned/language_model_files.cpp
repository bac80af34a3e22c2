// Language models on disk: what the readers make of small files written without their code, and
// what is saved and read back.

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "learned/encode_think_decode/etd_text.hpp"
#include "learned/language_model/save_language_model.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/model_files.hpp"

namespace logdepth::language_model_files_tests {
namespace {

using support::gguf_bytes;
using support::gguf_text;
using support::little_endian;
using support::named;
using support::safetensors_bytes;
using support::SampleTensor;

/// A folder in which small models are put.
struct ModelFolder {
  TemporaryFolder folder;

  std::string gguf(const std::vector<SampleTensor>& tensors) const {
    write_whole_file(folder.file("small.gguf"),
                     gguf_bytes(support::small_gguf_metadata(), tensors));
    return folder.file("small.gguf");
  }
  std::string hugging_face(const nlohmann::json& config,
                           const std::vector<SampleTensor>& tensors) const {
    write_whole_file(folder.file("config.json"), config.dump());
    write_whole_file(folder.file("model.safetensors"), safetensors_bytes(tensors));
    return folder.path();
  }
  std::string run(const RunConfig& config, const std::vector<SampleTensor>& tensors) const {
    write_whole_file(folder.file("record.json"), "{}");
    return hugging_face(nlohmann::json::parse(to_json(config).dump()), tensors);
  }
};

const LanguageModelFile::Parameter& parameter(const LanguageModelFile& file,
                                              const std::string& name) {
  for (const auto& parameter : file.parameters())
    if (parameter.name == name) return parameter;
  throw std::out_of_range("no parameter " + name);
}

std::string bytes_of(const LanguageModelFile& file, const std::string& name) {
  return support::floats_bytes(file.values(parameter(file, name)));
}

/// All arrays of a safetensors file, by name.
std::map<std::string, std::string> arrays_of(const std::string& file) {
  std::map<std::string, std::string> bytes;
  for (const auto& [name, array] : read_safetensors(file).arrays) {
    EXPECT_EQ(array.type, "F32") << name;
    bytes[name] = array.bytes;
  }
  return bytes;
}

std::map<std::string, std::string> arrays_of(const std::vector<SampleTensor>& tensors) {
  std::map<std::string, std::string> bytes;
  for (const SampleTensor& tensor : tensors) bytes[tensor.name] = tensor.bytes;
  return bytes;
}

TEST(GgufFiles, MetadataOfEveryTypeAreRead) {
  const auto typed = [](std::uint64_t type, const std::string& value) {
    return little_endian(type, 4) + value;
  };
  const auto list = [&](std::uint64_t type, std::uint64_t count, const std::string& values) {
    return typed(9, little_endian(type, 4) + little_endian(count, 8) + values);
  };
  const TemporaryFolder folder;
  const std::string inner = little_endian(10, 4) + little_endian(1, 8) + little_endian(7, 8);
  write_whole_file(
      folder.file("all.gguf"),
      gguf_bytes({{"u8", typed(0, "\xff")},
                  {"i8", typed(1, "\xff")},
                  {"u16", typed(2, little_endian(65535, 2))},
                  {"i16", typed(3, little_endian(65534, 2))},
                  {"u32", typed(4, little_endian(4294967295, 4))},
                  {"i32", typed(5, little_endian(4294967293, 4))},
                  {"f32", support::gguf_real(0.1f)},
                  {"bool", typed(7, std::string(1, '\1'))},
                  {"text", gguf_text("a\nb")},
                  {"u64", typed(10, little_endian(~std::uint64_t{0}, 8))},
                  {"i64", typed(11, little_endian(~std::uint64_t{0} - 3, 8))},
                  {"f64", typed(12, little_endian(0x3fb999999999999a, 8))},
                  {"bytes", list(0, 2, "\x01\x80")},
                  {"signed", list(3, 1, little_endian(65535, 2))},
                  {"reals", list(6, 1, support::float_bytes(0.5f))},
                  {"flags", list(7, 2, std::string("\0\1", 2))},
                  {"texts", list(8, 2, support::gguf_string("x") + support::gguf_string(""))},
                  {"lists", list(9, 2, inner + inner)}},
                 {}));
  const GgufFile gguf = read_gguf(folder.file("all.gguf"));
  const auto value = [&]<class T>(const char* key, T) {
    return std::get<T>(gguf.metadata.at(key).value);
  };
  const auto array = [&]<class T>(const char* key, T) {
    return std::get<std::vector<T>>(std::get<GgufArray>(gguf.metadata.at(key).value));
  };
  EXPECT_EQ(gguf.metadata.size(), 18u);
  EXPECT_EQ(value("u8", std::uint64_t{}), 255u);
  EXPECT_EQ(value("i8", std::int64_t{}), -1);
  EXPECT_EQ(value("u16", std::uint64_t{}), 65535u);
  EXPECT_EQ(value("i16", std::int64_t{}), -2);
  EXPECT_EQ(value("u32", std::uint64_t{}), 4294967295u);
  EXPECT_EQ(value("i32", std::int64_t{}), -3);
  EXPECT_EQ(value("f32", double{}), static_cast<double>(0.1f));
  EXPECT_EQ(value("bool", bool{}), true);
  EXPECT_EQ(value("text", std::string{}), "a\nb");
  EXPECT_EQ(value("u64", std::uint64_t{}), ~std::uint64_t{0});
  EXPECT_EQ(value("i64", std::int64_t{}), -4);
  EXPECT_EQ(value("f64", double{}), 0.1);
  EXPECT_EQ(array("bytes", std::uint64_t{}), (std::vector<std::uint64_t>{1, 128}));
  EXPECT_EQ(array("signed", std::int64_t{}), std::vector<std::int64_t>{-1});
  EXPECT_EQ(array("reals", double{}), std::vector<double>{0.5});
  EXPECT_EQ(array("flags", bool{}), (std::vector<bool>{false, true}));
  EXPECT_EQ(array("texts", std::string{}), (std::vector<std::string>{"x", ""}));
  const auto lists = array("lists", GgufValue{});
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(std::get<std::vector<std::uint64_t>>(std::get<GgufArray>(lists[1].value)),
            std::vector<std::uint64_t>{7});
}

TEST(GgufFiles, TheAlignmentIsTheFilesOwn) {
  const TemporaryFolder folder;
  const std::vector<SampleTensor> tensors = {support::f32_tensor("a", {1}, 1),
                                             support::f32_tensor("b", {2}, 2)};
  for (const std::uint32_t alignment : {8u, 64u}) {
    write_whole_file(
        folder.file("a.gguf"),
        gguf_bytes({{"general.alignment", support::gguf_number(alignment)}}, tensors, alignment));
    std::vector<float> values;
    append_values(read_gguf(folder.file("a.gguf")).tensors.at("b"), values);
    EXPECT_EQ(values, (std::vector<float>{2, 2 + 1.0f / 64})) << alignment;
  }
}

TEST(LanguageModelFiles, AGgufFileSaysItsShapeAndItsParameters) {
  const ModelFolder folder;
  auto tensors = support::small_gguf_tensors();
  const std::string path = folder.gguf(tensors);
  const LanguageModelFile file(path);
  EXPECT_EQ(file.architecture(), "llama");
  EXPECT_EQ(file.vocabulary(), 5u);
  EXPECT_EQ(file.context(), 128u);
  const ModelConfig& model = file.model();
  EXPECT_EQ(model.initial, 2u);
  EXPECT_EQ(model.repeated + model.final, 0u);
  EXPECT_EQ(model.width, 32u);
  EXPECT_EQ(model.heads, 4u);
  EXPECT_EQ(model.key_value_heads, 2u);
  EXPECT_EQ(model.hidden, 64u);
  EXPECT_EQ(model.norm_epsilon, static_cast<double>(1e-5f));
  EXPECT_EQ(model.rotary_base, 100000);
  EXPECT_EQ(model.rotary_pairs, ModelConfig::RotaryPairs::neighbours);
  EXPECT_EQ(model.norm_place, ModelConfig::NormPlace::before);
  EXPECT_EQ(model.norm, ModelConfig::NormKind::rmsnorm);
  EXPECT_EQ(model.activation, ModelConfig::Activation::swiglu);
  EXPECT_EQ(model.positions, ModelConfig::Positions::rotary);
  EXPECT_TRUE(model.tied_readout);
  EXPECT_FALSE(model.bias || model.readout_bias || model.query_key_norm);
  EXPECT_EQ(file.encodings(), (std::map<std::string, std::uint64_t>{{"F32", 20}}));
  EXPECT_EQ(parameter(file, "layers.1.query_key_value.weight").shape,
            (std::vector<std::int64_t>{64, 32}));
  EXPECT_EQ(bytes_of(file, "layers.1.query_key_value.weight"),
            named(tensors, "blk.1.attn_q.weight").bytes +
                named(tensors, "blk.1.attn_k.weight").bytes +
                named(tensors, "blk.1.attn_v.weight").bytes);
  EXPECT_EQ(parameter(file, "layers.0.in.weight").shape, (std::vector<std::int64_t>{128, 32}));
  EXPECT_EQ(bytes_of(file, "layers.0.in.weight"), named(tensors, "blk.0.ffn_gate.weight").bytes +
                                                      named(tensors, "blk.0.ffn_up.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.0.out.weight"), named(tensors, "blk.0.ffn_down.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.0.output.weight"),
            named(tensors, "blk.0.attn_output.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.0.attention_norm.weight"),
            named(tensors, "blk.0.attn_norm.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.0.feed_forward_norm.weight"),
            named(tensors, "blk.0.ffn_norm.weight").bytes);
  EXPECT_EQ(bytes_of(file, "embedding.0"), named(tensors, "token_embd.weight").bytes);
  EXPECT_EQ(bytes_of(file, "final_norm.weight"), named(tensors, "output_norm.weight").bytes);
  const std::uint64_t count = 5 * 32 + 32 + 2 * (32 + 32 + 64 * 32 + 32 * 32 + 128 * 32 + 32 * 64);
  EXPECT_EQ(file.parameter_count(), count);
  EXPECT_EQ(file.bytes_in_float(), 4 * count);
  EXPECT_EQ(file.digest(), sha256(read_whole_file(path)));
  EXPECT_FALSE(file.has_tokens());
}

TEST(LanguageModelFiles, AReadoutOfItsOwnIsReadFromGguf) {
  const ModelFolder folder;
  auto tensors = support::small_gguf_tensors();
  tensors.push_back(support::f32_tensor("output.weight", {5, 32}, -9));
  const LanguageModelFile file(folder.gguf(tensors));
  EXPECT_FALSE(file.model().tied_readout);
  EXPECT_EQ(bytes_of(file, "readout.weight"), tensors.back().bytes);
}

TEST(LanguageModelFiles, EncodingsMayDifferFromArrayToArray) {
  const ModelFolder folder;
  auto tensors = support::small_gguf_tensors();
  SampleTensor& gate = named(tensors, "blk.0.ffn_gate.weight");
  gate.type = "Q8_0";  // a row is a block: row i is all i / 2
  gate.bytes.clear();
  for (int row = 0; row < 64; ++row)
    gate.bytes += little_endian(0x3800, 2) + std::string(32, static_cast<char>(row));
  SampleTensor& norm = named(tensors, "output_norm.weight");
  norm.type = "BF16";
  norm.bytes.clear();
  for (int i = 0; i < 32; ++i) norm.bytes += little_endian(0x3f80, 2);  // 1
  const LanguageModelFile file(folder.gguf(tensors));
  EXPECT_EQ(file.encodings(),
            (std::map<std::string, std::uint64_t>{{"F32", 18}, {"BF16", 1}, {"Q8_0", 1}}));
  EXPECT_EQ(file.values(parameter(file, "final_norm.weight")), std::vector<float>(32, 1));
  std::vector<float> rows;
  for (int row = 0; row < 64; ++row) rows.insert(rows.end(), 32, static_cast<float>(row) / 2);
  EXPECT_EQ(bytes_of(file, "layers.0.in.weight"),
            support::floats_bytes(rows) + named(tensors, "blk.0.ffn_up.weight").bytes);
}

TEST(LanguageModelFiles, AnArrayLargerThanAPieceIsReadToItsEnd) {
  const ModelFolder folder;
  auto tensors = support::small_gguf_tensors();
  named(tensors, "token_embd.weight") = support::f32_tensor("token_embd.weight", {10000, 32}, 1);
  const LanguageModelFile file(folder.gguf(tensors));
  EXPECT_EQ(file.vocabulary(), 10000u);
  EXPECT_EQ(bytes_of(file, "embedding.0"), named(tensors, "token_embd.weight").bytes);
  EXPECT_EQ(file.digest(), sha256(read_whole_file(file.path())));
}

TEST(LanguageModelFiles, AFolderOfOlmo2HasItsNormsBehindTheSublayers) {
  const ModelFolder folder;
  auto tensors = support::small_olmo2_tensors();
  const LanguageModelFile file(folder.hugging_face(support::small_olmo2_config(), tensors));
  EXPECT_EQ(file.architecture(), "olmo2");
  const ModelConfig& model = file.model();
  EXPECT_EQ(model.norm_place, ModelConfig::NormPlace::after);
  EXPECT_TRUE(model.query_key_norm);
  EXPECT_EQ(model.query_key_norm_over, ModelConfig::NormOver::all_heads);
  EXPECT_EQ(model.rotary_pairs, ModelConfig::RotaryPairs::halves);
  EXPECT_EQ(model.norm_epsilon, 1e-6);
  EXPECT_FALSE(model.tied_readout);
  EXPECT_EQ(bytes_of(file, "layers.1.attention_norm.weight"),
            named(tensors, "model.layers.1.post_attention_layernorm.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.1.feed_forward_norm.weight"),
            named(tensors, "model.layers.1.post_feedforward_layernorm.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.1.query_norm.weight"),
            named(tensors, "model.layers.1.self_attn.q_norm.weight").bytes);
  EXPECT_EQ(bytes_of(file, "layers.1.key_norm.weight"),
            named(tensors, "model.layers.1.self_attn.k_norm.weight").bytes);
  EXPECT_EQ(bytes_of(file, "readout.weight"), named(tensors, "lm_head.weight").bytes);
  EXPECT_EQ(file.digest(),
            sha256(sha256(read_whole_file(folder.folder.file("config.json"))) + "  config.json\n" +
                   sha256(read_whole_file(folder.folder.file("model.safetensors"))) +
                   "  model.safetensors\n"));
}

TEST(LanguageModelFiles, SettingsOfNewerFilesAreReadToo) {
  const ModelFolder folder;
  nlohmann::json config = support::small_llama_config();
  config.erase("rope_theta");
  config.erase("rope_scaling");
  config.erase("num_key_value_heads");
  config["num_attention_heads"] = 2;
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 500}};
  config["layer_types"] = {"full_attention", "full_attention"};
  config["head_dim"] = 16;
  auto tensors = support::small_llama_tensors();
  for (const char* layer : {"0", "1"})
    for (const char* name : {"k_proj", "v_proj"}) {
      const std::string full =
          std::string("model.layers.") + layer + ".self_attn." + name + ".weight";
      named(tensors, full) = support::f32_tensor(full, {32, 32}, 7);
    }
  const LanguageModelFile file(folder.hugging_face(config, tensors));
  EXPECT_EQ(file.model().rotary_base, 500);
  EXPECT_EQ(file.model().key_value_heads, 2u);
}

TEST(LanguageModelFiles, ATiedReadoutMayBeStoredIfItIsTheEmbedding) {
  const ModelFolder folder;
  auto tensors = support::small_llama_tensors();
  SampleTensor head = named(tensors, "model.embed_tokens.weight");
  head.name = "lm_head.weight";
  tensors.push_back(head);
  EXPECT_TRUE(LanguageModelFile(folder.hugging_face(support::small_llama_config(), tensors))
                  .model()
                  .tied_readout);
  tensors.back().bytes[5] ^= 1;
  EXPECT_THROW(LanguageModelFile(folder.hugging_face(support::small_llama_config(), tensors)),
               InputError);
  // Where the settings do not say, the arrays do.
  nlohmann::json config = support::small_llama_config();
  config.erase("tie_word_embeddings");
  EXPECT_FALSE(LanguageModelFile(folder.hugging_face(config, tensors)).model().tied_readout);
  tensors.pop_back();
  EXPECT_TRUE(LanguageModelFile(folder.hugging_face(config, tensors)).model().tied_readout);
}

TEST(LanguageModelFiles, RotaryNumbersThatSayWhatIsComputedAreRead) {
  const ModelFolder folder;
  auto tensors = support::small_llama_tensors();
  tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq",
                     {4},
                     "F32",
                     support::floats_bytes({1, 0.056234133f, 0.0031622777f, 0.00017782794f})});
  EXPECT_NO_THROW(LanguageModelFile(folder.hugging_face(support::small_llama_config(), tensors)));
  tensors.back().bytes = support::floats_bytes({1, 0.05623f, 0.0031622777f, 0.00017782794f});
  EXPECT_THROW(LanguageModelFile(folder.hugging_face(support::small_llama_config(), tensors)),
               InputError);
  auto gguf = support::small_gguf_tensors();
  gguf.push_back({"rope_freqs.weight", {4}, "F32", support::floats_bytes({1, 1, 1, 1})});
  EXPECT_NO_THROW(LanguageModelFile(folder.gguf(gguf)));
  gguf.back().bytes = support::floats_bytes({1, 1, 1, 8});
  EXPECT_THROW(LanguageModelFile(folder.gguf(gguf)), InputError);
}

TEST(LanguageModelFiles, ShardsAreOneModel) {
  const ModelFolder folder;
  const auto tensors = support::small_olmo2_tensors();
  const LanguageModelFile whole(folder.hugging_face(support::small_olmo2_config(), tensors));
  std::map<std::string, std::string> values;
  for (const auto& parameter : whole.parameters())
    values[parameter.name] = support::floats_bytes(whole.values(parameter));
  std::filesystem::remove(folder.folder.file("model.safetensors"));
  nlohmann::json index = {{"metadata", {{"total_size", 0}}}};
  std::vector<std::vector<SampleTensor>> shards(3);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    shards[i % 3].push_back(tensors[i]);
    index["weight_map"][tensors[i].name] = "part-" + std::to_string(i % 3) + ".safetensors";
  }
  for (std::size_t i = 0; i < 3; ++i)
    write_whole_file(folder.folder.file("part-" + std::to_string(i) + ".safetensors"),
                     safetensors_bytes(shards[i]));
  write_whole_file(folder.folder.file("model.safetensors.index.json"), index.dump());
  const LanguageModelFile parts(folder.folder.path());
  ASSERT_EQ(parts.parameters().size(), values.size());
  for (const auto& [name, bytes] : values) EXPECT_EQ(bytes_of(parts, name), bytes) << name;
  const std::string digest = parts.digest();
  EXPECT_NE(digest, whole.digest());
  shards[1][0].bytes[2] ^= 1;
  write_whole_file(folder.folder.file("part-1.safetensors"), safetensors_bytes(shards[1]));
  EXPECT_NE(LanguageModelFile(folder.folder.path()).digest(), digest);
}

TEST(LanguageModelFiles, AModelLargerThanMemoryIsRefusedWithBothSizes) {
  const ModelFolder folder;
  const LanguageModelFile file(folder.gguf(support::small_gguf_tensors()));
  EXPECT_NO_THROW(file.expect_memory(1, file.bytes_in_float()));
  EXPECT_NO_THROW(file.expect_memory(4, 4 * file.bytes_in_float()));
  EXPECT_NO_THROW(file.expect_memory());
  try {
    file.expect_memory(1, file.bytes_in_float() - 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              file.path() +
                  ": expected a model that takes at most the 75007 bytes of memory that are "
                  "available, found one of 75008 bytes as floats");
  }
  try {
    file.expect_memory(4, 4 * file.bytes_in_float() - 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .ends_with("found one of 75008 bytes as floats, 4 times as many while it is "
                               "trained"))
        << error.what();
  }
}

TEST(SavedLanguageModels, OfHuggingFaceAreWhatWasRead) {
  for (const bool olmo2 : {false, true}) {
    const ModelFolder folder;
    const auto tensors = olmo2 ? support::small_olmo2_tensors() : support::small_llama_tensors();
    const auto config = olmo2 ? support::small_olmo2_config() : support::small_llama_config();
    const LanguageModelFile file(folder.hugging_face(config, tensors));
    save_language_model(file, folder.folder.file("saved"));
    EXPECT_EQ(arrays_of(folder.folder.file("saved/model.safetensors")), arrays_of(tensors));
    const auto saved =
        nlohmann::json::parse(read_whole_file(folder.folder.file("saved/config.json")));
    for (const auto& [key, value] : config.items()) EXPECT_EQ(saved.at(key), value) << key;
    const LanguageModelFile again(folder.folder.file("saved"));
    RunConfig before, after;
    before.model = file.model();
    after.model = again.model();
    EXPECT_EQ(to_json(after).dump(), to_json(before).dump());
    EXPECT_EQ(again.context(), file.context());
  }
}

TEST(SavedLanguageModels, OfGgufTurnTheirChannelsBackToHalves) {
  const ModelFolder folder;
  const LanguageModelFile file(folder.gguf(support::small_gguf_tensors()));
  save_language_model(file, folder.folder.file("saved"));
  EXPECT_EQ(arrays_of(folder.folder.file("saved/model.safetensors")),
            arrays_of(support::small_llama_tensors()));
  const LanguageModelFile again(folder.folder.file("saved"));
  EXPECT_EQ(again.model().rotary_pairs, ModelConfig::RotaryPairs::halves);
  EXPECT_EQ(again.model().norm_epsilon, file.model().norm_epsilon);
  EXPECT_TRUE(again.model().tied_readout);
}

TEST(SavedLanguageModels, LoopsAreUnrolledIntoLayers) {
  const ModelFolder folder;
  auto tensors = support::small_run_tensors();
  const LanguageModelFile run(folder.run(support::small_run_config(), tensors));
  EXPECT_EQ(run.architecture(), "logdepth");
  EXPECT_EQ(run.vocabulary(), etd_words().size());
  EXPECT_EQ(run.model().repeated, 2u);
  EXPECT_EQ(bytes_of(run, "layers.2.in.weight"), named(tensors, "repeated.1.in.weight").bytes);
  EXPECT_EQ(bytes_of(run, "layers.3.out.weight"), named(tensors, "final.0.out.weight").bytes);
  save_language_model(run, folder.folder.file("saved"));
  const LanguageModelFile saved(folder.folder.file("saved"));
  EXPECT_EQ(saved.architecture(), "olmo2");
  const std::vector<std::string> layers = {"initial.0.",  "repeated.0.", "repeated.1.",
                                           "repeated.0.", "repeated.1.", "repeated.0.",
                                           "repeated.1.", "final.0."};
  ASSERT_EQ(saved.model().initial, layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const char* name :
         {"attention_norm.weight", "feed_forward_norm.weight", "query_key_value.weight",
          "query_norm.weight", "key_norm.weight", "output.weight", "in.weight", "out.weight"})
      EXPECT_EQ(bytes_of(saved, "layers." + std::to_string(i) + "." + name),
                named(tensors, layers[i] + name).bytes)
          << i << " " << name;
  EXPECT_EQ(bytes_of(saved, "readout.weight"), named(tensors, "readout.weight").bytes);
}

TEST(SavedLanguageModels, ARunWhoseNeighboursTurnIsSavedByHalvesWithItsNorms) {
  const ModelFolder folder;
  RunConfig config = support::small_run_config();
  config.model.rotary_pairs = ModelConfig::RotaryPairs::neighbours;
  auto tensors = support::small_run_tensors();
  save_language_model(LanguageModelFile(folder.run(config, tensors)), folder.folder.file("saved"));
  const auto saved = arrays_of(folder.folder.file("saved/model.safetensors"));
  // Heads of width 4: channels 0 1 2 3 turn as (0, 1), (2, 3) and become 0 2 1 3.
  const std::string& norm = named(tensors, "initial.0.query_norm.weight").bytes;
  const auto channel = [&](std::size_t i) { return norm.substr(4 * i, 4); };
  EXPECT_EQ(saved.at("model.layers.0.self_attn.q_norm.weight"),
            channel(0) + channel(2) + channel(1) + channel(3) + channel(4) + channel(6) +
                channel(5) + channel(7));
  const std::string& rows = named(tensors, "initial.0.query_key_value.weight").bytes;
  const auto row = [&](std::size_t i) { return rows.substr(32 * i, 32); };
  EXPECT_EQ(saved.at("model.layers.0.self_attn.k_proj.weight"),
            row(8) + row(10) + row(9) + row(11) + row(12) + row(14) + row(13) + row(15));
  EXPECT_EQ(saved.at("model.layers.0.self_attn.v_proj.weight"), rows.substr(32 * 16));
}

}  // namespace
}  // namespace logdepth::language_model_files_tests
