// Language models from files run as they should: against a forward pass in plain loops.
#include "learned/core/language_model.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "learned/core/language_model_requests.hpp"
#include "learned/core/trainer.hpp"
#include "learned/language_model/save_language_model.hpp"
#include "learned/records/counter_random.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/plain_decoder.hpp"

namespace logdepth::language_model_tests {
namespace {

using learned_tests::largest_difference;
using learned_tests::loops;
using learned_tests::parameter;
using support::PlainDecoder;
using support::SampleTensor;

constexpr double kRounding = 1e-5;
constexpr std::uint32_t kTokens = 5;  // of the small models
const TokenSequences kTexts = {{0, 1, 2, 3, 4, 1, 0}, {3, 3, 1, 4, 2, 0, 2}, {4, 0, 0, 2, 1, 3, 3}};

std::vector<double> doubles_of(const std::string& bytes) {
  std::vector<double> values;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    values.push_back(value);
  }
  return values;
}

/// The same arrays with random numbers; factors of norms about 1.
std::vector<SampleTensor> drawn(std::vector<SampleTensor> tensors, std::uint64_t seed) {
  CounterRandom random(seed, RandomStream::parameters);
  for (SampleTensor& tensor : tensors) {
    const bool norm = tensor.shape.size() == 1;
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    for (float& value : values)
      value = static_cast<float>(norm ? 1 + 0.2 * random.normal() : 0.3 * random.normal());
    tensor.bytes = support::floats_bytes(values);
  }
  return tensors;
}

/// A small model in a folder, and as plain loops.
struct SmallModel {
  nlohmann::json config;
  std::vector<SampleTensor> tensors;
  TemporaryFolder folder;

  explicit SmallModel(bool olmo2, std::uint64_t seed = 1)
      : config(olmo2 ? support::small_olmo2_config() : support::small_llama_config()),
        tensors(
            drawn(olmo2 ? support::small_olmo2_tensors() : support::small_llama_tensors(), seed)) {}

  LanguageModelFile file() const {
    write_whole_file(folder.file("config.json"), config.dump());
    write_whole_file(folder.file("model.safetensors"), support::safetensors_bytes(tensors));
    return LanguageModelFile(folder.path());
  }
  PlainDecoder plain() const {
    PlainDecoder model;
    model.olmo2 = config["model_type"] == "olmo2";
    model.width = config["hidden_size"];
    model.heads = config["num_attention_heads"];
    model.key_heads = config["num_key_value_heads"];
    model.hidden = config["intermediate_size"];
    model.epsilon = config["rms_norm_eps"];
    model.rotary_base = config["rope_theta"];
    for (const SampleTensor& tensor : tensors) model.arrays[tensor.name] = doubles_of(tensor.bytes);
    model.order = {0, 1};
    return model;
  }
};

Batch batch_of(const UniversalTransformer& model, const std::vector<std::int32_t>& tokens) {
  Samples samples;
  samples.count = 1;
  samples.tokens = samples.size = tokens.size();
  samples.indices = tokens;
  samples.targets.assign(tokens.size(), Samples::kIgnored);
  return to_batch(samples, model.format(), torch::kCPU, torch::kFloat32);
}

Tensor tensor_of(const PlainDecoder::Rows& rows) {
  std::vector<Tensor> all;
  for (const std::vector<double>& row : rows) all.push_back(torch::tensor(row, torch::kFloat64));
  return torch::stack(all).unsqueeze(0);
}

void expect_as_plain(const LanguageModelFile& file, const PlainDecoder& plain) {
  const auto model = open_language_model(file);
  for (const auto& text : kTexts) {
    const Batch batch = batch_of(*model, text);
    const Tensor expected = tensor_of(plain(text).logits);
    PassOptions options = loops(model->loops_of(batch));
    EXPECT_LT(largest_difference((*model)(batch, options), expected), kRounding);
    // Once more by the operations that a probe looks at.
    const Probe probe = [](const ProbeView&) {};
    options.probe = &probe;
    EXPECT_LT(largest_difference((*model)(batch, options), expected), kRounding);
    EXPECT_GT(expected.abs().max().item<double>(), 0.1) << "logits that say something";
  }
}

TEST(LanguageModel, ALlamaWithSharedHeadsIsAForwardPassInPlainLoops) {
  const SmallModel small(false);
  expect_as_plain(small.file(), small.plain());
}

/// A head of keys and values for every head.
void widen_keys(SmallModel& small) {
  small.config["num_key_value_heads"] = 4;
  for (SampleTensor& tensor : small.tensors)
    if (tensor.name.find("k_proj") != std::string::npos ||
        tensor.name.find("v_proj") != std::string::npos)
      tensor = support::f32_tensor(tensor.name, {32, 32}, 0);
}

TEST(LanguageModel, ALlamaWithAHeadForEveryKeyAndAReadoutOfItsOwnIsOne) {
  SmallModel small(false, 2);
  widen_keys(small);
  small.config["tie_word_embeddings"] = false;
  small.tensors.push_back(support::f32_tensor("lm_head.weight", {kTokens, 32}, 0));
  small.tensors = drawn(small.tensors, 3);
  expect_as_plain(small.file(), small.plain());
}

TEST(LanguageModel, AnOlmo2WithNormsOverAllHeadsIsOne) {
  const SmallModel small(true);
  expect_as_plain(small.file(), small.plain());
}

/// The rows of queries or keys as GGUF files have them: channel c of the first half of a head at 2c,
/// of the second at 2c + 1.
std::string neighbouring(const std::string& bytes, std::size_t row, std::size_t head) {
  std::string turned(bytes.size(), '\0');
  for (std::size_t i = 0; i < bytes.size() / row; ++i) {
    const std::size_t channel = i % head, half = head / 2;
    const std::size_t to = i - channel + 2 * (channel % half) + channel / half;
    turned.replace(to * row, row, bytes, i * row, row);
  }
  return turned;
}

std::vector<SampleTensor> as_gguf(const std::vector<SampleTensor>& tensors) {
  static const std::map<std::string, std::string> kNames = {
      {"model.embed_tokens.weight", "token_embd.weight"},
      {"model.norm.weight", "output_norm.weight"},
      {"input_layernorm.weight", "attn_norm.weight"},
      {"post_attention_layernorm.weight", "ffn_norm.weight"},
      {"self_attn.q_proj.weight", "attn_q.weight"},
      {"self_attn.k_proj.weight", "attn_k.weight"},
      {"self_attn.v_proj.weight", "attn_v.weight"},
      {"self_attn.o_proj.weight", "attn_output.weight"},
      {"mlp.gate_proj.weight", "ffn_gate.weight"},
      {"mlp.up_proj.weight", "ffn_up.weight"},
      {"mlp.down_proj.weight", "ffn_down.weight"}};
  std::vector<SampleTensor> all = tensors;
  for (SampleTensor& tensor : all) {
    if (tensor.name.find("q_proj") != std::string::npos ||
        tensor.name.find("k_proj") != std::string::npos)
      tensor.bytes = neighbouring(tensor.bytes, tensor.shape[1] * sizeof(float), 8);
    if (kNames.contains(tensor.name)) {
      tensor.name = kNames.at(tensor.name);
    } else {
      const std::string rest = tensor.name.substr(std::string("model.layers.").size());
      const std::size_t dot = rest.find('.');
      tensor.name = "blk." + rest.substr(0, dot) + "." + kNames.at(rest.substr(dot + 1));
    }
  }
  return all;
}

TEST(LanguageModel, AGgufFileWhoseNeighbouringChannelsTurnIsTheSameModel) {
  const SmallModel small(false, 4);
  const std::string path = small.folder.file("small.gguf");
  write_whole_file(path,
                   support::gguf_bytes(support::small_gguf_metadata(), as_gguf(small.tensors)));
  const LanguageModelFile file(path);
  ASSERT_EQ(file.model().rotary_pairs, ModelConfig::RotaryPairs::neighbours);
  expect_as_plain(file, small.plain());
  save_language_model(file, small.folder.file("saved"));
  const LanguageModelFile saved(small.folder.file("saved"));
  ASSERT_EQ(saved.model().rotary_pairs, ModelConfig::RotaryPairs::halves);
  expect_as_plain(saved, small.plain());
}

TEST(LanguageModel, WhatIsSavedIsTheSameModelBitForBit) {
  const SmallModel small(true, 5);
  save_language_model(small.file(), small.folder.file("saved"));
  const auto before = open_language_model(small.file());
  const auto after = open_language_model(LanguageModelFile(small.folder.file("saved")));
  EXPECT_TRUE(torch::equal(before->parameters().values(), after->parameters().values()));
}

TEST(LanguageModel, ACacheOfKeysAndValuesEqualsRecomputation) {
  for (const bool olmo2 : {false, true}) {
    const SmallModel small(olmo2, 6);
    const auto model = open_language_model(small.file());
    std::vector<std::int32_t> text = {1, 3, 0};
    const std::vector<std::int32_t> more = greedy_continuation(*model, text, -1, 12);
    ASSERT_EQ(more.size(), 12u);
    for (const std::int32_t next : more) {
      const PlainDecoder::Rows logits = small.plain()(text).logits;
      const auto best = std::max_element(logits.back().begin(), logits.back().end());
      EXPECT_EQ(next, best - logits.back().begin()) << "after " << text.size() << " tokens";
      text.push_back(next);
    }
    std::vector<KeyValueCache> caches;
    PassOptions options = loops(1);
    options.caches = &caches;
    const Tensor whole = (*model)(batch_of(*model, text), loops(1));
    for (std::size_t i = 0; i < text.size(); ++i) {
      options.first_position = static_cast<std::int64_t>(i);
      const Tensor step = (*model)(batch_of(*model, {text[i]}), options);
      EXPECT_LT(largest_difference(step, whole.narrow(1, options.first_position, 1)), kRounding);
    }
  }
}

TEST(LanguageModel, ItStopsWhereTheTextEnds) {
  const SmallModel small(false, 6);
  const auto model = open_language_model(small.file());
  const std::vector<std::int32_t> free = greedy_continuation(*model, {1, 3, 0}, -1, 12);
  const std::vector<std::int32_t> ended = greedy_continuation(*model, {1, 3, 0}, free[0], 12);
  EXPECT_EQ(ended, std::vector<std::int32_t>{free[0]});
}

/// The small model with other layers: `layers` says as which of the file each begins.
std::unique_ptr<UniversalTransformer> arranged(const LanguageModelFile& file, ModelConfig config,
                                               const std::vector<std::uint32_t>& layers) {
  auto model = std::make_unique<UniversalTransformer>(config, language_format(kTokens), 1);
  load_language_model(model->parameters(), config, file, layers);
  return model;
}
ModelConfig with_layers(ModelConfig config, std::uint32_t initial, std::uint32_t repeated,
                        std::uint32_t final) {
  config.initial = initial;
  config.repeated = repeated;
  config.final = final;
  return config;
}

TEST(LanguageModel, ACutThatIsPassedOnceIsTheBaseBitForBit) {
  for (const bool olmo2 : {false, true}) {
    const SmallModel small(olmo2, 7);
    const LanguageModelFile file = small.file();
    const auto base = open_language_model(file);
    const Batch batch = batch_of(*base, kTexts[0]);
    const Tensor expected = (*base)(batch, loops(1));
    for (const auto& [initial, repeated] : {std::pair{0U, 1U}, {0U, 2U}, {1U, 1U}}) {
      const auto cut =
          arranged(file, with_layers(file.model(), initial, repeated, 2 - initial - repeated), {});
      EXPECT_TRUE(torch::equal((*cut)(batch, loops(1)), expected)) << initial << repeated;
      EXPECT_FALSE(torch::equal((*cut)(batch, loops(2)), expected)) << initial << repeated;
      base->cut(initial, repeated);
      EXPECT_TRUE(torch::equal((*base)(batch, loops(1)), expected)) << initial << repeated;
      EXPECT_TRUE(torch::equal((*base)(batch, loops(3)), (*cut)(batch, loops(3))));
    }
    base->cut(2, 0);
    EXPECT_TRUE(torch::equal((*base)(batch, loops(3)), expected)) << "there is no loop";
  }
}

TEST(LanguageModel, ALoopedCutEqualsTheTwinThatRepeatsItsLayers) {
  const SmallModel small(true, 8);
  const LanguageModelFile file = small.file();
  const auto looped = arranged(file, with_layers(file.model(), 0, 1, 1), {});
  const auto twin = arranged(file, with_layers(file.model(), 3, 0, 0), {0, 0, 1});
  const Batch batch = batch_of(*looped, kTexts[1]);
  EXPECT_EQ(largest_difference((*looped)(batch, loops(2)), (*twin)(batch, loops(1))), 0);
  const auto other = arranged(file, with_layers(file.model(), 3, 0, 0), {0, 1, 1});
  EXPECT_GT(largest_difference((*looped)(batch, loops(2)), (*other)(batch, loops(1))), 1e-3);
}

TEST(LanguageModel, AHeadOfKeysForEveryHeadMayBeLeftUnsaid) {
  SmallModel small(false, 6);
  widen_keys(small);
  const LanguageModelFile file = small.file();
  ModelConfig config = file.model();
  config.key_value_heads = 0;
  const Tensor read = arranged(file, config, {})->parameters().values();
  EXPECT_TRUE(torch::equal(read, open_language_model(file)->parameters().values()));
}

TEST(LanguageModel, WhatIsNotTrainedHasNoGradients) {
  const SmallModel small(false, 9);
  const auto model = open_language_model(small.file());
  for (const auto& one : model->parameters().all()) EXPECT_FALSE(one.tensor.requires_grad());
  EXPECT_FALSE(model->parameters().gradients().defined());
  EXPECT_FALSE((*model)(batch_of(*model, kTexts[0]), loops(1)).requires_grad());
  const auto trained = open_language_model(small.file(), torch::kCPU, Purpose::trained);
  EXPECT_TRUE((*trained)(batch_of(*trained, kTexts[0]), loops(1)).requires_grad());
  EXPECT_TRUE(torch::equal(trained->parameters().values(), model->parameters().values()));
}

TEST(LanguageModel, ARouterBesideTheFileStaysAsItWasDrawn) {
  const SmallModel small(true, 10);
  const LanguageModelFile file = small.file();
  ModelConfig config = with_layers(file.model(), 0, 1, 1);
  config.loops.kind = LoopRule::Kind::adaptive;
  config.router = ModelConfig::Router::straight_through;
  const UniversalTransformer fresh(config, language_format(kTokens), 1);
  const auto loaded = arranged(file, config, {});
  EXPECT_TRUE(torch::equal(parameter(*loaded, "router.weight"), parameter(fresh, "router.weight")));
  EXPECT_FALSE(torch::equal(parameter(*loaded, "repeated.0.in.weight"),
                            parameter(fresh, "repeated.0.in.weight")));
}

TEST(LanguageModel, ThePeerComputesTheSameFromWhatIsSaved) {
  const SmallModel small_llama(false, 15), small_olmo2(true, 16);
  std::vector<support::PeerQuestion> questions;
  for (const SmallModel* small : {&small_llama, &small_olmo2}) {
    const std::string saved = small->folder.file("saved");
    save_language_model(small->file(), saved);
    questions.push_back({saved, {kTexts[0], kTexts[1]}, 20});
  }
  const auto answers = support::ask_transformers(questions);
  if (!answers) GTEST_SKIP() << support::kInstallPeers;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto model = open_language_model(LanguageModelFile(questions[i].model));
    for (std::size_t row = 0; row < 2; ++row) {
      const auto& text = questions[i].prompts[row];
      EXPECT_EQ(greedy_continuation(*model, text, -1, 20), (*answers)[i].continuations.at(row));
      const Tensor ours = (*model)(batch_of(*model, text), loops(1))[0][-1];
      EXPECT_LT(largest_difference(ours, torch::tensor((*answers)[i].logits.at(row))), kRounding);
    }
  }
}

// --- Measures -----------------------------------------------------------------------------------

TEST(ModelMeasures, LossesOfLoopsAreThoseOfLayersInThatOrder) {
  const SmallModel small(true, 11);
  const auto model = open_language_model(small.file());
  LoopsWithoutTraining measured;
  measured.model.layers = 2;
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  measure_loops(
      *model, kTexts, {1, 2}, {2, 3},
      [&](std::size_t done, std::size_t total) { seen.emplace_back(done, total); }, measured);
  const auto losses = [&](const std::vector<std::size_t>& order) {
    PlainDecoder plain = small.plain();
    plain.order = order;
    std::vector<double> all;
    for (const auto& text : kTexts) all.push_back(support::plain_loss(plain(text).logits, text));
    return all;
  };
  const std::vector<double> base = losses({0, 1});
  EXPECT_NEAR(measured.loss, (base[0] + base[1] + base[2]) / 3, kRounding);
  EXPECT_EQ(measured.tokens, 18u);
  const std::vector<std::vector<std::size_t>> orders = {
      {0, 0, 1}, {0, 0, 0, 1}, {0, 1, 1}, {0, 1, 1, 1}, {0, 1, 0, 1}, {0, 1, 0, 1, 0, 1}};
  const std::vector<std::string> names = {"0-1*2-1", "0-1*3-1", "1-1*2-0",
                                          "1-1*3-0", "0-2*2-0", "0-2*3-0"};
  ASSERT_EQ(measured.shapes.size(), orders.size());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const LoopedShape& shape = measured.shapes[i];
    EXPECT_EQ(looped_shape_text(shape), names[i]);
    const std::vector<double> expected = losses(orders[i]);
    double mean = 0, difference = 0, squares = 0, difference_squares = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      mean += expected[row] / 3;
      difference += (expected[row] - base[row]) / 3;
    }
    for (std::size_t row = 0; row < 3; ++row) {
      squares += std::pow(expected[row] - mean, 2);
      difference_squares += std::pow(expected[row] - base[row] - difference, 2);
    }
    EXPECT_NEAR(shape.loss, mean, kRounding) << names[i];
    EXPECT_NEAR(shape.standard_error, std::sqrt(squares / 2 / 3), kRounding) << names[i];
    EXPECT_NEAR(shape.difference, difference, kRounding) << names[i];
    EXPECT_NEAR(shape.difference_error, std::sqrt(difference_squares / 2 / 3), kRounding);
  }
  ASSERT_EQ(seen.size(), 4u) << "the model itself, two positions of one layer, one of two";
  EXPECT_EQ(seen.back(), (std::pair<std::size_t, std::size_t>(4, 4)));
}

TEST(ModelMeasures, AngularDistancesAreAnglesOfTheLastTokensStream) {
  for (const bool olmo2 : {false, true}) {
    const SmallModel small(olmo2, 12);
    const auto model = open_language_model(small.file());
    const AngularCurve curve = angular_curve(*model, kTexts, [] {});
    ASSERT_EQ(curve.distances.size(), 2u);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      std::vector<double> angles;
      for (const auto& text : kTexts) {
        const auto streams = small.plain()(text).streams;
        const auto &x = streams[layer].back(), &y = streams[layer + 1].back();
        double xy = 0, xx = 0, yy = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          xy += x[i] * y[i];
          xx += x[i] * x[i];
          yy += y[i] * y[i];
        }
        angles.push_back(std::acos(xy / std::sqrt(xx * yy)) / std::numbers::pi);
      }
      const double mean = (angles[0] + angles[1] + angles[2]) / 3;
      double squares = 0;
      for (const double angle : angles) squares += (angle - mean) * (angle - mean);
      EXPECT_NEAR(curve.distances[layer], mean, kRounding);
      EXPECT_NEAR(curve.standard_errors[layer], std::sqrt(squares / 6), kRounding);
    }
  }
}

// --- Where it is read ---------------------------------------------------------------------------

TEST(LanguageModel, ARunBeginsWithLayersOfAnotherRun) {
  const TemporaryFolder folder;
  RunConfig config = support::small_run_config();
  write_whole_file(folder.file("record.json"), "{}");
  write_whole_file(folder.file("config.json"), to_json(config).dump());
  write_whole_file(folder.file("model.safetensors"),
                   support::safetensors_bytes(drawn(support::small_run_tensors(), 13)));
  config.initial_weights = folder.path();
  Trainer same(config, torch::kCPU);
  same.load_weights();
  config.model = with_layers(config.model, 3, 0, 1);
  config.initial_layers = {0, 1, 1, 3};
  Trainer twin(config, torch::kCPU);
  twin.load_weights();
  const auto expect_same = [&](const std::string& from, const std::string& to) {
    EXPECT_TRUE(torch::equal(parameter(same.network(), from), parameter(twin.network(), to)))
        << from << " " << to;
  };
  for (const std::string rest : {".query_key_value.weight", ".in.weight", ".key_norm.weight"}) {
    expect_same("initial.0" + rest, "initial.0" + rest);
    expect_same("repeated.0" + rest, "initial.1" + rest);
    expect_same("repeated.0" + rest, "initial.2" + rest);
    expect_same("final.0" + rest, "final.0" + rest);
  }
  expect_same("embedding.0", "embedding.0");
  std::vector<SampleTensor> tensors = drawn(support::small_run_tensors(), 13);
  const std::vector<double> stored = doubles_of(named(tensors, "repeated.1.in.weight").bytes);
  EXPECT_EQ(largest_difference(parameter(same.network(), "repeated.1.in.weight").flatten(),
                               torch::tensor(stored, torch::kFloat64)),
            0);
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(LanguageModel, WhatDoesNotFitIsRefusedBeforeItIsRead) {
  const SmallModel small(true, 14);
  const LanguageModelFile file = small.file();
  const auto load = [&](ModelConfig config, const std::vector<std::uint32_t>& layers,
                        std::uint32_t tokens = kTokens) {
    return refusal([&] {
      UniversalTransformer model(config, language_format(tokens), 1);
      const Tensor before = model.parameters().values().clone();
      const std::string sentence =
          refusal([&] { load_language_model(model.parameters(), config, file, layers); });
      EXPECT_EQ(sentence.empty(), !torch::equal(before, model.parameters().values()));
      if (!sentence.empty()) throw InputError(sentence);
    });
  };
  const auto contains = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  EXPECT_EQ(load(file.model(), {}), "");
  contains(load(with_layers(file.model(), 1, 1, 1), {}), "language model of 3 layers");
  contains(load(with_layers(file.model(), 1, 1, 1), {0, 1}), "for each of the 3 of the model");
  contains(load(file.model(), {0, 2}), "0 to 1, found 2");
  ModelConfig other = file.model();
  other.rotary_base = 500;
  contains(load(other, {}), "expected model.rotary_base = 100000.0 as this language model has it");
  other = file.model();
  other.norm_place = ModelConfig::NormPlace::before;
  contains(load(other, {}), "model.norm_place");
  contains(load(file.model(), {}, 6), "embedding.0: expected shape [6, 32], found [5, 32]");
  other = file.model();
  other.key_value_heads = 0;
  contains(load(other, {}), "model.key_value_heads = 2");
}

}  // namespace
}  // namespace logdepth::language_model_tests
