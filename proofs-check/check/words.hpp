#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/automaton.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_check {

/// What a file has to answer of every prefix.
///
/// States: those of the oracle's minimal automaton, numbered breadth first from 0, the letters in the
/// order of the file. Products: the oracle's own where it has them, of as many points. Otherwise the
/// file may number its points as it likes, and has to be of one mind: the product of a prefix is that
/// of its letters, as the file answers them one by one; and if it knows which words are in the language,
/// one product never leads to two states of the minimal automaton, since what follows is decided by
/// the product alone. Model and oracle must outlive this.
class RightPrefixes {
 public:
  /// Runs the words of one letter where these products are needed.
  RightPrefixes(const Model& model, const LanguageOracle& oracle);

  /// Of the first 1, 2, ... letters of a word in the letters of the oracle. Absent where the file
  /// reads no prefixes, or nothing is known of what it reads.
  std::optional<std::vector<PrefixAnswer>> of(const Word& word) const;
  /// The states of the minimal automaton after the first 1, 2, ... letters, where it is known.
  std::optional<std::vector<State>> states_of(const Word& word) const;
  /// The file reads states, not products.
  bool states() const { return states_; }
  /// Why there is nothing to compare with, or what is compared instead of the oracle's own products, as
  /// a part of a sentence; empty where there is nothing to say.
  const std::string& note() const { return note_; }

 private:
  void number_states();
  void find_products(std::size_t points);
  std::optional<std::vector<Transformation>> products_of_letters() const;
  bool acts_as_automaton() const;

  const Model& model_;
  const LanguageOracle& oracle_;
  bool states_ = false, own_products_ = false, known_ = false;
  std::optional<Dfa> automaton_;            ///< minimal, if known
  std::vector<State> numbers_;              ///< breadth first, of its states
  std::vector<Transformation> of_letters_;  ///< as the file answers them, by the oracle's letters
  std::string note_;
};

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

  const LanguageOracle& oracle_;
  std::vector<Letter> letters_;  ///< of the oracle, by the model's
  RightPrefixes right_;
  std::map<PrefixAnswer, State> state_of_product_;                 ///< of all prefixes so far
  std::optional<std::pair<ProductOfTwoStates, Word>> two_states_;  ///< in the oracle's letters
};

/// Every word of at most so many letters, in length-lexicographic order. Errors: InputError for more
/// than 2^24 words.
CaseGenerator<Word> every_word(const Model& model, std::size_t up_to);
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

/// The given words; every short word, chosen ones, random ones and those at the limit, within the file's
/// own limit and `bounds.max_size`. Without random ones none is chosen. Errors: as above.
Examination<Word> examine_words(WordDomain& questions, const Bounds& bounds, const Asking& how,
                                const std::vector<Word>& given = {});

}}  // namespace logdepth::proofs_check_check
