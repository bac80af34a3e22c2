// GGUF files that must be refused, each for its own reason, in a sentence that names file and
// tensor.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/file/whole_file.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_refusals.hpp"

namespace logdepth::gguf_models_tests {
namespace {

using support::f32_tensor;
using support::gguf_bytes;
using support::gguf_number;
using support::gguf_real;
using support::gguf_string;
using support::gguf_text;
using support::GgufMetadata;
using support::little_endian;
using support::model_refusal;
using support::named;
using support::SampleTensor;
using Tensors = std::vector<SampleTensor>;

constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;

std::string gguf_refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  write_whole_file(folder.file("m.gguf"), bytes);
  return model_refusal(folder, folder.file("m.gguf"));
}

std::string refusal_with(const std::function<void(GgufMetadata&, Tensors&)>& change) {
  GgufMetadata metadata = support::small_gguf_metadata();
  Tensors tensors = support::small_gguf_tensors();
  change(metadata, tensors);
  return gguf_refusal(gguf_bytes(metadata, tensors));
}

void set(GgufMetadata& metadata, const std::string& key, const std::string& value) {
  for (auto& [known, old] : metadata)
    if (known == key) {
      old = value;
      return;
    }
  metadata.emplace_back(key, value);
}

/// A header of one tensor of these dimensions (the contiguous one first), and some data.
std::string one_tensor(const std::vector<std::uint64_t>& dimensions, std::uint32_t type,
                       std::uint64_t offset) {
  std::string bytes = "GGUF" + little_endian(3, 4) + little_endian(1, 8) + little_endian(0, 8) +
                      gguf_string("t") + little_endian(dimensions.size(), 4);
  for (const std::uint64_t side : dimensions) bytes += little_endian(side, 8);
  bytes += little_endian(type, 4) + little_endian(offset, 8);
  return bytes + std::string(160 - bytes.size(), '\0');
}

TEST(GgufRejects, HeadersThatAreNone) {
  const std::string head = "GGUF" + little_endian(3, 4);
  EXPECT_EQ(gguf_refusal(""), "m.gguf: expected a GGUF file, which begins with 'GGUF'");
  EXPECT_EQ(gguf_refusal("GGML" + std::string(40, '\0')),
            "m.gguf: expected a GGUF file, which begins with 'GGUF'");
  EXPECT_EQ(gguf_refusal("GGUF" + little_endian(2, 4) + std::string(40, '\0')),
            "m.gguf: expected version 3 of GGUF, little-endian, found 2");
  EXPECT_EQ(gguf_refusal(head),
            "m.gguf: the number of tensors: expected more, found the end of the file");
  EXPECT_EQ(gguf_refusal(head + little_endian(kHuge, 8) + little_endian(0, 8)),
            "m.gguf: the number of tensors: expected a count that fits into the file, found "
            "1152921504606846976");
  EXPECT_EQ(gguf_refusal(head + little_endian(0, 8) + little_endian(~std::uint64_t{0}, 8)),
            "m.gguf: the number of metadata: expected a count that fits into the file, found "
            "18446744073709551615");
  EXPECT_EQ(gguf_refusal(head + little_endian(0, 8) + little_endian(1, 8) +
                         little_endian(kHuge, 8) + "k"),
            "m.gguf: a key of the metadata: expected a text that ends within the file, found one "
            "of 1152921504606846976 bytes");
}

TEST(GgufRejects, MetadataThatCannotBeRead) {
  const auto with = [](const std::string& value) {
    return gguf_refusal(gguf_bytes({{"k", value}}, {}));
  };
  EXPECT_EQ(with(little_endian(13, 4) + little_endian(0, 8)),
            "m.gguf: 'k': expected a type of value from 0 to 12, found 13");
  EXPECT_EQ(with(little_endian(7, 4) + "\2"), "m.gguf: 'k': expected 0 or 1, found 2");
  EXPECT_EQ(with(little_endian(9, 4) + little_endian(12, 4) + little_endian(kHuge, 8)),
            "m.gguf: 'k': expected a count that fits into the file, found 1152921504606846976");
  std::string deep = little_endian(9, 4);
  for (int i = 0; i < 9; ++i) deep += little_endian(9, 4) + little_endian(1, 8);
  EXPECT_EQ(with(deep), "m.gguf: 'k': expected arrays in at most 4 levels");
  EXPECT_EQ(gguf_refusal(gguf_bytes({{"k", gguf_number(1)}, {"k", gguf_number(1)}}, {})),
            "m.gguf: 'k': expected this key once, found it twice");
  EXPECT_EQ(gguf_refusal(gguf_bytes({{"general.alignment", gguf_number(24)}}, {})),
            "m.gguf: general.alignment: expected a power of two up to 1048576");
}

TEST(GgufRejects, TensorsThatDoNotFitTheFile) {
  EXPECT_EQ(gguf_refusal(one_tensor({kHuge}, 0, 0)),
            "m.gguf: 't': expected a tensor within the file, found shape [1152921504606846976] at "
            "0");
  EXPECT_EQ(gguf_refusal(one_tensor({kHuge, kHuge, 16, 1}, 0, 0)),
            "m.gguf: 't': expected a tensor within the file, found shape [1, 16, "
            "1152921504606846976, 1152921504606846976] at 0");
  EXPECT_EQ(gguf_refusal(one_tensor({8}, 0, ~std::uint64_t{0} - 15)),
            "m.gguf: 't': expected a tensor within the file, found shape [8] at "
            "18446744073709551600");
  EXPECT_EQ(gguf_refusal(one_tensor({8}, 0, 32)),
            "m.gguf: 't': expected the tensor to begin where the one before it ends, at 0, found a "
            "gap at 32");
  EXPECT_EQ(gguf_refusal(one_tensor({}, 0, 0)), "m.gguf: 't': expected 1 to 4 dimensions, found 0");
  EXPECT_EQ(gguf_refusal(one_tensor({1, 1, 1, 1, 1}, 0, 0)),
            "m.gguf: 't': expected 1 to 4 dimensions, found 5");
  EXPECT_EQ(gguf_refusal(one_tensor({32}, 14, 0)),
            "m.gguf: 't': expected an encoding of F32, F16, BF16, Q8_0, Q4_0 or Q4_1, found Q6_K");
  EXPECT_EQ(gguf_refusal(one_tensor({32}, 77, 0)),
            "m.gguf: 't': expected an encoding of F32, F16, BF16, Q8_0, Q4_0 or Q4_1, found number "
            "77");
  EXPECT_EQ(gguf_refusal(one_tensor({16, 2}, 2, 0)),
            "m.gguf: 't': Q4_0 expects rows of a multiple of 32 numbers, found 16");
  // 24 bytes of data are there, 28 are asked for.
  EXPECT_EQ(gguf_refusal(one_tensor({7}, 0, 0).substr(0, 88)),
            "m.gguf: 't': expected the tensor to end within the file of 88 bytes, found its end "
            "at 92");
  std::string overlap = gguf_bytes({}, {f32_tensor("a", {16}, 1), f32_tensor("b", {8}, 2)});
  const std::size_t second = overlap.find(little_endian(64, 8));
  overlap.replace(second, 8, little_endian(32, 8));
  EXPECT_EQ(gguf_refusal(overlap),
            "m.gguf: 'b': expected the tensor to begin where the one before it ends, at 64, found "
            "an overlap at 32");
  EXPECT_EQ(gguf_refusal(gguf_bytes({}, {f32_tensor("a", {8}, 1), f32_tensor("a", {8}, 1)})),
            "m.gguf: 'a': expected this tensor once, found it twice");
  EXPECT_EQ(gguf_refusal(gguf_bytes({}, {f32_tensor("a", {8}, 1)}) + "x"),
            "m.gguf: expected the tensors to end with the file, found 1 bytes more");
}

TEST(GgufRejects, EveryPrefixOfAFile) {
  const std::string bytes =
      gguf_bytes(support::small_gguf_metadata(), support::small_gguf_tensors());
  const TemporaryFolder folder;
  for (std::size_t length = 0; length < bytes.size(); length += length < 2500 ? 11 : 9973) {
    write_whole_file(folder.file("m.gguf"), bytes.substr(0, length));
    ASSERT_NE(model_refusal(folder, folder.file("m.gguf")), "") << length;
  }
}

TEST(GgufRejects, SettingsThatTheModelHasNot) {
  const auto with = [](const std::string& key, const std::string& value) {
    return refusal_with([&](GgufMetadata& metadata, Tensors&) { set(metadata, key, value); });
  };
  EXPECT_EQ(refusal_with([](GgufMetadata&, Tensors&) {}), "");
  EXPECT_EQ(with("general.architecture", gguf_text("qwen2")),
            "m.gguf: general.architecture: expected the architecture llama, found \"qwen2\"");
  EXPECT_EQ(with("llama.block_count", gguf_number(0)),
            "m.gguf: llama.block_count: expected a whole number from 1 to 512, found 0");
  EXPECT_EQ(with("llama.embedding_length", gguf_number(4294967295)),
            "m.gguf: llama.embedding_length: expected a whole number from 1 to 8192, found "
            "4294967295");
  EXPECT_EQ(with("llama.attention.head_count", gguf_number(3)),
            "m.gguf: llama.attention.head_count: expected heads of an even width that together are "
            "32 wide, found 3");
  EXPECT_EQ(with("llama.attention.head_count", gguf_number(32)),
            "m.gguf: llama.attention.head_count: expected heads of an even width that together are "
            "32 wide, found 32");
  EXPECT_EQ(with("llama.attention.head_count_kv", gguf_number(3)),
            "m.gguf: llama.attention.head_count_kv: expected a divisor of the 4 heads, found 3");
  EXPECT_EQ(with("llama.attention.layer_norm_rms_epsilon", gguf_real(0)),
            "m.gguf: llama.attention.layer_norm_rms_epsilon: expected a number of more than 0, "
            "found 0.0");
  EXPECT_EQ(with("llama.context_length", gguf_text("long")),
            "m.gguf: llama.context_length: expected a whole number from 1 to 1073741824, found "
            "\"long\"");
  EXPECT_EQ(with("llama.rope.freq_base", gguf_real(1)),
            "m.gguf: llama.rope.freq_base: expected more than 1, found 1.0");
  EXPECT_EQ(with("llama.rope.scaling.type", gguf_text("linear")),
            "m.gguf: llama.rope.scaling.type: expected \"none\", rotary angles without scaling, "
            "found \"linear\"");
  EXPECT_EQ(with("llama.rope.dimension_count", gguf_number(4)),
            "m.gguf: llama.rope.dimension_count: expected all channels of a head turn, found 4");
  EXPECT_EQ(with("llama.expert_count", gguf_number(8)),
            "m.gguf: llama.expert_count: expected 0, one feed-forward layer in every block, found "
            "8");
  EXPECT_EQ(with("llama.attention.sliding_window", gguf_number(64)),
            "m.gguf: llama.attention.sliding_window: expected 0, attention without a sliding "
            "window, found 64");
  EXPECT_EQ(with("llama.logit_scale", gguf_real(2)),
            "m.gguf: llama.logit_scale: expected settings that this reader knows, found 2.0");
  EXPECT_EQ(
      refusal_with([](GgufMetadata& metadata, Tensors&) { metadata.erase(metadata.begin()); }),
      "m.gguf: general.architecture: expected a word, found nothing");
}

TEST(GgufRejects, TensorsThatTheModelHasNot) {
  EXPECT_EQ(refusal_with([](GgufMetadata&, Tensors& tensors) {
              named(tensors, "blk.1.attn_k.weight").name = "blk.2.attn_k.weight";
            }),
            "m.gguf: expected a tensor 'blk.1.attn_k.weight' of shape [16, 32]");
  EXPECT_EQ(refusal_with([](GgufMetadata&, Tensors& tensors) {
              tensors.push_back(f32_tensor("blk.0.attn_q.bias", {32}, 1));
            }),
            "m.gguf: 'blk.0.attn_q.bias': expected no such tensor in a llama model of 2 layers");
  EXPECT_EQ(
      refusal_with([](GgufMetadata&, Tensors& tensors) {
        named(tensors, "blk.1.attn_k.weight") = f32_tensor("blk.1.attn_k.weight", {32, 16}, 1);
      }),
      "m.gguf: 'blk.1.attn_k.weight': expected shape [16, 32], found [32, 16]");
  EXPECT_EQ(refusal_with([](GgufMetadata&, Tensors& tensors) {
              named(tensors, "token_embd.weight") = f32_tensor("token_embd.weight", {32}, 1);
            }),
            "m.gguf: 'token_embd.weight': expected a row for each of 1 to 16777216 tokens, found "
            "shape [32]");
  EXPECT_EQ(refusal_with([](GgufMetadata& metadata, Tensors&) {
              set(metadata, "llama.vocab_size", gguf_number(6));
            }),
            "m.gguf: 'token_embd.weight': expected shape [6, 32], found [5, 32]");
  EXPECT_EQ(
      refusal_with([](GgufMetadata&, Tensors& tensors) {
        named(tensors, "output_norm.weight").bytes.replace(4, 4, little_endian(0x7f800000, 4));
      }),
      "m.gguf: 'output_norm.weight': expected finite numbers");
}

}  // namespace
}  // namespace logdepth::gguf_models_tests
