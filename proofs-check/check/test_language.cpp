#include "proofs-check/check/test_language.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/phrases.hpp"
#include "objects/quoted_text.hpp"
#include "objects/text_lines.hpp"
#include "proofs-check/check/right_prefixes.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/numbers/real_text.hpp"

namespace logdepth {
namespace {

constexpr std::size_t kMaxWords = std::size_t{1} << 24;

std::string named_values_text(const std::vector<std::string>& names,
                              const std::vector<Real>& values) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i > 0 ? " " : "") + names[i] + "=" + values[i].text();
  return text;
}

/// The letters of the model as the oracle has them.
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

class LanguageTest {
 public:
  LanguageTest(const Model& model, const LanguageOracle& oracle)
      : model_(model),
        oracle_(oracle),
        run_(model),
        letters_(common_letters(model, oracle)),
        right_(model, oracle) {}

  /// `word` holds indices into the model's alphabet.
  std::optional<Mismatch> mismatch(const Word& word) {
    // Without a token that begins or ends the word the empty one has none that could answer.
    const auto* words = std::get_if<WordInput>(&model_.input);
    if (word.empty() && words && !words->begin && !words->end)
      return run_.expect_outside(tokens_of(model_, names({})), "the empty word");
    const Word asked = this->asked(word);
    if (const auto* output = std::get_if<CellsOutput>(&model_.output))
      return value_mismatch(word, asked, output->names);
    const bool expected = oracle_.accepts(asked);
    accepted_ += expected;
    const char* const wanted = expected ? "accept" : "reject";
    std::optional<Mismatch> found;
    const auto stream = run_.run(tokens_of(model_, names(word)), wanted, found);
    if (!stream) return found;
    const auto verdict = run_.runner().accepts(*stream, stream->tokens - 1);
    if (!verdict.has_value())
      return Mismatch{TestedProperty::answer, wanted, describe(verdict.refusal())};
    if (verdict.value() != expected)
      return Mismatch{TestedProperty::answer, wanted, verdict.value() ? "accept" : "reject"};
    return prefix_mismatch(asked, *stream);
  }

  /// The word in the letters of the oracle.
  Word asked(const Word& word) const {
    Word letters;
    for (const Letter letter : word) letters.push_back(letters_[letter]);
    return letters;
  }

  /// The word of one letter too many must not be answered.
  std::optional<Mismatch> beyond(std::size_t length) {
    const Word word(length, 0);
    return run_.expect_outside(tokens_of(model_, names(word)),
                               fmt::format("a word of {} letters", length));
  }

  std::vector<std::string> names(const Word& word) const {
    std::vector<std::string> result;
    for (const Letter letter : word) result.push_back(model_.alphabet[letter]);
    return result;
  }
  std::size_t accepted() const { return accepted_; }
  std::size_t values() const { return values_; }
  std::size_t prefixes() const { return prefixes_; }
  const std::string& prefix_note() const { return right_.note(); }
  const CheckedRun& run() const { return run_; }

 private:
  /// Named values of the last token.
  std::optional<Mismatch> value_mismatch(const Word& word, const Word& asked,
                                         const std::vector<std::string>& output) {
    const auto wanted = oracle_.named_values(asked);
    if (!wanted)
      throw InputError("the weights file " + in_quotes(model_.name) +
                       " has named values and no verdict; " + oracle_.name() +
                       " has verdicts only");
    const std::vector<Real> expected = read_named_values(*wanted, output, asked);
    std::optional<Mismatch> found;
    const auto stream = run_.run(tokens_of(model_, names(word)), *wanted, found);
    if (!stream) return found;
    const std::vector<Real> got = run_.runner().logits(*stream, stream->tokens - 1);
    values_ += got.size();
    if (got == expected) return std::nullopt;
    return Mismatch{TestedProperty::answer, named_values_text(output, expected),
                    named_values_text(output, got)};
  }

  /// In the order of `output`. Errors: InputError for anything but one value for each name.
  std::vector<Real> read_named_values(const std::string& text,
                                      const std::vector<std::string>& output,
                                      const Word& asked) const {
    std::vector<std::optional<Real>> values(output.size());
    bool fits = true;
    for (const std::string_view field : fields_of(text)) {
      const std::size_t equals = std::min(field.find('='), field.size());
      const auto name = std::find(output.begin(), output.end(), field.substr(0, equals));
      fits = fits && equals < field.size() && name != output.end();
      if (!fits) break;
      auto& value = values[static_cast<std::size_t>(name - output.begin())];
      fits = !value;
      value = parse_real(field.substr(equals + 1));
      fits = fits && value;
    }
    std::vector<Real> result;
    for (auto& value : values)
      if (value) result.push_back(std::move(*value));
    if (!fits || result.size() < output.size())
      throw InputError(
          fmt::format("{}, asked {}: expected one exact value for each of the names {}, as "
                      "{}=1/2, found {}",
                      oracle_.name(), in_quotes(oracle_.alphabet().format_word(asked)),
                      joined(output), output.front(), in_quotes(text)));
    return result;
  }

  std::optional<Mismatch> prefix_mismatch(const Word& word, const Stream<ValueId>& stream) {
    Runner& runner = run_.runner();
    const auto right = right_.of(word);
    if (!right) return std::nullopt;
    for (std::size_t i = 0; i < right->size(); ++i) {
      const auto got = runner.prefix(stream, runner.first_letter() + i);
      const std::string wanted = right_.expected(i + 1, (*right)[i]);
      if (!got.has_value())
        return Mismatch{TestedProperty::prefix, wanted, describe(got.refusal())};
      if (got.value() != (*right)[i])
        return Mismatch{TestedProperty::prefix, wanted, prefix_text(got.value())};
      ++prefixes_;
    }
    return std::nullopt;
  }

  const Model& model_;
  const LanguageOracle& oracle_;
  CheckedRun run_;
  std::vector<Letter> letters_;  // model letter -> oracle letter
  RightPrefixes right_;
  std::size_t accepted_ = 0, prefixes_ = 0, values_ = 0;
};

/// Leaves out chunks of letters, halves first and single letters last, then turns letters into the
/// first letter, as long as the word keeps failing.
Word shrink_word(Word word, const std::function<bool(const Word&)>& fails) {
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

/// Lengths that expose off-by-one loops: around powers of two half of the time.
std::size_t random_length(std::mt19937_64& random, std::size_t max_length) {
  if (random() % 2 == 0) {
    const std::size_t near = (std::size_t{1} << (random() % 20)) + random() % 3 - 1;
    if (near <= max_length) return near;
  }
  return random() % (max_length + 1);
}

/// Half of the words have letters drawn one by one; the others are runs, long and of few letters:
/// what counts or remembers goes wrong on those.
Word random_word(std::mt19937_64& random, std::size_t length, std::size_t letters) {
  Word word;
  const bool runs = random() % 2 == 0;
  const std::size_t few = runs ? 1 + random() % letters : letters;
  const std::size_t first = runs ? random() % letters : 0;
  while (word.size() < length) {
    const auto letter = static_cast<Letter>((first + random() % few) % letters);
    const std::size_t longest = runs ? std::size_t{1} << (random() % 7) : 1;
    const std::size_t run = std::min(1 + random() % longest, length - word.size());
    word.insert(word.end(), run, letter);
  }
  return word;
}

}  // namespace

std::optional<Mismatch> mismatch_on(const Model& model, const LanguageOracle& oracle,
                                    const std::vector<std::string>& word) {
  LanguageTest test(model, oracle);
  Word letters;
  for (const std::string& name : word)
    letters.push_back(static_cast<Letter>(
        std::find(model.alphabet.begin(), model.alphabet.end(), name) - model.alphabet.begin()));
  return test.mismatch(letters);
}

TestReport test_language(const Model& model, const LanguageOracle& oracle,
                         const TestOptions& options) {
  LanguageTest test(model, oracle);
  TestReport report;
  const std::uint64_t limit =
      model.unroll.max_length.value_or(std::numeric_limits<std::uint64_t>::max());
  report.up_to = std::min<std::uint64_t>(options.up_to, limit);
  report.max_length = std::min<std::uint64_t>(options.max_length, limit);
  report.seed = options.seed;

  const std::size_t letters = model.alphabet.size();
  std::size_t exhaustive = 1;
  for (std::size_t length = 1, words = 1; length <= report.up_to && letters > 0; ++length) {
    words *= letters;
    exhaustive += words;
    if (exhaustive / options.shard.count > kMaxWords)
      throw InputError(fmt::format(
          "--up-to {} means more than {} words over {} letters{}; lower it", options.up_to,
          kMaxWords, letters, options.shard.count > 1 ? " for each shard" : ""));
  }
  const std::size_t total = (exhaustive + options.random) / options.shard.count;
  NumberedCases cases(options.shard);

  const auto check = [&](const Word& word) {
    const auto found = test.mismatch(word);
    const std::size_t done = report.exhaustive_words + report.random_words;
    if (options.progress) options.progress(done, total);
    if (!found) return true;
    const Word small =
        shrink_word(word, [&](const Word& w) { return test.mismatch(w).has_value(); });
    const auto smallest = test.mismatch(small);
    // The file answers the same every time, so it was the oracle that did not.
    if (!smallest)
      throw InputError(oracle.name() + ", asked " +
                       in_quotes(oracle.alphabet().format_word(test.asked(small))) +
                       " twice: expected one answer, found two");
    Counterexample example;
    example.word = test.names(small);
    example.property = smallest->property;
    example.expected = smallest->expected;
    example.got = smallest->got;
    example.original_length = word.size();
    example.number = cases.number();
    report.counterexample = std::move(example);
    return false;
  };

  // Words in length-lexicographic order, as an odometer.
  Word word;
  bool fine = true;
  while (fine && word.size() <= report.up_to) {
    if (cases.next()) {
      ++report.exhaustive_words;
      fine = check(word);
    }
    std::size_t i = word.size();
    while (i > 0 && word[i - 1] + 1 == letters) word[--i] = 0;
    if (i > 0) {
      ++word[i - 1];
    } else {
      if (letters == 0) break;
      word.assign(word.size() + 1, 0);
    }
  }
  std::mt19937_64 random(options.seed);
  for (std::size_t i = 0; fine && letters > 0 && i < options.random; ++i) {
    const Word drawn = random_word(random, random_length(random, report.max_length), letters);
    if (!cases.next()) continue;
    ++report.random_words;
    fine = check(drawn);
  }
  if (fine && letters > 0 && limit < (std::uint64_t{1} << 20) && cases.next())
    if (const auto answered = test.beyond(limit + 1)) {
      const Word word_beyond(limit + 1, 0);
      report.counterexample = {test.names(word_beyond), answered->property, answered->expected,
                               answered->got,           word_beyond.size(), cases.number()};
    }

  report.accepted = test.accepted();
  report.prefixes = test.prefixes();
  report.values = test.values();
  report.prefix_kind = reads_states(model) ? "state" : "prefix product";
  report.prefix_note = test.prefix_note();
  report.promises = test.run().promises();
  report.unevaluated = test.run().unevaluated();
  return report;
}

}  // namespace logdepth
