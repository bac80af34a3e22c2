#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/quoted_text.hpp"
#include "learned/language_model/byte_pairs.hpp"
#include "learned/language_model/known_patterns.hpp"
#include "learned/language_model/tokenizer_json.hpp"
#include "learned/language_model/words.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"

namespace logdepth::inline learned_language_model {
namespace {

using Json = nlohmann::json;

/// For messages; what has parts is only named, because it may be deep.
std::string described(const Json& value) {
  return value.is_structured() ? value.type_name() : value.dump();
}

/// A file of JSON with errors that name it.
class TokenizerFile {
 public:
  explicit TokenizerFile(std::string path)
      : path_(std::move(path)), json_(Json::parse(read_json_file(path_), nullptr, false)) {
    if (!json_.is_object()) throw expected("a JSON object");
  }

  const std::string& path() const { return path_; }
  const Json& json() const { return json_; }
  InputError expected(const std::string& what) const {
    return InputError(path_ + ": expected " + what);
  }
  InputError expected(const std::string& what, const std::string& found) const {
    return expected(what + ", found " + in_quotes(found));
  }

  /// The value of a key; null when the object has none.
  static const Json& at(const Json& object, const char* key) {
    static const Json kNull;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : kNull;
  }
  std::string text(const Json& object, const char* key) const {
    const Json& value = at(object, key);
    if (!value.is_string()) throw expected(fmt::format("'{}' to be a text", key), described(value));
    return value.get<std::string>();
  }
  bool truth(const Json& object, const char* key, bool absent) const {
    const Json& value = at(object, key);
    if (value.is_null()) return absent;
    if (!value.is_boolean())
      throw expected(fmt::format("'{}' to be true or false", key), described(value));
    return value.get<bool>();
  }
  const Json& list(const Json& object, const char* key) const {
    static const Json kEmpty = Json::array();
    const Json& value = at(object, key);
    if (value.is_null()) return kEmpty;
    if (!value.is_array()) throw expected(fmt::format("'{}' to be a list", key), described(value));
    return value;
  }
  /// Which of a kind of parts this is: "ByteLevel", "NFC", ...
  std::string type(const Json& part) const { return text(part, "type"); }
  /// A part, or the parts of a Sequence (of Sequences); none of null.
  std::vector<const Json*> parts(const Json& part, const char* members, int depth = 0) const {
    if (part.is_null()) return {};
    if (type(part) != "Sequence") return {&part};
    if (depth == kDeepestSequence) throw expected("no deeper Sequences of Sequences");
    std::vector<const Json*> all;
    for (const Json& member : list(part, members))
      for (const Json* inner : parts(member, members, depth + 1)) all.push_back(inner);
    return all;
  }

 private:
  static constexpr int kDeepestSequence = 8;
  std::string path_;
  Json json_;
};

/// Numbers of tokens: whole, below `count`.
std::int32_t token_number(const TokenizerFile& file, const Json& value, std::size_t count) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= count)
    throw file.expected(fmt::format("numbers of tokens below {}, each once", count),
                        described(value));
  return value.get<std::int32_t>();
}

/// The vocabulary by number, with the added tokens that it lacks.
std::vector<std::string> tokens_of(const TokenizerFile& file, const Json& model) {
  const Json& vocabulary = TokenizerFile::at(model, "vocab");
  if (!vocabulary.is_object())
    throw file.expected("'vocab' to be an object", vocabulary.type_name());
  std::vector<std::pair<std::string, const Json*>> entries;
  for (const auto& [token, number] : vocabulary.items()) entries.emplace_back(token, &number);
  for (const Json& added : file.list(file.json(), "added_tokens"))
    if (const std::string token = file.text(added, "content"); !vocabulary.contains(token))
      entries.emplace_back(token, &TokenizerFile::at(added, "id"));
  std::vector<std::string> tokens(entries.size());
  std::vector<bool> taken(entries.size());
  for (const auto& [token, value] : entries) {
    const auto number = static_cast<std::size_t>(token_number(file, *value, entries.size()));
    if (taken[number]) throw file.expected("a number for every token", token);
    taken[number] = true;
    tokens[number] = token;
  }
  return tokens;
}

std::vector<BytePairs::Added> added_of(const TokenizerFile& file,
                                       const std::vector<std::string>& tokens) {
  std::vector<BytePairs::Added> added;
  for (const Json& entry : file.list(file.json(), "added_tokens")) {
    const std::string token = file.text(entry, "content");
    const std::int32_t number = token_number(file, TokenizerFile::at(entry, "id"), tokens.size());
    if (tokens[static_cast<std::size_t>(number)] != token)
      throw file.expected(fmt::format("token {} to be the added one", number), token);
    for (const char* flag : {"lstrip", "rstrip", "single_word"})
      if (file.truth(entry, flag, false))
        throw file.expected(fmt::format("added tokens without '{}'", flag), token);
    added.push_back({number, file.truth(entry, "special", false)});
  }
  return added;
}

bool composes(const TokenizerFile& file) {
  bool composed = false;
  for (const Json* part : file.parts(TokenizerFile::at(file.json(), "normalizer"), "normalizers")) {
    if (file.type(*part) != "NFC") throw file.expected("no normalizer or NFC", file.type(*part));
    composed = true;
  }
  return composed;
}

/// The expression that finds a text as it stands.
std::string literally(const std::string& text) {
  std::string expression;
  for (const char c : text) {
    if (std::string_view(R"(\^$.|?*+()[]{}/-&#)").find(c) != std::string_view::npos)
      expression += '\\';
    expression += c;
  }
  return expression;
}

std::string pattern_of_split(const TokenizerFile& file, const Json& split) {
  const std::string behavior = file.text(split, "behavior");
  // Removed and inverted: the matches stay. Expressions that are written so match every character.
  const bool matches_stay = behavior == "Removed" && file.truth(split, "invert", false);
  if (behavior != "Isolated" && !matches_stay)
    throw file.expected("a Split whose pieces are all kept ('Isolated')", behavior);
  const Json& pattern = TokenizerFile::at(split, "pattern");
  if (TokenizerFile::at(pattern, "String").is_string())
    return literally(file.text(pattern, "String"));
  return file.text(pattern, "Regex");
}

std::vector<std::string> patterns_of(const TokenizerFile& file) {
  std::vector<std::string> patterns;
  bool bytes = false;
  for (const Json* part :
       file.parts(TokenizerFile::at(file.json(), "pre_tokenizer"), "pretokenizers")) {
    const std::string type = file.type(*part);
    if (bytes) throw file.expected("nothing behind the pre-tokenizer ByteLevel", type);
    if (type == "ByteLevel") {
      bytes = true;
      if (file.truth(*part, "add_prefix_space", true))
        throw file.expected("a text to stay what it is", "add_prefix_space");
      if (file.truth(*part, "use_regex", true)) patterns.emplace_back(kGpt2Pattern);
    } else if (type == "Digits") {
      patterns.emplace_back(file.truth(*part, "individual_digits", false) ? kDigitPattern
                                                                          : kDigitsPattern);
    } else if (type == "Split") {
      patterns.push_back(pattern_of_split(file, *part));
    } else {
      throw file.expected("the pre-tokenizers Split, Digits and ByteLevel", type);
    }
  }
  if (!bytes) throw file.expected("the pre-tokenizer ByteLevel, found none");
  return patterns;
}

/// The token that a TemplateProcessing puts before a text, and nothing behind it.
std::optional<std::int32_t> begin_of_template(const TokenizerFile& file, const Json& part,
                                              std::size_t count) {
  std::optional<std::int32_t> begin;
  bool text_seen = false;
  for (const Json& piece : file.list(part, "single")) {
    const Json& special = TokenizerFile::at(piece, "SpecialToken");
    if (special.is_null()) {
      text_seen = true;
      continue;
    }
    const std::string name = file.text(special, "id");
    if (text_seen || begin)
      throw file.expected("one token at most before a text and none behind it", name);
    const Json& named = TokenizerFile::at(TokenizerFile::at(part, "special_tokens"), name.c_str());
    const Json& numbers = file.list(named, "ids");
    if (numbers.size() != 1) throw file.expected("a token before a text that has one number", name);
    begin = token_number(file, numbers[0], count);
  }
  return begin;
}

std::optional<std::int32_t> begin_of(const TokenizerFile& file, std::size_t count) {
  std::optional<std::int32_t> begin;
  for (const Json* part :
       file.parts(TokenizerFile::at(file.json(), "post_processor"), "processors")) {
    const std::string type = file.type(*part);
    if (type == "ByteLevel") continue;  // it moves offsets, not tokens
    if (type != "TemplateProcessing" || begin)
      throw file.expected("the post-processors ByteLevel and one TemplateProcessing", type);
    begin = begin_of_template(file, *part, count);
  }
  return begin;
}

/// `eos_token` of the settings beside the file.
std::optional<std::int32_t> end_of(const TokenizerFile& file,
                                   const std::vector<std::string>& tokens) {
  const auto beside = std::filesystem::path(file.path()).parent_path() / "tokenizer_config.json";
  if (!std::filesystem::exists(beside)) return std::nullopt;
  const TokenizerFile settings(beside);
  const Json& token = TokenizerFile::at(settings.json(), "eos_token");
  if (token.is_null()) return std::nullopt;
  const std::string name = token.is_object() ? settings.text(token, "content")
                                             : settings.text(settings.json(), "eos_token");
  const auto found = std::find(tokens.begin(), tokens.end(), name);
  if (found == tokens.end()) throw settings.expected("'eos_token' to be a token", name);
  return static_cast<std::int32_t>(found - tokens.begin());
}

std::pair<std::string, std::string> merge_of(const TokenizerFile& file, const Json& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  if (merge.is_string()) {
    const std::string both = merge.get<std::string>();
    if (const std::size_t space = both.find(' '); space != std::string::npos)
      return {both.substr(0, space), both.substr(space + 1)};
  }
  throw file.expected("merges of two tokens", described(merge));
}

/// Whether parts put "▁" before a text and in the place of blanks, as Prepend and Replace do or
/// Metaspace alone. Errors: InputError when they do anything else.
void check_blanks(const TokenizerFile& file) {
  bool before = false, between = false;
  for (const Json* part : file.parts(TokenizerFile::at(file.json(), "normalizer"), "normalizers")) {
    const std::string type = file.type(*part);
    if (type == "Prepend" && !before && !between &&
        file.text(*part, "prepend") == kBlankCharacter) {
      before = true;
    } else if (type == "Replace" && before && !between &&
               TokenizerFile::at(*part, "pattern") == Json{{"String", " "}} &&
               file.text(*part, "content") == kBlankCharacter) {
      between = true;
    } else {
      throw file.expected("normalizers that put '\u2581' before a text and for blanks", type);
    }
  }
  for (const Json* part :
       file.parts(TokenizerFile::at(file.json(), "pre_tokenizer"), "pretokenizers")) {
    const std::string type = file.type(*part);
    if (type != "Metaspace" || before || file.text(*part, "replacement") != kBlankCharacter ||
        file.text(*part, "prepend_scheme") != "always" || file.truth(*part, "split", true))
      throw file.expected(
          "no pre-tokenizer, or a Metaspace of '\u2581' that prepends always and splits nothing",
          type);
    before = between = true;
  }
  if (!between) throw file.expected("'\u2581' for blanks, by normalizers or a Metaspace");
}

std::shared_ptr<const Tokeniser> read_byte_pairs(const TokenizerFile& file, const Json& model) {
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (const Json& value = TokenizerFile::at(model, affix); !value.is_null() && value != "")
      throw file.expected(fmt::format("a model without '{}'", affix), described(value));
  if (const Json& dropout = TokenizerFile::at(model, "dropout"); !dropout.is_null() && dropout != 0)
    throw file.expected("a model without 'dropout'", described(dropout));
  BytePairs pairs;
  pairs.source = file.path();
  if (file.truth(model, "byte_fallback", false)) {
    pairs.units = BytePairs::Units::characters;
    check_blanks(file);
  } else {
    pairs.patterns = patterns_of(file);
    pairs.composed = composes(file);
  }
  pairs.tokens = tokens_of(file, model);
  for (const Json& merge : file.list(model, "merges"))
    pairs.merges.push_back(merge_of(file, merge));
  pairs.added = added_of(file, pairs.tokens);
  pairs.begin = begin_of(file, pairs.tokens.size());
  pairs.end = end_of(file, pairs.tokens);
  pairs.whole_pieces = file.truth(model, "ignore_merges", false);
  if (pairs.whole_pieces && pairs.units == BytePairs::Units::characters)
    throw file.expected("no 'ignore_merges' beside byte_fallback");
  return byte_pair_tokeniser(std::move(pairs));
}

std::shared_ptr<const Tokeniser> read_words(const TokenizerFile& file, const Json& model) {
  const Json& split = TokenizerFile::at(file.json(), "pre_tokenizer");
  if (split.is_null() || file.type(split) != "WhitespaceSplit")
    throw file.expected("the pre-tokenizer WhitespaceSplit before a WordLevel model");
  for (const char* part : {"normalizer", "post_processor"})
    if (const Json& value = TokenizerFile::at(file.json(), part); !value.is_null())
      throw file.expected(fmt::format("no '{}' beside a WordLevel model", part), described(value));
  return std::make_shared<WordTokeniser>(tokens_of(file, model), file.path());
}

}  // namespace

std::shared_ptr<const Tokeniser> read_tokenizer_json(const std::string& path) {
  const TokenizerFile file(path);
  const Json& model = TokenizerFile::at(file.json(), "model");
  // Files of the first versions name no type of a BPE model.
  const std::string type =
      TokenizerFile::at(model, "type").is_null() && TokenizerFile::at(model, "merges").is_array()
          ? "BPE"
          : file.text(model, "type");
  if (type == "BPE") return read_byte_pairs(file, model);
  if (type == "WordLevel") return read_words(file, model);
  throw file.expected("a model BPE (over bytes) or WordLevel", type);
}

}  // namespace logdepth::inline learned_language_model
