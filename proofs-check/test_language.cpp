#include "proofs-check/test_language.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "objects/input_error.hpp"
#include "runtime/promise_check.hpp"
#include "runtime/run_word.hpp"

namespace logdepth {
namespace {

constexpr std::size_t kMaxExhaustive = std::size_t{1} << 24;

class LanguageTest {
 public:
  LanguageTest(const Model& model, const LanguageOracle& oracle)
      : model_(model), oracle_(oracle), runner_(model), promises_(model, runner_.arithmetic()) {
    for (const std::string& name : model.alphabet) {
      const auto letter = oracle.alphabet().find(name);
      if (!letter)
        throw InputError("letter '" + name + "' of the model is not in the alphabet of " +
                         oracle.name());
      letters_.push_back(*letter);
    }
    for (const std::string& name : oracle.alphabet().names())
      if (std::find(model.alphabet.begin(), model.alphabet.end(), name) == model.alphabet.end())
        throw InputError("letter '" + name + "' of " + oracle.name() +
                         " is not in the alphabet of the model");
  }

  struct Mismatch {
    std::string expected, got;
  };

  /// `word` holds indices into the model's alphabet.
  std::optional<Mismatch> mismatch(const Word& word) {
    std::vector<std::string> names;
    Word asked;
    for (const Letter letter : word) {
      names.push_back(model_.alphabet[letter]);
      asked.push_back(letters_[letter]);
    }
    const bool expected = oracle_.accepts(asked);
    accepted_ += expected;
    const auto stream = runner_.run(names, {&promises_});
    if (promises_.broken()) {
      Mismatch found{"every head keeps its promise", *promises_.broken()};
      promises_.forgive();
      return found;
    }
    const char* const wanted = expected ? "accept" : "reject";
    if (!stream.has_value()) return Mismatch{wanted, describe(stream.refusal())};
    const std::size_t last = stream.value().tokens - 1;
    const auto verdict = runner_.accepts(stream.value(), last);
    if (!verdict.has_value()) return Mismatch{wanted, describe(verdict.refusal())};
    if (verdict.value() != expected) return Mismatch{wanted, verdict.value() ? "accept" : "reject"};
    return prefix_mismatch(asked, stream.value());
  }

  std::size_t accepted() const { return accepted_; }
  std::size_t prefixes() const { return prefixes_; }
  const PromiseCheck& promises() const { return promises_; }

 private:
  std::optional<Mismatch> prefix_mismatch(const Word& word, const Stream<ValueId>& stream) {
    if (!runner_.has_prefixes()) return std::nullopt;
    const auto products = oracle_.prefix_products(word);
    if (!products) return std::nullopt;
    for (std::size_t i = 0; i < products->size(); ++i) {
      const auto got = runner_.prefix(stream, runner_.first_letter() + i);
      const std::string wanted = "product of the first " + std::to_string(i + 1) + " letters " +
                                 format_transformation((*products)[i]);
      if (!got.has_value()) return Mismatch{wanted, describe(got.refusal())};
      if (got.value().size() != (*products)[i].size()) return std::nullopt;  // another action
      if (got.value() != (*products)[i])
        return Mismatch{wanted, format_transformation(got.value())};
      ++prefixes_;
    }
    return std::nullopt;
  }

  const Model& model_;
  const LanguageOracle& oracle_;
  WordRunner runner_;
  PromiseCheck promises_;
  std::vector<Letter> letters_;  // model letter -> oracle letter
  std::size_t accepted_ = 0, prefixes_ = 0;
};

/// Leaves out chunks of letters, halves first and single letters last, then turns letters into the
/// first letter, as long as the word keeps failing.
Word shrink(Word word, const std::function<bool(const Word&)>& fails) {
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

}  // namespace

TestReport test_language(const Model& model, const LanguageOracle& oracle,
                         const TestOptions& options) {
  LanguageTest test(model, oracle);
  TestReport report;
  report.up_to = options.up_to;
  report.max_length = options.max_length;
  report.seed = options.seed;

  const std::size_t letters = model.alphabet.size();
  std::size_t exhaustive = 1;
  for (std::size_t length = 1, words = 1; length <= options.up_to && letters > 0; ++length) {
    words *= letters;
    exhaustive += words;
    if (exhaustive > kMaxExhaustive)
      throw InputError("--up-to " + std::to_string(options.up_to) + " means more than " +
                       std::to_string(kMaxExhaustive) + " words over " + std::to_string(letters) +
                       " letters; lower it");
  }
  const std::size_t total = exhaustive + options.random;

  const auto check = [&](const Word& word) {
    const auto found = test.mismatch(word);
    const std::size_t done = report.exhaustive_words + report.random_words;
    if (options.progress) options.progress(done, total);
    if (!found) return true;
    const Word small = shrink(word, [&](const Word& w) { return test.mismatch(w).has_value(); });
    const auto smallest = test.mismatch(small);
    Counterexample example;
    for (const Letter letter : small) example.word.push_back(model.alphabet[letter]);
    example.expected = smallest->expected;
    example.got = smallest->got;
    example.original_length = word.size();
    report.counterexample = std::move(example);
    return false;
  };

  // Words in length-lexicographic order, as an odometer.
  Word word;
  bool fine = true;
  while (fine && word.size() <= options.up_to) {
    ++report.exhaustive_words;
    fine = check(word);
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
    Word sample(random_length(random, options.max_length));
    for (Letter& letter : sample) letter = static_cast<Letter>(random() % letters);
    ++report.random_words;
    fine = check(sample);
  }

  report.accepted = test.accepted();
  report.prefixes = test.prefixes();
  report.promises = test.promises().total_evaluated();
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
    for (std::size_t head = 0; head < model.layers[layer].attention.heads.size(); ++head)
      if (test.promises().evaluated()[layer][head] == 0)
        report.unevaluated.push_back("layer " + std::to_string(layer) + " of the file, head " +
                                     std::to_string(head));
  return report;
}

}  // namespace logdepth
