// A real pretrained model, SmolLM2-135M-Instruct as a GGUF file of 4-bit blocks, run as its peer runs
// it, and what papers measure on one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "learned/core/language_model_requests.hpp"
#include "learned/language_model/save_language_model.hpp"
#include "learned/language_model/token_sequences.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/places.hpp"

namespace logdepth::smollm2_tests {
namespace {

using support::PeerAnswer;
using support::TokenLists;

const std::vector<std::string> kPrompts = {
    "The capital of France is Paris. The capital of Germany is",
    "Once upon a time there was a",
    "def fibonacci(n):\n    if n < 2:\n        return",
    "The first three planets of the solar system are",
    "Water boils at a temperature of",
    "1, 2, 3, 4, 5,",
    "In 1969, the first human being to walk on the moon was",
    "<|im_start|>user\nWhat is gravity?<|im_end|>\n<|im_start|>assistant\n",
    "To make a cup of tea, first",
    "Übermut tut selten gut. Das heißt auf Englisch:"};
constexpr std::size_t kTokens = 8;

/// The logits of the last token of a prompt.
std::vector<float> last_logits(const UniversalTransformer& model,
                               const std::vector<std::int32_t>& prompt) {
  const torch::NoGradGuard no_grad;
  const Batch batch =
      to_batch(samples_of_texts({prompt}), model.format(), model.device(), model.type());
  const auto last = static_cast<std::int64_t>(prompt.size()) - 1;
  const Tensor state = model.hidden(batch, {}).select(1, last);
  const Tensor logits =
      model.unembed(state, TrainingConfig::Precision::float32).flatten().contiguous();
  return {logits.data_ptr<float>(), logits.data_ptr<float>() + logits.numel()};
}

class SmolLm2 : public support::CommandLine {
 protected:
  void SetUp() override {
    const auto found = support::smollm2_file();
    if (!found) GTEST_SKIP() << support::kInstallPeers;
    file = *found;
  }
  std::string file;
};

TEST_F(SmolLm2, LogitsAndGreedyTokensAreThoseOfThePeerFromTheFileAndFromWhatIsSaved) {
  const LanguageModelFile stored(file);
  const std::string saved = folder.file("saved");
  save_language_model(stored, saved);
  const auto tokeniser = stored.tokens();
  TokenLists prompts;
  for (const std::string& prompt : kPrompts)
    prompts.push_back(tokeniser->encode(prompt, SpecialTokens::recognised));
  const auto from_file = support::ask_transformers({{file, prompts, kTokens}});
  if (!from_file) GTEST_SKIP() << support::kInstallPeers;
  const auto from_saved = support::ask_transformers({{saved, prompts, 1}});
  const std::vector<PeerAnswer> peer = {from_file->at(0), from_saved->at(0)};
  const auto model = open_language_model(stored);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(greedy_continuation(*model, prompts[i], -1, kTokens), peer[0].continuations.at(i))
        << kPrompts[i];
    const std::vector<float> ours = last_logits(*model, prompts[i]);
    for (const PeerAnswer& theirs : peer) {
      ASSERT_EQ(ours.size(), theirs.logits.at(i).size());
      float most = 0;
      for (std::size_t token = 0; token < ours.size(); ++token)
        most = std::max(most, std::abs(ours[token] - theirs.logits[i][token]));
      EXPECT_LT(most, 1e-3) << kPrompts[i];
    }
  }
}

TEST_F(SmolLm2, TheCapitalOfGermanyIsBerlin) {
  const auto answer = nlohmann::json::parse(
      done({"lm", "load", file, "--prompt", kPrompts[0], "--tokens", "1", "--json"}));
  EXPECT_EQ(answer["prompt"]["continuation_text"], " Berlin");
  EXPECT_EQ(answer["prompt"]["next"][0]["text"], " Berlin");
  EXPECT_GT(answer["prompt"]["next"][0]["probability"], 0.9);
  EXPECT_EQ(answer["layers"], 30);
  EXPECT_EQ(answer["parameters"], 134515008);
  EXPECT_EQ(answer["encodings"], (nlohmann::json{{"F32", 61}, {"Q4_1", 210}, {"Q8_0", 1}}));
}

const std::string kText = support::source_dir() + "/tests/smollm2/paragraphs.txt";

TEST_F(SmolLm2, KneedleCutsItInto11And10And9Layers) {
  const auto angular = nlohmann::json::parse(
      done({"lm", "angular", file, "--text", kText, "--sequences", "16", "--json"}));
  EXPECT_EQ(angular["cut"],
            nlohmann::json::parse(R"({"encoder":11,"think":10,"decoder":9,"encoder_knee":true,
                                      "decoder_knee":true})"));
  const std::vector<double> distances = angular["distances"];
  ASSERT_EQ(distances.size(), 30u);
  EXPECT_EQ(std::max_element(distances.begin(), distances.end()), distances.begin());
  EXPECT_GT(distances.front(), 0.3);
}

TEST_F(SmolLm2, LoopingTheChosenBlockCostsLessThanLoopingTheFirstLayers) {
  const LanguageModelFile stored(file);
  const TokenSequences texts = token_sequences(kText, *stored.tokens(), 4, 96);
  const auto model = open_language_model(stored);
  const auto loss = [&](const std::vector<std::uint32_t>& loops) {
    const std::vector<double> losses = sequence_losses(*model, texts, loops, [] {}).back();
    return (losses[0] + losses[1] + losses[2] + losses[3]) / 4;
  };
  const double plain = loss({1});
  model->cut(11, 10);
  EXPECT_EQ(loss({1}), plain);
  const double chosen = loss({2});
  model->cut(0, 10);
  EXPECT_EQ(loss({1}), plain);
  const double first = loss({2});
  EXPECT_GT(chosen, plain);
  EXPECT_LT(chosen, plain + 1);
  EXPECT_GT(first, plain + 2);
}

}  // namespace
}  // namespace logdepth::smollm2_tests
