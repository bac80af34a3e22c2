#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "objects/action.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth::inline proofs_check_check {

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

}  // namespace logdepth::inline proofs_check_check
