#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "oracle/language_oracle.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth {

/// What a file has to answer of every prefix, as an oracle says it: products where the file reads
/// these; where it reads states, those of the minimal automaton, numbered breadth first from 0, the
/// letters in the order of the file. Both must outlive it.
class RightPrefixes {
 public:
  RightPrefixes(const Model& model, const LanguageOracle& oracle);

  /// Of the first 1, 2, ... letters of a word in the letters of the oracle. Absent where the file
  /// reads no prefixes, or the oracle knows nothing of its kind.
  std::optional<std::vector<PrefixAnswer>> of(const Word& word);
  /// "product of the first 3 letters [1,0,2]", "state after the first 3 letters 2"
  std::string expected(std::size_t letters, const PrefixAnswer& answer) const;
  /// Why there was nothing to compare, as a part of a sentence; empty where there was.
  const std::string& note() const { return note_; }

 private:
  std::optional<std::vector<PrefixAnswer>> products(const Word& word);
  void number_states(const Model& model, std::size_t states);

  const LanguageOracle& oracle_;
  bool states_ = false;
  std::optional<std::size_t> points_;  ///< of the products that the file reads
  std::optional<Dfa> automaton_;       ///< of the states that the file reads
  std::vector<State> numbers_;         ///< in the file, of the states of the automaton
  std::string note_;
};

}  // namespace logdepth
