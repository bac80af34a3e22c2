#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_analysis {

/// Interval arithmetic for linear forms of cells that hold values of their types. Tokens are told
/// apart by kind, first or not: what the embedding fills in is known exactly for each such class.
class FormBounds {
 public:
  explicit FormBounds(const Program& program);

  /// The tokens of one kind at the first position, or at all later ones.
  struct TokenClass {
    std::string kind;
    bool first = false;
    const std::vector<TokenFill>* fills = nullptr;
  };
  /// Every token of every input is in one of these.
  const std::vector<TokenClass>& classes() const { return classes_; }

  struct Interval {
    Rational low, high;
    bool is_zero() const { return low.is_zero() && high.is_zero(); }
  };
  /// Contains the form's value at every token of the class, whatever gamma(state) allows.
  Interval range(const LinearForm& form, const TokenClass& tokens,
                 const AbstractState& state) const;

  /// At every token of the class the literal holds; fails.
  bool holds(const Literal& literal, const TokenClass& tokens, const AbstractState& state) const;
  bool fails(const Literal& literal, const TokenClass& tokens, const AbstractState& state) const;
  /// The form is 0 at every token.
  bool vanishes(const LinearForm& form, const AbstractState& state) const;
  /// Some token of every input has form > 0; the literal: its kind always occurs.
  bool positive_somewhere(const LinearForm& form, const AbstractState& state) const;
  bool holds_somewhere(const Literal& literal, const AbstractState& state) const;

 private:
  Interval truth(const Literal& literal, const TokenClass& tokens,
                 const AbstractState& state) const;
  template <class Predicate>
  bool at_some_kind(const Predicate& holds) const;

  const Program& p_;
  std::vector<TokenClass> classes_;
  std::vector<std::string> always_;  ///< kinds that every input has
};

}  // namespace logdepth::inline compiler_analysis
