#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/monoid_table.hpp"
#include "learned/word_problems/own_crasp.hpp"
#include "learned/word_problems/own_words.hpp"
#include "learned/word_problems/verdict_words.hpp"
#include "learned/word_problems/word_task.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline learned_word_problems {

/// Letters from 0 on, each drawn uniformly.
std::vector<std::uint32_t> uniform_word(std::size_t length, std::uint64_t letters,
                                        CounterRandom& random);

/// What the words of a task are made of and labelled by, the words of its file, and the lengths of its
/// curriculum.
class TaskWords {
 public:
  /// Errors: InputError naming the setting, or the file with its line.
  explicit TaskWords(const WordTaskConfig& config);

  const MonoidTable& table() const { return table_; }                 ///< empty without a monoid
  const std::optional<Dfa>& automaton() const { return automaton_; }  ///< in place of a monoid
  const std::optional<OwnCrasp>& crasp() const { return crasp_; }     ///< in place of both
  const std::optional<OwnWords>& own() const { return own_; }         ///< in place of all
  const Labelling& labelling() const { return labelling_; }
  /// Of the stages.
  const std::vector<std::uint32_t>& lengths() const { return lengths_; }
  /// Of a file, to train on and to measure; empty: words are drawn.
  const std::vector<LabelledWord>& trained() const { return trained_; }
  const std::vector<LabelledWord>& held_out() const { return held_out_; }

  /// The letters of a word that no file has.
  std::vector<std::uint32_t> draw(std::uint32_t length, CounterRandom& random) const;
  /// How many of the words may be read in so many letters: with a label per word the whole ones, which
  /// come first.
  std::size_t fitting(const std::vector<LabelledWord>& words, std::uint32_t length) const;
  /// Words of a measurement.
  std::uint32_t measured(std::uint32_t length) const;
  /// Of these, those that something is asked of at the indices 1, 2, ..., up to the last that is asked at.
  std::vector<std::size_t> asked(std::uint32_t length) const;
  /// As files have them.
  std::string letter_name(std::size_t letter) const;
  std::string label_name(std::size_t label) const;

 private:
  void take_words();
  std::vector<LabelledWord> cut(std::vector<LabelledWord> words) const;
  std::vector<LabelledWord> words_of_language() const;
  std::vector<LabelledWord> words_of_monoid() const;

  /// Of the automaton or the program.
  const Alphabet& alphabet() const {
    return automaton_ ? automaton_->alphabet : crasp_->program.alphabet;
  }

  const WordTaskConfig& config_;
  MonoidTable table_;
  std::optional<Dfa> automaton_;
  std::optional<OwnCrasp> crasp_;
  std::optional<OwnWords> own_;
  Labelling labelling_;
  std::optional<VerdictWords> verdict_words_;  ///< of the program
  std::vector<std::uint32_t> lengths_;
  std::vector<LabelledWord> trained_, held_out_;
};

}  // namespace logdepth::inline learned_word_problems
