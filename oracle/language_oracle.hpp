#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objects/automaton.hpp"
#include "objects/regex.hpp"

namespace logdepth { inline namespace oracle {

/// A direct decision procedure for a language, sharing no code with the constructions: it never
/// sees an automaton that they determinised or minimised, nor a transition monoid.
class LanguageOracle {
 public:
  virtual ~LanguageOracle() = default;
  virtual const Alphabet& alphabet() const = 0;
  virtual bool accepts(const Word& word) const = 0;
  /// The product of every non-empty prefix, where the language is given by letters acting on
  /// points; absent for a plain language.
  virtual std::optional<std::vector<Transformation>> prefix_products(const Word& word) const;
  /// The minimal complete automaton of the language, its states in any order; absent for a language
  /// that is not known to be regular, and where explored_automaton gives up.
  virtual std::optional<Dfa> minimal_automaton() const;
  /// The named values of a word, "name=value name=value" in any order; absent for an oracle that
  /// has verdicts only.
  virtual std::optional<std::string> named_values(const Word& word) const;
  virtual std::string name() const = 0;
};

/// Brzozowski derivatives of the expression itself.
std::unique_ptr<LanguageOracle> make_regex_oracle(ParsedRegex regex);
/// Subset simulation, letter by letter, of the automaton as it was read.
std::unique_ptr<LanguageOracle> make_nfa_oracle(Nfa nfa, std::string name);
/// Products of transformations, letter by letter.
std::unique_ptr<LanguageOracle> make_action_oracle(Action action, std::string name);

}}  // namespace logdepth::oracle
