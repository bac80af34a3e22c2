// Tokenisers against pairs of text and tokens that the Python library made
// (tests/tokenisers/make_pairs.py), merges against a search of the whole piece, round trips.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/text_lines.hpp"
#include "base/utf8.hpp"
#include "learned/language_model/byte_alphabet.hpp"
#include "learned/language_model/byte_pairs.hpp"
#include "learned/language_model/gguf_tokens.hpp"
#include "learned/language_model/split_pattern.hpp"
#include "learned/language_model/tokenizer_json.hpp"
#include "learned/language_model/words.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/places.hpp"

namespace logdepth::tokenisers_tests {
namespace {

using Tokens = std::vector<std::int32_t>;
using Json = nlohmann::json;

const std::string kFolder = support::source_dir() + "/tests/tokenisers/";

const Tokeniser& small() {
  static const auto tokeniser = read_tokenizer_json(kFolder + "small.tokenizer.json");
  return *tokeniser;
}

/// Over characters, as SentencePiece has them.
const Tokeniser& characters() {
  static const auto tokeniser = read_tokenizer_json(kFolder + "characters.tokenizer.json");
  return *tokeniser;
}

std::vector<Json> pairs_in(const std::string& file) {
  const std::string content = read_whole_file(kFolder + file);
  std::vector<Json> pairs;
  for (const std::string_view line : lines_of(content)) pairs.push_back(Json::parse(line));
  return pairs;
}

/// The message of the InputError; "" when there is none.
template <class F>
std::string refusal(const F& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Tokenisers, GiveTheTokensOfThePythonLibrary) {
  std::size_t special = 0;
  for (const Json& pair : pairs_in("small.pairs.jsonl")) {
    const auto text = pair.at("text").get<std::string>();
    const auto tokens = pair.at("tokens").get<Tokens>();
    EXPECT_EQ(small().encode(text), tokens) << text;
    EXPECT_EQ(small().decode(tokens), text);
    special += pair.contains("recognised");
    const auto recognised = pair.value("recognised", tokens);
    EXPECT_EQ(small().encode(text, SpecialTokens::recognised), recognised) << text;
    EXPECT_EQ(small().decode(recognised), text);
  }
  EXPECT_EQ(special, 3u);
  EXPECT_EQ(small().size(), 702u);
  EXPECT_EQ(small().begin(), 0);
  EXPECT_EQ(small().end(), std::nullopt);
}

TEST(Tokenisers, OverCharactersGiveTheTokensOfThePythonLibrary) {
  std::size_t special = 0;
  for (const Json& pair : pairs_in("characters.pairs.jsonl")) {
    const auto text = pair.at("text").get<std::string>();
    const auto tokens = pair.at("tokens").get<Tokens>();
    EXPECT_EQ(characters().encode(text), tokens) << text;
    EXPECT_EQ(characters().decode(tokens), text);
    if (!pair.contains("recognised")) continue;
    ++special;
    EXPECT_EQ(characters().encode(text, SpecialTokens::recognised),
              pair.at("recognised").get<Tokens>())
        << text;
  }
  EXPECT_EQ(special, 3u);
  EXPECT_EQ(characters().begin(), 1);
}

TEST(Tokenisers, OverCharactersATextBehindAnotherHasNoBlankOfItsOwn) {
  const Tokens whole = characters().encode("depth of a graph");
  for (const auto& [first, second] :
       {std::pair<std::string, std::string>{"depth", " of a graph"}, {"depth of a", " graph"}}) {
    Tokens both = characters().encode(first);
    const Tokens behind = characters().encode_behind(second);
    both.insert(both.end(), behind.begin(), behind.end());
    EXPECT_EQ(both, whole);
    EXPECT_EQ(characters().decode_behind(behind), second);
    EXPECT_EQ(small().encode_behind(second), small().encode(second));
  }
}

TEST(Tokenisers, OverCharactersEveryByteHasToHaveAToken) {
  BytePairs pairs = *byte_pairs_of(characters());
  pairs.tokens.at(100) = "none";
  EXPECT_NE(refusal([&] { byte_pair_tokeniser(pairs); }).find("expected a token for every byte"),
            std::string::npos);
}

TEST(Tokenisers, SplitAsLlama3DoesAndLeavePiecesWholeThatAreTokens) {
  BytePairs pairs = *byte_pairs_of(small());
  GgufTokens names;
  names.model = "gpt2";
  names.pre = "llama-bpe";
  names.add_begin = false;
  const BytePairs llama = byte_pairs_from(names);
  pairs.patterns = llama.patterns;
  pairs.whole_pieces = llama.whole_pieces;
  const auto tokeniser = byte_pair_tokeniser(pairs);
  for (const Json& pair : pairs_in("small.pairs.jsonl"))
    EXPECT_EQ(tokeniser->encode(pair.at("text").get<std::string>()), pair.at("split").get<Tokens>())
        << pair.at("text");
}

/// Merges one at a time: the first of the list that stands anywhere, at its leftmost place.
Tokens merged_one_by_one(const BytePairs& pairs, const std::string& text) {
  std::vector<std::string> parts;
  for (const char c : text) parts.push_back(byte_character(static_cast<unsigned char>(c)));
  for (bool merged = true; merged;) {
    merged = false;
    for (const auto& [left, right] : pairs.merges) {
      for (std::size_t i = 0; i + 1 < parts.size() && !merged; ++i)
        if (parts[i] == left && parts[i + 1] == right) {
          parts[i] += right;
          parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          merged = true;
        }
      if (merged) break;
    }
  }
  Tokens tokens;
  for (const std::string& part : parts)
    tokens.push_back(static_cast<std::int32_t>(
        std::find(pairs.tokens.begin(), pairs.tokens.end(), part) - pairs.tokens.begin()));
  return tokens;
}

/// A vocabulary of three letters and random merges of what there is.
BytePairs random_pairs(std::mt19937_64& random) {
  BytePairs pairs;
  pairs.source = "random";
  pairs.tokens = {"a", "b", "c"};
  for (int i = 0; i < 12; ++i) {
    const std::string left = pairs.tokens[random() % pairs.tokens.size()];
    const std::string right = pairs.tokens[random() % pairs.tokens.size()];
    const std::pair<std::string, std::string> merge = {left, right};
    if (std::find(pairs.merges.begin(), pairs.merges.end(), merge) != pairs.merges.end()) continue;
    pairs.merges.push_back(merge);
    if (std::find(pairs.tokens.begin(), pairs.tokens.end(), left + right) == pairs.tokens.end())
      pairs.tokens.push_back(left + right);
  }
  std::shuffle(pairs.merges.begin(), pairs.merges.end(), random);
  return pairs;
}

RC_GTEST_PROP(TokenisersLaws, MergesAreDoneInTheOrderOfTheirList, (std::uint64_t seed)) {
  std::mt19937_64 random(seed);
  const BytePairs pairs = random_pairs(random);
  std::string text;
  for (auto length = random() % 24; length > 0; --length)
    text += static_cast<char>('a' + random() % 3);
  RC_ASSERT(byte_pair_tokeniser(pairs)->encode(text) == merged_one_by_one(pairs, text));
}

RC_GTEST_PROP(TokenisersLaws, TextsOfAnyCharactersComeBack, (const std::vector<char32_t>& drawn)) {
  std::string text;
  for (const char32_t c : drawn)
    if (const char32_t inside = c % 0x110000; inside < 0xD800 || inside > 0xDFFF)
      text += utf8_encode(inside);
  for (const SpecialTokens special : {SpecialTokens::as_text, SpecialTokens::recognised})
    RC_ASSERT(small().decode(small().encode(text, special)) == text);
}

RC_GTEST_PROP(TokenisersLaws, BytesComeBackFromTokensOverCharacters, (const std::string& bytes)) {
  if (bytes.find(kBlankCharacter) != std::string::npos) return;  // it comes back as a blank
  RC_ASSERT(characters().decode(characters().encode(bytes)) == bytes);
}

RC_GTEST_PROP(TokenisersLaws, BytesThatAreNoTextComeBack, (const std::string& bytes)) {
  RC_ASSERT(small().decode(small().encode(bytes)) == bytes);
}

TEST(Tokenisers, TextBesideBrokenBytesIsSplitAsAlone) {
  Tokens expected = small().encode("the depth");
  const Tokens broken = small().encode("\xC3\xFF"), end = small().encode(" of");
  EXPECT_EQ(broken.size(), 2u);
  expected.insert(expected.end(), broken.begin(), broken.end());
  expected.insert(expected.end(), end.begin(), end.end());
  EXPECT_EQ(small().encode("the depth\xC3\xFF of"), expected);
}

TEST(Tokenisers, AWordOfAMegabyteIsMergedWithoutSearchingItAgainAndAgain) {
  std::string text;
  while (text.size() < 1000000) text += "the";
  const Tokens tokens = small().encode(text);
  EXPECT_LT(tokens.size(), text.size() / 2);
  EXPECT_EQ(small().decode(tokens), text);
}

TEST(Tokenisers, BytesAreCharactersAsGpt2HasThem) {
  EXPECT_EQ(byte_character(' '), "Ġ");
  EXPECT_EQ(byte_character('\n'), "Ċ");
  EXPECT_EQ(byte_character('a'), "a");
  EXPECT_EQ(byte_character(0xAD), "Ń");  // the last that is moved
  EXPECT_EQ(byte_character(0xFF), "ÿ");
  EXPECT_EQ(bytes_of_characters("Ġaé"), " a\xE9");
  EXPECT_EQ(bytes_of_characters("a b"), std::nullopt);  // a space stands for no byte
}

TEST(Tokenisers, TextsAreSplitByCharactersAsUnicodeHasThem) {
  const auto pieces = [](const char* pattern, std::string_view text) {
    std::vector<std::string_view> found;
    SplitPattern(pattern, "test").split(text, found);
    return std::vector<std::string>(found.begin(), found.end());
  };
  using Pieces = std::vector<std::string>;
  const std::string text = "a\u180E\u3000 b";
  EXPECT_EQ(pieces(R"(\s+)", text), (Pieces{"a\u180E", "\u3000 ", "b"}));
  EXPECT_EQ(pieces(R"(\S+)", text), (Pieces{"a\u180E", "\u3000 ", "b"}));
  EXPECT_EQ(pieces(R"([\s]+)", text), (Pieces{"a\u180E", "\u3000 ", "b"}));
  // An empty match cuts as well; a line has an end.
  EXPECT_EQ(pieces("x*", "abxc"), (Pieces{"a", "b", "x", "c"}));
  EXPECT_EQ(pieces("x*", "éa漢"), (Pieces{"é", "a", "漢"}));
  EXPECT_EQ(pieces("^b", "a\nbb"), (Pieces{"a\n", "b", "b"}));
  EXPECT_EQ(pieces(R"(\d)", "a\u0663b"), (Pieces{"a", "\u0663", "b"}));  // an Arabic digit
  EXPECT_EQ(pieces(R"(\w+)", "!éa?"), (Pieces{"!", "éa", "?"}));
  EXPECT_EQ(pieces("z", "aé"), Pieces{"aé"});
  EXPECT_EQ(pieces("z", ""), Pieces{});
  for (const char* unlike : {R"(\h)", "[a[b]]", "[a-z&&b]", "(", R"(\p{Nothing})"})
    EXPECT_NE(refusal([&] { SplitPattern(unlike, "FILE"); }).find("FILE: expected a regular"),
              std::string::npos)
        << unlike;
  EXPECT_NE(refusal([&] { pieces("(a+)+[bc]", std::string(40, 'a')); }).find("PCRE2 gives up"),
            std::string::npos);
}

TEST(Tokenisers, AVocabularyWithoutAByteRefusesTextsThatHaveIt) {
  BytePairs pairs;
  pairs.source = "FILE";
  pairs.tokens = {"a", "b"};
  EXPECT_EQ(refusal([&] { byte_pair_tokeniser(pairs)->encode("abc"); }),
            "expected a text in the tokens of FILE, found byte 0x63, which has none, in 'abc'");
  EXPECT_EQ(refusal([&] { byte_pair_tokeniser(pairs)->decode(Tokens{2}); }),
            "expected tokens below 2, found 2");
  EXPECT_EQ(refusal([&] { byte_pair_tokeniser(pairs)->decode(Tokens{-1}); }),
            "expected tokens below 2, found -1");
}

TEST(Tokenisers, NoTextSmugglesInASpecialToken) {
  BytePairs pairs;
  pairs.source = "FILE";
  pairs.tokens = {"<", ">", "<>"};
  pairs.added = {{2, true}};
  pairs.whole_pieces = true;
  const auto tokeniser = byte_pair_tokeniser(pairs);
  EXPECT_EQ(tokeniser->encode("<>"), (Tokens{0, 1}));
  EXPECT_EQ(tokeniser->encode("<>", SpecialTokens::recognised), Tokens{2});
}

TEST(Tokenisers, TextsThatNfcMayChangeAreRefusedWhereTheVocabularyIsComposed) {
  BytePairs pairs = *byte_pairs_of(small());
  pairs.composed = true;
  const auto tokeniser = byte_pair_tokeniser(pairs);
  for (const char* text : {"é plain", "漢字 😀", "한국어", "\xFF broken"})
    EXPECT_EQ(tokeniser->encode(text), small().encode(text)) << text;
  // A mark, a final of Hangul, a letter and a sign that are replaced.
  for (const char* text : {"e\u0301", "\u1100\u1161\u11A8", "\u0958", "\u212B", "\xFF\u2000"})
    EXPECT_NE(refusal([&] { tokeniser->encode(text); }).find("brings texts to NFC"),
              std::string::npos)
        << text;
}

TEST(Tokenisers, WhatDoesNotFitTheTokensIsRefused) {
  const auto changed = [](void (*change)(BytePairs&)) {
    BytePairs pairs;
    pairs.source = "FILE";
    pairs.tokens = {"a", "b", "ab"};
    pairs.merges = {{"a", "b"}};
    change(pairs);
    return refusal([&] { byte_pair_tokeniser(pairs); });
  };
  EXPECT_EQ(changed([](BytePairs&) {}), "");
  EXPECT_EQ(changed([](BytePairs& p) {
              p.merges.push_back({"b", "a"});
            }),
            "FILE: expected merges of two tokens into a third, found 'b a'");
  EXPECT_EQ(changed([](BytePairs& p) {
              p.merges.push_back({"a", "b"});
            }),
            "FILE: expected every merge once, found 'a b' twice");
  EXPECT_EQ(changed([](BytePairs& p) { p.tokens.push_back("ab"); }),
            "FILE: expected every token once, found 'ab' twice");
  EXPECT_EQ(changed([](BytePairs& p) { p.tokens.push_back("a\xFF"); }),
            "FILE: expected tokens in UTF-8, found 'a\\xff'");
  EXPECT_EQ(changed([](BytePairs& p) {
              p.added = {{3, true}};
            }),
            "FILE: expected special tokens below 3, found 3");
  EXPECT_EQ(changed([](BytePairs& p) { p.end = 7; }),
            "FILE: expected special tokens below 3, found 7");
  EXPECT_EQ(changed([](BytePairs& p) { p.tokens.clear(); }),
            "FILE: expected tokens of single bytes, found none");
}

/// The small vocabulary as a GGUF file would have it.
GgufTokens stored() {
  const BytePairs& pairs = *byte_pairs_of(small());
  GgufTokens gguf;
  gguf.file = "FILE";
  gguf.model = "gpt2";
  gguf.pre = "smollm";
  gguf.tokens = pairs.tokens;
  for (const auto& [left, right] : pairs.merges) gguf.merges.push_back(left + " " + right);
  gguf.types.assign(pairs.tokens.size(), 1);
  gguf.types[0] = gguf.types[1] = 3;
  gguf.types[700] = gguf.types[701] = 4;
  gguf.begin = 0;
  gguf.end = 1;
  return gguf;
}

TEST(GgufTokens, GiveTheSameTokens) {
  const auto tokeniser = byte_pair_tokeniser(byte_pairs_from(stored()));
  for (const Json& pair : pairs_in("small.pairs.jsonl")) {
    const auto text = pair.at("text").get<std::string>();
    EXPECT_EQ(tokeniser->encode(text), pair.at("tokens").get<Tokens>());
    EXPECT_EQ(tokeniser->encode(text, SpecialTokens::recognised),
              pair.value("recognised", pair.at("tokens").get<Tokens>()));
  }
  EXPECT_EQ(tokeniser->begin(), std::nullopt);
  EXPECT_EQ(tokeniser->end(), 1);
}

TEST(GgufTokens, ATokenBeginsTextsWhereTheFileOrItsPatternSaysSo) {
  GgufTokens gguf = stored();
  gguf.add_begin = true;
  EXPECT_EQ(byte_pairs_from(gguf).begin, 0);
  gguf.begin.reset();
  EXPECT_NE(refusal([&] { byte_pairs_from(gguf); }).find("bos_token_id"), std::string::npos);
  gguf = stored();
  gguf.pre = "llama-bpe";
  EXPECT_EQ(byte_pairs_from(gguf).begin, 0);
  gguf.add_begin = false;
  EXPECT_EQ(byte_pairs_from(gguf).begin, std::nullopt);
  EXPECT_TRUE(byte_pairs_from(gguf).whole_pieces);
  gguf.types.clear();
  EXPECT_EQ(byte_pairs_from(gguf).added, (std::vector<BytePairs::Added>{{0, true}, {1, true}}));
}

TEST(GgufTokens, EveryKnownNameHasPatternsThatAreExpressions) {
  for (const char* name : {"gpt-2", "olmo", "smollm", "starcoder", "llama-bpe", "dbrx", "qwen2"}) {
    GgufTokens gguf = stored();
    gguf.pre = name;
    EXPECT_EQ(small().decode(byte_pair_tokeniser(byte_pairs_from(gguf))->encode("It's 42.")),
              "It's 42.")
        << name;
  }
  GgufTokens gguf = stored();
  gguf.pre = "qwen2";
  EXPECT_NE(byte_pairs_from(gguf).patterns, byte_pairs_from(stored()).patterns);
}

TEST(GgufTokens, OtherVocabulariesAreRefusedByName) {
  const auto changed = [](void (*change)(GgufTokens&)) {
    GgufTokens gguf = stored();
    change(gguf);
    return refusal([&] { byte_pairs_from(gguf); });
  };
  EXPECT_EQ(changed([](GgufTokens& g) { g.model = "llama"; }),
            "FILE: expected tokenizer.ggml.model 'gpt2' (byte pairs over bytes), found 'llama'");
  const std::string unknown = changed([](GgufTokens& g) { g.pre = "default"; });
  EXPECT_TRUE(unknown.starts_with("FILE: expected a tokenizer.ggml.pre among codeshell, "));
  EXPECT_TRUE(unknown.ends_with(", found 'default'"));
  EXPECT_EQ(changed([](GgufTokens& g) { g.types.pop_back(); }),
            "FILE: expected 702 values of tokenizer.ggml.token_type, found 701");
  EXPECT_EQ(changed([](GgufTokens& g) { g.end = 702; }),
            "FILE: tokenizer.ggml.eos_token_id: expected a token below 702, found 702");
  for (const char* line : {"", "ab", " b", "a ", "a b c"}) {
    GgufTokens gguf = stored();
    gguf.merges.emplace_back(line);
    EXPECT_NE(refusal([&] { byte_pairs_from(gguf); }).find("two tokens with a space"),
              std::string::npos)
        << line;
  }
}

TEST(WordTokenisers, SplitAtWhiteSpaceAndJoinByOneSpace) {
  const auto words = word_tokeniser({"<end>", "cat", "é", "sat"});
  EXPECT_EQ(words->encode(" cat\tsat\n é\u3000cat "), (Tokens{1, 3, 2, 1}));
  EXPECT_EQ(words->decode(Tokens{1, 3, 0}), "cat sat <end>");
  EXPECT_EQ(words->encode("cat <end>"), (Tokens{1, 0}));
  EXPECT_EQ(words->encode(""), Tokens{});
  EXPECT_EQ(words->size(), 4u);
  EXPECT_EQ(words->begin(), std::nullopt);
  EXPECT_EQ(words->end(), 0);
  EXPECT_EQ(refusal([&] { words->encode("cat dog"); }),
            "expected words of a vocabulary of 4, found 'dog'");
  EXPECT_EQ(refusal([&] { words->decode(Tokens{4}); }), "expected tokens below 4, found 4");
}

TEST(WordTokenisers, ListsThatAreNoVocabularyAreRefused) {
  const auto of = [](std::vector<std::string> words) {
    return refusal([&] { WordTokeniser(words, "FILE"); });
  };
  EXPECT_EQ(of({}), "FILE: expected '<end>' as word 0, found no word");
  EXPECT_EQ(of({"a"}), "FILE: expected '<end>' as word 0, found 'a'");
  EXPECT_EQ(of({"<end>", ""}), "FILE: expected words that are not empty");
  EXPECT_EQ(of({"<end>", "a", "a"}), "FILE: duplicate word 'a'");
  for (const char* word : {"a b", "a\u2009b", "a\xFF"})
    EXPECT_NE(of({"<end>", word}).find("without white space"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::tokenisers_tests
