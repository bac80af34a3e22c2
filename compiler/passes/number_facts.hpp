#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "compiler/rules/cell_content.hpp"

namespace logdepth {

/// A linear form with its terms sorted, repetitions added up and zeros dropped.
LinearForm canonical_form(const LinearForm& form);

/// Proves facts about numbers, for every token of every input that the program admits: signs, that
/// a value is the same at all tokens, that a ratio is rational, that a vector is not zero. What
/// cannot be proved is reported as unknown, never guessed.
class NumberFacts {
 public:
  explicit NumberFacts(const Program& program);

  /// The average that `fetch` adds for `form`, read from cells with these contents.
  Summand average(const FetchStatement& fetch, const LinearForm& form,
                  const CellContents& contents) const;
  /// Adds a summand; the same average of other forms is merged, and opposite ones cancel.
  void add(std::vector<Summand>& sum, Summand summand, const CellContents& contents) const;

  /// The form is 0 at every token.
  bool vanishes(const LinearForm& form, const CellContents& contents) const;
  Signs signs(const Component& c, const CellContents& contents) const;
  /// The listed components are not all zero, at any token.
  bool nonzero(std::span<const Term> group, const CellContents& contents) const;
  /// The listed components have one joint norm at all tokens of an input.
  bool common(std::span<const Component> group, const CellContents& contents) const;
  /// The listed components are rational multiples of one number.
  bool rational_ratio(std::span<const Term> group, const CellContents& contents) const;
  /// The two components are a positive multiple of (p, 1) at every position p.
  bool position_ratio(std::span<const Term> group, const CellContents& contents) const;

 private:
  /// A kind of token at the first or at a later position.
  struct TokenClass {
    std::string kind;
    bool first = false;
    const std::vector<TokenFill>* fills = nullptr;
  };
  struct Interval {
    Rational low, high;
  };

  Interval range(const LinearForm& form, const TokenClass& tokens,
                 const CellContents& contents) const;
  bool holds_always(const Literal& literal, const TokenClass& tokens, const CellContents& contents,
                    bool negated) const;
  /// Some token of every input has form > 0 / the literal, because its kind always occurs.
  bool positive_somewhere(const LinearForm& form, const CellContents& contents) const;
  void prove(Summand& summand, const CellContents& contents) const;
  void prove_typed(Summand& summand, const CellContents& contents) const;
  void prove_under(Summand& summand, const CellContents& contents) const;
  void prove_gate(Summand& summand, const CellContents& contents) const;

  const Program& p_;
  std::vector<TokenClass> classes_;
  std::vector<std::string> always_;  ///< kinds that every input has
};

}  // namespace logdepth
