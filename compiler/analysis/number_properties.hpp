#pragma once

#include <span>
#include <vector>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/analysis/form_bounds.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_analysis {

/// What the analysis knows of averages and numbers. Two halves: the abstract value of an average
/// when attention takes it, and what is read off a state: signs, ratios, common norms, that a
/// vector is not zero. Everything holds for every token of every input that the program admits;
/// what cannot be proved is `false`, never guessed.
class NumberProperties {
 public:
  explicit NumberProperties(const Program& program);

  const FormBounds& bounds() const { return bounds_; }

  /// The average that `fetch` adds for `form`, read in this state.
  Summand average(const FetchStatement& fetch, const LinearForm& form,
                  const AbstractState& state) const;
  /// Adds a summand; the same average of other forms is merged, and opposite ones cancel.
  void add(std::vector<Summand>& sum, Summand summand, const AbstractState& state) const;

  Signs signs(const Component& c, const AbstractState& state) const;
  /// The listed components are not all zero, at any token.
  bool nonzero(std::span<const Term> group, const AbstractState& state) const;
  /// The listed components have one joint norm at all tokens of an input.
  bool common(std::span<const Component> group, const AbstractState& state) const;
  /// The listed components are, at each token, rational multiples of one number.
  bool rational_ratio(std::span<const Term> group, const AbstractState& state) const;
  /// L where the two components are a positive multiple of (p, L) at every position p.
  std::optional<Rational> position_ratio(std::span<const Term> group,
                                         const AbstractState& state) const;

 private:
  void prove(Summand& summand, const AbstractState& state) const;
  void prove_typed(Summand& summand, const AbstractState& state) const;
  void prove_under(Summand& summand, const AbstractState& state) const;
  void prove_gate(Summand& summand, const AbstractState& state) const;

  const Program& p_;
  FormBounds bounds_;
};

}  // namespace logdepth::inline compiler_analysis
