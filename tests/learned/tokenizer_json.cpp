// tokenizer.json read and written; what it may have that is not read is refused by name.
#include "learned/language_model/tokenizer_json.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/language_model/byte_pairs.hpp"
#include "learned/language_model/words.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::tokenizer_json_tests {
namespace {

using Json = nlohmann::json;
using Tokens = std::vector<std::int32_t>;

const std::string kSmall = support::source_dir() + "/tests/tokenisers/small.tokenizer.json";

const std::string kCharacters =
    support::source_dir() + "/tests/tokenisers/characters.tokenizer.json";

class TokenizerJson : public testing::Test {
 protected:
  std::shared_ptr<const Tokeniser> read(const Json& json) const {
    folder.write("tokenizer.json", json.dump());
    return read_tokenizer_json(folder.file("tokenizer.json"));
  }
  /// What the reader says to the small file after a change; without the file's name.
  std::string refusal(const std::function<void(Json&)>& change) const {
    Json json = small;
    change(json);
    try {
      read(json);
    } catch (const InputError& error) {
      const std::string said = error.what(), name = folder.file("tokenizer.json") + ": ";
      EXPECT_TRUE(said.starts_with(name)) << said;
      return said.substr(name.size());
    }
    return "";
  }

  const support::TemporaryFolder folder;
  const Json small = Json::parse(read_whole_file(kSmall));
};

TEST_F(TokenizerJson, WhatIsWrittenIsReadBackAndHasThePeersVocabulary) {
  const auto tokeniser = read_tokenizer_json(kSmall);
  const Json json = Json::parse(to_tokenizer_json(*tokeniser));
  EXPECT_EQ(json["model"]["vocab"].size(), 702u);
  for (const auto& [token, number] : small["model"]["vocab"].items())
    EXPECT_EQ(json["model"]["vocab"][token], number);
  EXPECT_EQ(json["added_tokens"], small["added_tokens"]);
  EXPECT_EQ(json["post_processor"]["special_tokens"], small["post_processor"]["special_tokens"]);
  const auto again = read(json);
  const BytePairs &first = *byte_pairs_of(*tokeniser), &second = *byte_pairs_of(*again);
  EXPECT_EQ(second.tokens, first.tokens);
  EXPECT_EQ(second.merges, first.merges);
  EXPECT_EQ(second.patterns, first.patterns);
  EXPECT_EQ(second.added, first.added);
  EXPECT_EQ(second.begin, 0);
  EXPECT_EQ(second.end, std::nullopt);
  EXPECT_EQ(second.whole_pieces, first.whole_pieces);
  EXPECT_FALSE(second.composed);
}

TEST_F(TokenizerJson, AVocabularyOverCharactersIsReadBackAndReadInItsOtherForm) {
  const auto tokeniser = read_tokenizer_json(kCharacters);
  const BytePairs& first = *byte_pairs_of(*tokeniser);
  const Json written = Json::parse(to_tokenizer_json(*tokeniser));
  const Json given = Json::parse(read_whole_file(kCharacters));
  for (const char* part : {"normalizer", "pre_tokenizer", "decoder"})
    EXPECT_EQ(written[part], given[part]) << part;
  Json other = given;
  other["normalizer"] = nullptr;
  other["pre_tokenizer"] = {{"type", "Metaspace"},
                            {"replacement", kBlankCharacter},
                            {"prepend_scheme", "always"},
                            {"split", false}};
  for (const Json& json : {written, other}) {
    const auto again = read(json);
    EXPECT_EQ(byte_pairs_of(*again)->units, BytePairs::Units::characters);
    EXPECT_EQ(byte_pairs_of(*again)->tokens, first.tokens);
    EXPECT_EQ(byte_pairs_of(*again)->merges, first.merges);
    EXPECT_EQ(again->encode("a b"), tokeniser->encode("a b"));
  }
}

TEST_F(TokenizerJson, BlanksThatAreTreatedOtherwiseAreRefused) {
  const auto said = [&](const std::function<void(Json&)>& change) {
    Json json = Json::parse(read_whole_file(kCharacters));
    change(json);
    try {
      read(json);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect = [&](const std::function<void(Json&)>& change, const std::string& part) {
    EXPECT_NE(said(change).find(part), std::string::npos) << said(change) << " lacks " << part;
  };
  expect([](Json& j) { j["normalizer"] = nullptr; }, "for blanks, by normalizers or a Metaspace");
  expect([](Json& j) { j["normalizer"]["normalizers"].erase(0); }, "found 'Replace'");
  expect([](Json& j) { j["normalizer"]["normalizers"].erase(1); }, "for blanks, by normalizers");
  expect([](Json& j) { j["normalizer"]["normalizers"][0]["prepend"] = "_"; }, "found 'Prepend'");
  expect([](Json& j) { j["pre_tokenizer"] = {{"type", "ByteLevel"}}; }, "found 'ByteLevel'");
  expect(
      [](Json& j) {
        j["pre_tokenizer"] = {{"type", "Metaspace"},
                              {"replacement", kBlankCharacter},
                              {"prepend_scheme", "always"},
                              {"split", false}};
      },
      "no pre-tokenizer, or a Metaspace");
  expect([](Json& j) { j["model"]["ignore_merges"] = true; }, "no 'ignore_merges'");
}

TEST_F(TokenizerJson, EverySettingIsReadBack) {
  BytePairs pairs = *byte_pairs_of(*read_tokenizer_json(kSmall));
  pairs.begin = 1;
  pairs.end = 0;
  pairs.whole_pieces = true;
  pairs.composed = true;
  pairs.patterns = {R"(\p{N}{1,3})", " ?\\p{L}+"};
  const auto tokeniser = byte_pair_tokeniser(pairs);
  folder.write("tokenizer_config.json", to_tokenizer_config(*tokeniser));
  const auto again = read(Json::parse(to_tokenizer_json(*tokeniser)));
  const BytePairs& found = *byte_pairs_of(*again);
  EXPECT_EQ(found.begin, 1);
  EXPECT_EQ(found.end, 0);
  EXPECT_TRUE(found.whole_pieces);
  EXPECT_TRUE(found.composed);
  EXPECT_EQ(found.patterns, pairs.patterns);
  pairs.begin.reset();
  EXPECT_EQ(read(Json::parse(to_tokenizer_json(*byte_pair_tokeniser(pairs))))->begin(),
            std::nullopt);
}

TEST_F(TokenizerJson, WordsAreReadBack) {
  const auto words = word_tokeniser({"<end>", "b", "a", "<unknown>"});
  const std::string text = to_tokenizer_json(*words);
  const auto again = read(Json::parse(text));
  EXPECT_EQ(again->encode("a b <end>"), (Tokens{2, 1, 0}));
  EXPECT_EQ(again->size(), 4u);
  EXPECT_EQ(again->end(), 0);
  // The peer refuses unknown words too: the word for them is none of the list.
  const Json json = Json::parse(text);
  EXPECT_FALSE(json["model"]["vocab"].contains(json["model"]["unk_token"].get<std::string>()));
  EXPECT_EQ(Json::parse(to_tokenizer_config(*words))["eos_token"], "<end>");
  Json other = json;
  other["pre_tokenizer"] = {{"type", "Whitespace"}};
  EXPECT_THROW(read(other), InputError);
  other = json;
  other["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_THROW(read(other), InputError);
}

TEST_F(TokenizerJson, FormsThatMeanTheSameGiveTheSameTokens) {
  const auto tokeniser = read_tokenizer_json(kSmall);
  const std::string text = "It's 12 o'clock: the depth is log n.\n";
  Json json = small;
  // Merges of the library's first versions, no type, the expression written out.
  json["model"].erase("type");
  for (Json& merge : json["model"]["merges"])
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  Json& parts = json["pre_tokenizer"]["pretokenizers"];
  ASSERT_EQ(parts.size(), 2u);
  const std::string pattern = byte_pairs_of(*tokeniser)->patterns.at(1);
  parts[1]["use_regex"] = false;
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", pattern}}},
                      {"behavior", "Removed"},
                      {"invert", true}};
  parts.insert(parts.begin() + 1, split);
  EXPECT_EQ(read(json)->encode(text), tokeniser->encode(text));
  parts[1]["behavior"] = "Isolated";
  EXPECT_EQ(read(json)->encode(text), tokeniser->encode(text));
  parts.erase(1);
  EXPECT_EQ(byte_pairs_of(*read(json))->patterns.size(), 1u);  // the digits
  // Digits together, or a text that stands for itself.
  parts[0]["individual_digits"] = false;
  EXPECT_EQ(byte_pairs_of(*read(json))->patterns, std::vector<std::string>{R"(\p{N}+)"});
  parts[0] = {{"type", "Split"}, {"pattern", {{"String", "a.b"}}}, {"behavior", "Isolated"}};
  EXPECT_EQ(byte_pairs_of(*read(json))->patterns, std::vector<std::string>{R"(a\.b)"});
}

TEST_F(TokenizerJson, TheTokenThatEndsATextIsInTheSettingsBeside) {
  folder.write("tokenizer_config.json", R"({"eos_token": "<|end|>"})");
  EXPECT_EQ(read(small)->end(), 1);
  folder.write("tokenizer_config.json", R"({"eos_token": {"content": "<|end|>"}})");
  EXPECT_EQ(read(small)->end(), 1);
  folder.write("tokenizer_config.json", R"({"eos_token": null})");
  EXPECT_EQ(read(small)->end(), std::nullopt);
  for (const char* bad : {R"({"eos_token": "<|stop|>"})", R"({"eos_token": 1})", "["}) {
    folder.write("tokenizer_config.json", bad);
    EXPECT_THROW(read(small), InputError) << bad;
  }
}

TEST_F(TokenizerJson, OtherModelsAreRefusedByName) {
  for (const char* type : {"Unigram", "WordPiece"})
    EXPECT_EQ(refusal([&](Json& j) { j["model"]["type"] = type; }),
              "expected a model BPE (over bytes) or WordLevel, found '" + std::string(type) + "'");
  EXPECT_NE(refusal([](Json& j) { j["model"]["byte_fallback"] = true; }).find("Metaspace"),
            std::string::npos);
  EXPECT_EQ(refusal([](Json& j) { j["model"]["dropout"] = 0.1; }),
            "expected a model without 'dropout', found '0.1'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["end_of_word_suffix"] = "</w>"; }),
            "expected a model without 'end_of_word_suffix', found '\"</w>\"'");
  EXPECT_EQ(refusal([](Json& j) {
              j["pre_tokenizer"] = {{"type", "Metaspace"}};
            }),
            "expected the pre-tokenizers Split, Digits and ByteLevel, found 'Metaspace'");
  EXPECT_EQ(refusal([](Json& j) { j["pre_tokenizer"] = nullptr; }),
            "expected the pre-tokenizer ByteLevel, found none");
  EXPECT_EQ(refusal([](Json& j) {
              j["normalizer"] = {{"type", "Lowercase"}};
            }),
            "expected no normalizer or NFC, found 'Lowercase'");
  EXPECT_EQ(refusal([](Json& j) {
              j["post_processor"] = {{"type", "BertProcessing"}};
            }),
            "expected the post-processors ByteLevel and one TemplateProcessing, found "
            "'BertProcessing'");
}

TEST_F(TokenizerJson, PartsThatWouldChangeTokensAreRefused) {
  const auto part = [](Json& json, int i) -> Json& {
    return json["pre_tokenizer"]["pretokenizers"][i];
  };
  EXPECT_EQ(refusal([&](Json& j) { part(j, 1)["add_prefix_space"] = true; }),
            "expected a text to stay what it is, found 'add_prefix_space'");
  EXPECT_EQ(refusal([&](Json& j) { std::swap(part(j, 0), part(j, 1)); }),
            "expected nothing behind the pre-tokenizer ByteLevel, found 'Digits'");
  EXPECT_EQ(refusal([&](Json& j) {
              part(j, 0) = {
                  {"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "MergedWithNext"}};
            }),
            "expected a Split whose pieces are all kept ('Isolated'), found 'MergedWithNext'");
  const Json begin = small["post_processor"]["single"][0];
  const Json text = small["post_processor"]["single"][1];
  for (const Json& single : {Json::array({begin, begin, text}), Json::array({text, begin})})
    EXPECT_EQ(refusal([&](Json& j) { j["post_processor"]["single"] = single; }),
              "expected one token at most before a text and none behind it, found '<|begin|>'");
  for (const char* flag : {"lstrip", "rstrip", "single_word"})
    EXPECT_EQ(refusal([&](Json& j) { j["added_tokens"][0][flag] = true; }),
              "expected added tokens without '" + std::string(flag) + "', found '<|begin|>'");
}

TEST_F(TokenizerJson, NumbersAndTypesThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal([](Json& j) { j["model"]["vocab"]["a"] = 4000000000u; }),
            "expected numbers of tokens below 702, each once, found '4000000000'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["vocab"]["a"] = -1; }),
            "expected numbers of tokens below 702, each once, found '-1'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["vocab"]["a"] = "x"; }),
            "expected numbers of tokens below 702, each once, found '\"x\"'");
  EXPECT_NE(refusal([](Json& j) { j["model"]["vocab"]["a"] = 67; }).find("a number for every"),
            std::string::npos);
  EXPECT_EQ(refusal([](Json& j) { j["added_tokens"][1]["id"] = 2; }),
            "expected token 2 to be the added one, found '<|end|>'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["vocab"] = Json::array(); }),
            "expected 'vocab' to be an object, found 'array'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["merges"] = 3; }),
            "expected 'merges' to be a list, found '3'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["merges"][0] = "ab"; }),
            "expected merges of two tokens, found '\"ab\"'");
  EXPECT_EQ(refusal([](Json& j) { j["model"]["ignore_merges"] = 1; }),
            "expected 'ignore_merges' to be true or false, found '1'");
  EXPECT_EQ(refusal([](Json& j) { j = Json::array(); }), "expected a JSON object");
  EXPECT_EQ(refusal([](Json& j) { j["model"] = "BPE"; }),
            "expected 'type' to be a text, found 'null'");
  EXPECT_EQ(refusal([](Json& j) {
              Json deep = {{"type", "NFC"}};
              for (int i = 0; i < 20; ++i)
                deep = {{"type", "Sequence"}, {"normalizers", Json::array({deep})}};
              j["normalizer"] = deep;
            }),
            "expected no deeper Sequences of Sequences");
}

}  // namespace
}  // namespace logdepth::tokenizer_json_tests
