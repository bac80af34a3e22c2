#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/language_oracle.hpp"
#include "proofs-check/check/examine.hpp"
#include "proofs-check/check/judged_floats.hpp"
#include "proofs-check/check/right_prefixes.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline proofs_check_check {

/// What `test` asks of a file that takes words, if nobody says otherwise.
inline constexpr Bounds kWordBounds{6, 200, 100, 1};

/// Words to a weights file, as indices into its alphabet: the verdict against the oracle's; prefix
/// products or states where the file reads them; in place of a verdict the named values of the last
/// token, where the file has such.
class WordDomain : public TestDomain<Word> {
 public:
  /// Keeps references. Errors: InputError when the model takes no words, when the alphabets do not
  /// fit.
  WordDomain(const Model& model, const LanguageOracle& oracle);

  Outcome<Tokens> tokens(const Word& word) const override;
  bool outside(const Word& word) const override;
  /// Errors: InputError where the oracle does not say one value for each name of the file.
  FileAnswer expected(const Word& word) const override;
  std::optional<Failure> judge(const Word& word, DecidedRun& run, ComparedCounts& counts) override;
  /// The same of a run in floating point.
  Answered judge(const Word& word, const FloatRunner& runner, const FloatStream& stream) const;
  Word shrunk(Word word, const std::function<bool(const Word&)>& fails) const override;
  std::string text(const Word& word) const override;

  std::vector<std::string> names(const Word& word) const;
  /// The other way round. Precondition: letters of the model.
  Word word_of(const std::vector<std::string>& names) const;
  /// "prefix product" or "state": what the file reads of prefixes.
  const char* prefix_kind() const { return right_.states() ? "state" : "prefix product"; }
  /// The first word so far of which one product leads to two states of the language, with what was found:
  /// some word that goes on from there is answered wrongly. Not among what judge() finds.
  std::optional<std::pair<ProductOfTwoStates, Word>> two_states() const;
  /// As RightPrefixes says it.
  const std::string& prefix_note() const { return right_.note(); }

 private:
  Word asked(const Word& word) const;
  std::vector<Real> named_values(const Word& asked) const;
  std::optional<Failure> judge_prefixes(const Word& asked, DecidedRun& run, ComparedCounts& counts);

  const Model& model_;
  const LanguageOracle& oracle_;
  std::vector<Letter> letters_;  ///< of the oracle, by the model's
  RightPrefixes right_;
  std::map<PrefixAnswer, State> state_of_product_;                 ///< of all prefixes so far
  std::optional<std::pair<ProductOfTwoStates, Word>> two_states_;  ///< in the oracle's letters
};

/// The letters of the model as the oracle has them. Errors: InputError where the alphabets do not fit.
std::vector<Letter> common_letters(const Model& model, const LanguageOracle& oracle);

/// Every word of at most so many letters, in length-lexicographic order. Errors: InputError for more
/// than 2^24 words for each shard.
CaseGenerator<Word> every_word(const Model& model, std::size_t up_to, const Shard& shard = {});
/// Words with one letter that differs from the rest, of every length up to 17, every place and every
/// two letters: what looks at the wrong place sees the letter twice, or not at all. Shorter ones only where there are
/// many letters.
CaseGenerator<Word> words_but_for_one_place(const Model& model, std::size_t up_to);
/// Every word of one length; the first letter changes fastest, which a missing loop does not reach.
CaseGenerator<Word> words_of_length(const Model& model, std::size_t length);
/// Random words: of letters drawn one by one; of runs, long and of few letters; of one letter but for
/// a few places. Half of the lengths are around powers of two. The same seed gives the same words.
CaseGenerator<Word> random_words(const Model& model, std::size_t count, std::size_t max_length,
                                 std::uint64_t seed);
/// Words of the largest length that the file is made for, where that is not long, and one that is
/// longer.
CaseGenerator<Word> words_at_the_limit(const Model& model, std::uint64_t seed);

/// Every short word, chosen ones, random ones and those at the limit, within the file's own limit and
/// `bounds.max_size`. Without random ones none is chosen. Errors: as above.
Examination<Word> examine_words(ExactRuns& runs, WordDomain& questions, const Bounds& bounds,
                                const Asking& how);

/// The same of a file as it is.
inline Examination<Word> examine_words(const Model& model, const LanguageOracle& oracle,
                                       const Bounds& bounds, const Asking& how = {}) {
  ExactRuns runs(model);
  WordDomain questions(model, oracle);
  return examine_words(runs, questions, bounds, how);
}

}  // namespace logdepth::inline proofs_check_check
