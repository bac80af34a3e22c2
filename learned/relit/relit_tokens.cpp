#include "learned/relit/relit_tokens.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include "base/quoted_text.hpp"
#include "learned/language_model/model_file.hpp"
#include "learned/language_model/words.hpp"
#include "learned/relit/nli_pairs.hpp"
#include "learned/relit/rule_theory.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

/// Tokens, or a refusal that names whose they were to be.
template <class Encode>
std::vector<std::int32_t> named(const std::string& name, const Encode& encode) {
  try {
    return encode();
  } catch (const InputError& error) {
    throw InputError(name + ": " + error.what());
  }
}

}  // namespace

const std::vector<std::string>& relit_words() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> words = {
        kEndWord,     ".",    ":",   ",",       "question", "answer", "premise",
        "hypothesis", "yes",  "no",  "unknown", "neutral",  "If",     "someone",
        "is",         "not",  "and", "then",    "they",     "are",    "All",
        "things",     "Some", "No",  "Not",     "all"};
    for (std::uint32_t i = 0; i < kRuleNames; ++i) words.emplace_back(rule_name(i));
    for (std::uint32_t i = 0; i < kRuleAttributes; ++i) words.emplace_back(rule_attribute(i));
    for (std::uint32_t i = 0; i < kNliNouns; ++i) words.emplace_back(narrower_noun(i));
    for (std::uint32_t i = 0; i < kNliNouns; ++i)
      // Several nouns have the same wider one.
      if (std::find(words.begin(), words.end(), wider_noun(i)) == words.end())
        words.emplace_back(wider_noun(i));
    return words;
  }();
  return kWords;
}

std::vector<std::int32_t> RelitTokens::prompt(const std::string& text) const {
  std::vector<std::int32_t> tokens = named(name, [&] { return tokeniser->encode(text); });
  if (const auto begin = tokeniser->begin()) tokens.insert(tokens.begin(), *begin);
  if (context != 0 && tokens.size() > context)
    throw InputError(fmt::format("{}: expected prompts of at most {} tokens, found one of {}: {}",
                                 name, context, tokens.size(), in_quotes(text)));
  return tokens;
}

std::int32_t RelitTokens::answer(const std::string& word) const {
  const std::vector<std::int32_t> tokens =
      named(name, [&] { return tokeniser->encode_behind(" " + word); });
  if (tokens.size() != 1)
    throw InputError(fmt::format("{}: expected answers of one token, found '{}' with {}", name,
                                 word, tokens.size()));
  return tokens.front();
}

RelitTokens relit_tokens(const std::string& model) {
  if (model.empty())
    return {word_tokeniser(relit_words()), static_cast<std::uint32_t>(relit_words().size()), 0,
            "the words of the task"};
  const LanguageModelFile file(model);
  return {file.tokens(), file.vocabulary(), file.context(), model};
}

}  // namespace logdepth::inline learned_relit
