#include "proofs-check/check/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/real_text.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline proofs_check_check {

std::vector<Letter> common_letters(const Model& model, const LanguageOracle& oracle) {
  std::vector<Letter> letters;
  for (const std::string& name : model.alphabet) {
    const auto letter = oracle.alphabet().find(name);
    if (!letter)
      throw InputError("letter " + in_quotes(name) + " of the model is not in the alphabet of " +
                       oracle.name());
    letters.push_back(*letter);
  }
  for (const std::string& name : oracle.alphabet().names())
    if (std::find(model.alphabet.begin(), model.alphabet.end(), name) == model.alphabet.end())
      throw InputError("letter " + in_quotes(name) + " of " + oracle.name() +
                       " is not in the alphabet of the model");
  return letters;
}

WordDomain::WordDomain(const Model& model, const LanguageOracle& oracle)
    : model_(model),
      oracle_(oracle),
      letters_(common_letters(model, oracle)),
      right_(model, oracle) {
  if (!std::holds_alternative<WordInput>(model.input))
    throw InputError("the weights file " + in_quotes(model.name) + " does not take words");
}

std::vector<std::string> WordDomain::names(const Word& word) const {
  std::vector<std::string> result;
  for (const Letter letter : word) result.push_back(model_.alphabet[letter]);
  return result;
}

Word WordDomain::word_of(const std::vector<std::string>& names) const {
  Word word;
  for (const std::string& name : names)
    word.push_back(static_cast<Letter>(
        std::find(model_.alphabet.begin(), model_.alphabet.end(), name) - model_.alphabet.begin()));
  return word;
}

std::string WordDomain::text(const Word& word) const {
  if (word.empty()) return "the empty word";
  return in_quotes(Alphabet(model_.alphabet).format_word(word));
}

Word WordDomain::asked(const Word& word) const {
  Word letters;
  for (const Letter letter : word) letters.push_back(letters_[letter]);
  return letters;
}

Outcome<Tokens> WordDomain::tokens(const Word& word) const {
  return tokens_of(model_, names(word));
}

bool WordDomain::outside(const Word& word) const {
  // Without a token that begins or ends the word the empty one has none that could answer.
  const auto& input = std::get<WordInput>(model_.input);
  if (word.empty() && !input.begin && !input.end) return true;
  return model_.unroll.max_length && word.size() > *model_.unroll.max_length;
}

std::optional<std::pair<ProductOfTwoStates, Word>> WordDomain::two_states() const {
  if (!two_states_) return std::nullopt;
  Word word;
  for (const Letter letter : two_states_->second)
    word.push_back(static_cast<Letter>(std::ranges::find(letters_, letter) - letters_.begin()));
  return std::pair(two_states_->first, std::move(word));
}

FileAnswer WordDomain::expected(const Word& word) const {
  const auto* output = std::get_if<CellsOutput>(&model_.output);
  if (!output) return Acceptance{oracle_.accepts(asked(word))};
  NamedNumbers numbers{{}, output->names, {}};
  for (const Real& value : named_values(asked(word))) numbers.values.push_back(value.text());
  return numbers;
}

/// In the order of the file's names.
std::vector<Real> WordDomain::named_values(const Word& asked) const {
  const auto& names = std::get<CellsOutput>(model_.output).names;
  const auto text = oracle_.named_values(asked);
  if (!text)
    throw InputError("the weights file " + in_quotes(model_.name) +
                     " has named values and no verdict; " + oracle_.name() + " has verdicts only");
  std::vector<std::optional<Real>> values(names.size());
  bool fits = true;
  for (const std::string_view field : fields_of(*text)) {
    const std::size_t equals = std::min(field.find('='), field.size());
    const auto name = std::find(names.begin(), names.end(), field.substr(0, equals));
    fits = fits && equals < field.size() && name != names.end();
    if (!fits) break;
    auto& value = values[static_cast<std::size_t>(name - names.begin())];
    fits = !value;
    value = parse_real(field.substr(equals + 1));
    fits = fits && value;
  }
  std::vector<Real> result;
  for (auto& value : values)
    if (value) result.push_back(std::move(*value));
  if (!fits || result.size() < names.size())
    throw InputError(
        fmt::format("{}, input {}: expected one exact value for each of the names {}, as "
                    "{}=1/2, found {}",
                    oracle_.name(), in_quotes(oracle_.alphabet().format_word(asked)), joined(names),
                    names.front(), in_quotes(*text)));
  return result;
}

std::optional<Failure> WordDomain::judge(const Word& word, DecidedRun& run,
                                         ComparedCounts& counts) {
  const std::size_t last = run.tokens() - 1;
  if (const auto* output = std::get_if<CellsOutput>(&model_.output)) {
    const std::vector<Real> right = named_values(asked(word));
    const auto same = run.has_logits(last, right);
    if (!same.has_value()) return NoAnswer{expected(word), same.refusal()};
    counts.numbers += right.size();
    counts.answers += right.size();
    if (!same.value()) {
      const auto got = run.logits(last);
      if (!got.has_value()) return NoAnswer{expected(word), got.refusal()};
      return WrongAnswer{expected(word), NamedNumbers{{}, output->names, got.value()}};
    }
    return std::nullopt;
  }
  const bool right = oracle_.accepts(asked(word));
  counts.positive += right;
  const auto verdict = run.accepts(last);
  if (!verdict.has_value()) return NoAnswer{Acceptance{right}, verdict.refusal()};
  ++counts.answers;
  if (verdict.value() != right) return WrongAnswer{Acceptance{right}, Acceptance{verdict.value()}};
  if (!reads_prefixes(model_)) return std::nullopt;
  return judge_prefixes(asked(word), run, counts);
}

std::optional<Failure> WordDomain::judge_prefixes(const Word& asked, DecidedRun& run,
                                                  ComparedCounts& counts) {
  const auto right = right_.of(asked);
  const auto states = right_.states_of(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto got = run.prefix(first_letter(model_) + i);
    const auto value = [&](const PrefixAnswer& answer) {
      return PrefixValue{i + 1, right_.states(), answer};
    };
    if (!got.has_value())
      return NoAnswer{value(right ? (*right)[i] : PrefixAnswer()), got.refusal()};
    if (!right) continue;
    ++counts.prefixes;
    ++counts.answers;
    if (got.value() != (*right)[i]) return WrongAnswer{value((*right)[i]), value(got.value())};
    if (!states) continue;
    const auto [known, added] = state_of_product_.try_emplace(got.value(), (*states)[i]);
    if (known->second != (*states)[i] && !two_states_)
      two_states_.emplace(ProductOfTwoStates{i + 1, got.value()}, asked);
  }
  return std::nullopt;
}

Answered WordDomain::judge(const Word& word, const FloatRunner& runner,
                           const FloatStream& stream) const {
  const Word letters = asked(word);
  Answered worst = judged(runner.accepts(stream, stream.tokens - 1), oracle_.accepts(letters));
  const auto right = right_.of(letters);
  for (std::size_t i = 0; right && i < right->size() && worst > Answered::wrong; ++i)
    worst = std::min(worst, judged(runner.prefix(stream, first_letter(model_) + i), (*right)[i]));
  return worst;
}

/// Leaves out chunks of letters, halves first and single letters last, then turns letters into the
/// first letter, as long as the word keeps failing.
Word WordDomain::shrunk(Word word, const std::function<bool(const Word&)>& fails) const {
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t chunk = std::max<std::size_t>(word.size() / 2, 1); chunk >= 1; chunk /= 2) {
      for (std::size_t at = 0; at + chunk <= word.size();) {
        Word candidate = word;
        candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(at),
                        candidate.begin() + static_cast<std::ptrdiff_t>(at + chunk));
        if (fails(candidate)) {
          word = std::move(candidate);
          smaller = true;
        } else {
          at += chunk;
        }
      }
    }
    for (Letter& letter : word) {
      if (letter == 0) continue;
      const Letter old = std::exchange(letter, 0);
      if (fails(word)) {
        smaller = true;
      } else {
        letter = old;
      }
    }
  }
  return word;
}

Examination<Word> examine_words(ExactRuns& runs, WordDomain& questions, const Bounds& bounds,
                                const Asking& how) {
  const Model& model = runs.model();
  const auto limit = model.unroll.max_length;
  const Bounds within = limit ? bounds.cut(*limit, *limit) : bounds;
  auto result =
      examine(runs, questions,
              every_word(model, within.up_to, how.shard) +
                  words_but_for_one_place(model, within.random > 0 ? within.max_size : 0) +
                  random_words(model, within.random, within.max_size, within.seed) +
                  words_at_the_limit(model, within.seed),
              how);
  result.bounds = within;
  // That some word goes on wrongly; a word that does is the better example.
  if (const auto found = questions.two_states(); found && !result.counterexample)
    result.counterexample = {found->second, found->first, found->second, result.asked};
  return result;
}

}  // namespace logdepth::inline proofs_check_check
