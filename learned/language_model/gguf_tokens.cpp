#include "learned/language_model/gguf_tokens.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/quoted_text.hpp"
#include "learned/language_model/known_patterns.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {
namespace {

// The values of tokenizer.ggml.token_type that matter here.
constexpr std::int32_t kUnknown = 2, kControl = 3, kUserDefined = 4;

constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
                               R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// What `tokenizer.ggml.pre` stands for.
struct Pretokeniser {
  std::vector<std::string> patterns;
  bool whole_pieces = false;
  bool add_begin = false;  // where the file has no key of its own
};

const std::map<std::string, Pretokeniser>& pretokenisers() {
  static const std::map<std::string, Pretokeniser> known = [] {
    std::map<std::string, Pretokeniser> table;
    for (const char* name : {"gpt-2", "olmo", "phi-2", "mpt", "jais", "trillion", "exaone4"})
      table[name] = {{kGpt2Pattern}};
    for (const char* name :
         {"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"})
      table[name] = {{kDigitPattern, kGpt2Pattern}};
    for (const char* name : {"llama3", "llama-v3", "llama-bpe", "falcon3", "pixtral"})
      table[name] = {{kLlama3}, true, true};
    for (const char* name : {"dbrx", "smaug-bpe"}) table[name] = {{kLlama3}};
    for (const char* name : {"qwen2", "deepseek-r1-qwen", "stablelm2", "megrez"})
      table[name] = {{kQwen2}};
    return table;
  }();
  return known;
}

std::optional<std::int32_t> number_of(const GgufTokens& stored, std::optional<std::uint32_t> token,
                                      const char* key) {
  if (!token) return std::nullopt;
  if (*token >= stored.tokens.size())
    throw InputError(fmt::format("{}: tokenizer.ggml.{}: expected a token below {}, found {}",
                                 stored.file, key, stored.tokens.size(), *token));
  return static_cast<std::int32_t>(*token);
}

std::pair<std::string, std::string> merge_of(const std::string& line, const std::string& file) {
  const std::size_t space = line.find(' ');
  if (space == 0 || space == std::string::npos || space + 1 == line.size() ||
      line.find(' ', space + 1) != std::string::npos)
    throw InputError(
        fmt::format("{}: tokenizer.ggml.merges: expected two tokens with a space between them, "
                    "found {}",
                    file, in_quotes(line)));
  return {line.substr(0, space), line.substr(space + 1)};
}

/// Without types, the tokens at the ends of a text are the special ones.
std::vector<BytePairs::Added> added_tokens(const GgufTokens& stored, const BytePairs& pairs) {
  std::vector<BytePairs::Added> added;
  for (std::size_t i = 0; i < stored.types.size(); ++i)
    if (const std::int32_t type = stored.types[i];
        type == kUnknown || type == kControl || type == kUserDefined)
      added.push_back({static_cast<std::int32_t>(i), type != kUserDefined});
  if (stored.types.empty())
    for (const auto& token : {pairs.begin, pairs.end})
      if (token && (added.empty() || added[0].token != *token)) added.push_back({*token, true});
  return added;
}

}  // namespace

BytePairs byte_pairs_from(const GgufTokens& stored) {
  const auto expected = [&](const std::string& what, const std::string& found) {
    return InputError(fmt::format("{}: expected {}, found {}", stored.file, what, found));
  };
  if (stored.model != "gpt2")
    throw expected("tokenizer.ggml.model 'gpt2' (byte pairs over bytes)", in_quotes(stored.model));
  const auto pre = pretokenisers().find(stored.pre);
  if (pre == pretokenisers().end()) {
    std::string names;
    for (const auto& [name, unused] : pretokenisers()) names += (names.empty() ? "" : ", ") + name;
    throw expected("a tokenizer.ggml.pre among " + names, in_quotes(stored.pre));
  }
  if (!stored.types.empty() && stored.types.size() != stored.tokens.size())
    throw expected(fmt::format("{} values of tokenizer.ggml.token_type", stored.tokens.size()),
                   std::to_string(stored.types.size()));
  BytePairs pairs;
  pairs.source = stored.file;
  pairs.tokens = stored.tokens;
  for (const std::string& line : stored.merges) pairs.merges.push_back(merge_of(line, stored.file));
  pairs.patterns = pre->second.patterns;
  pairs.whole_pieces = pre->second.whole_pieces;
  pairs.begin = number_of(stored, stored.begin, "bos_token_id");
  pairs.end = number_of(stored, stored.end, "eos_token_id");
  pairs.added = added_tokens(stored, pairs);
  const bool add_begin = stored.add_begin.value_or(pre->second.add_begin);
  if (add_begin && !pairs.begin)
    throw expected("tokenizer.ggml.bos_token_id, because texts begin with that token",
                   "no such key");
  if (!add_begin) pairs.begin.reset();
  return pairs;
}

}  // namespace logdepth::inline learned_language_model
