#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "learned/language_model/byte_pairs.hpp"
#include "learned/language_model/tokenizer_json.hpp"
#include "learned/language_model/words.hpp"

namespace logdepth::inline learned_language_model {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson numbered(const std::vector<std::string>& tokens) {
  OrderedJson::object_t vocabulary;  // by index, it would look for every key among all before it
  for (std::size_t i = 0; i < tokens.size(); ++i) vocabulary.emplace_back(tokens[i], i);
  return vocabulary;
}

OrderedJson added_token(const std::vector<std::string>& tokens, const BytePairs::Added& added) {
  return {{"id", added.token},       {"content", tokens[static_cast<std::size_t>(added.token)]},
          {"single_word", false},    {"lstrip", false},
          {"rstrip", false},         {"normalized", false},
          {"special", added.special}};
}

OrderedJson file_of(OrderedJson added, OrderedJson normalizer, OrderedJson pre_tokenizer,
                    OrderedJson post_processor, OrderedJson decoder, OrderedJson model) {
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", std::move(added)},
          {"normalizer", std::move(normalizer)},
          {"pre_tokenizer", std::move(pre_tokenizer)},
          {"post_processor", std::move(post_processor)},
          {"decoder", std::move(decoder)},
          {"model", std::move(model)}};
}

OrderedJson byte_level() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", false}};
}

/// Puts a token before every text.
OrderedJson template_with_begin(const std::string& token, std::int32_t number) {
  const OrderedJson special = {{"SpecialToken", {{"id", token}, {"type_id", 0}}}};
  const OrderedJson first = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const OrderedJson second = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  OrderedJson named = OrderedJson::object();
  named[token] = {{"id", token},
                  {"ids", OrderedJson::array({number})},
                  {"tokens", OrderedJson::array({token})}};
  return {{"type", "TemplateProcessing"},
          {"single", OrderedJson::array({special, first})},
          {"pair", OrderedJson::array({special, first, second})},
          {"special_tokens", std::move(named)}};
}

OrderedJson replace(const char* from, const char* to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

OrderedJson sequence(const char* members, std::initializer_list<OrderedJson> parts) {
  return {{"type", "Sequence"}, {members, OrderedJson(OrderedJson::array_t(parts))}};
}

OrderedJson of_byte_pairs(const BytePairs& pairs) {
  OrderedJson added = OrderedJson::array(), splits = OrderedJson::array(),
              merges = OrderedJson::array();
  for (const BytePairs::Added& token : pairs.added)
    added.push_back(added_token(pairs.tokens, token));
  for (const std::string& pattern : pairs.patterns)
    splits.push_back({{"type", "Split"},
                      {"pattern", {{"Regex", pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}});
  splits.push_back(byte_level());
  // As one text: every version of the library reads it.
  for (const auto& [left, right] : pairs.merges) merges.push_back(left + " " + right);
  OrderedJson post_processor;
  if (pairs.begin)
    post_processor =
        template_with_begin(pairs.tokens[static_cast<std::size_t>(*pairs.begin)], *pairs.begin);
  const bool of_characters = pairs.units == BytePairs::Units::characters;
  OrderedJson model = {{"type", "BPE"},
                       {"dropout", nullptr},
                       {"unk_token", nullptr},
                       {"continuing_subword_prefix", nullptr},
                       {"end_of_word_suffix", nullptr},
                       {"fuse_unk", false},
                       {"byte_fallback", of_characters},
                       {"ignore_merges", pairs.whole_pieces},
                       {"vocab", numbered(pairs.tokens)},
                       {"merges", std::move(merges)}};
  if (of_characters)
    return file_of(
        std::move(added),
        sequence("normalizers", {{{"type", "Prepend"}, {"prepend", kBlankCharacter}},
                                 replace(" ", kBlankCharacter)}),
        nullptr, std::move(post_processor),
        sequence("decoders", {replace(kBlankCharacter, " "),
                              {{"type", "ByteFallback"}},
                              {{"type", "Fuse"}},
                              {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}),
        std::move(model));
  return file_of(std::move(added), pairs.composed ? OrderedJson{{"type", "NFC"}} : OrderedJson(),
                 {{"type", "Sequence"}, {"pretokenizers", std::move(splits)}},
                 std::move(post_processor), byte_level(), std::move(model));
}

OrderedJson of_words(const std::vector<std::string>& words) {
  // The library wants a word for unknown ones; one that is not in the list makes them errors.
  std::string unknown = "<unknown>";
  while (std::find(words.begin(), words.end(), unknown) != words.end()) unknown += '>';
  return file_of(OrderedJson::array({added_token(words, {0, true})}), nullptr,
                 {{"type", "WhitespaceSplit"}}, nullptr, nullptr,
                 {{"type", "WordLevel"}, {"vocab", numbered(words)}, {"unk_token", unknown}});
}

const std::vector<std::string>& tokens_of(const Tokeniser& tokeniser) {
  if (const auto* words = dynamic_cast<const WordTokeniser*>(&tokeniser)) return words->words();
  if (const BytePairs* pairs = byte_pairs_of(tokeniser)) return pairs->tokens;
  throw std::logic_error("no kind of tokeniser that a file holds");
}

}  // namespace

std::string to_tokenizer_json(const Tokeniser& tokeniser) {
  const BytePairs* pairs = byte_pairs_of(tokeniser);
  return (pairs != nullptr ? of_byte_pairs(*pairs) : of_words(tokens_of(tokeniser))).dump() + "\n";
}

std::string to_tokenizer_config(const Tokeniser& tokeniser) {
  const std::vector<std::string>& tokens = tokens_of(tokeniser);
  OrderedJson settings = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                          {"clean_up_tokenization_spaces", false}};
  if (const auto begin = tokeniser.begin())
    settings["bos_token"] = tokens[static_cast<std::size_t>(*begin)];
  if (const auto end = tokeniser.end())
    settings["eos_token"] = tokens[static_cast<std::size_t>(*end)];
  return settings.dump(2) + "\n";
}

}  // namespace logdepth::inline learned_language_model
