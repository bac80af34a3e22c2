#pragma once

#include <optional>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_analysis {

// The abstract domain of the compiler's analysis. The analysis is an abstract interpretation
// (Cousot, Cousot 1977) of programs: compiler/meaning runs the statements on the numbers of one
// input, transfer.hpp runs them on abstract values, which stand for the numbers of every input.
//
// Concretisation. gamma(state) is the set of all moments of a run - one number per component, cell
// and token - at which every property that the state states holds at EVERY token, the first one,
// padding and junk tokens included. A property that is absent excludes nothing. The analysis is
// sound if the moments before a sublayer, in every run of every input of every length, are in gamma
// of the state before it; tests/properties/abstract_interpretation.cpp compares them with runs.
//
// Order. a <= b if both are of one kind and a states whatever b states, so that gamma(a) is
// contained in gamma(b). A `number` with `unknown` is the largest number. Kinds are incomparable.
//
// Join. join(a, b) states what both state: of two values of one kind it is an upper bound, so
// gamma(a) and gamma(b) are contained in its gamma. A program that would need the join of two kinds
// is refused: no mask could read the cell.
//
// Height. Above a value there are only finitely many: each step up drops one of its properties, of
// which it has one per member below, per component and per member of a summand, or makes it unknown.

/// The sign of a number, at the first token and at all others.
struct Signs {
  bool nonnegative = false;  ///< at every token
  bool positive_first = false, positive_rest = false;
  bool positive() const { return positive_first && positive_rest; }
  bool operator==(const Signs&) const = default;
};

/// A part of a component of a number cell, one number per token, that attention added: the average
/// of `form` over the positions that the selector selects, at the time when it was taken.
struct Summand {
  Selector selector;
  bool causal = true;
  std::vector<CellId> under;
  LinearForm form;  ///< canonical_form
  /// Every cell it reads still holds what was read: taken now, it is the same.
  bool current = true;

  Signs signs;
  bool rational = false;  ///< rational, up to the one norm of `under` at all tokens of an input
  bool common = false;    ///< the same at all tokens of an input
  /// The value is the same common number X at all tokens where the first-flag differs from this,
  /// and 0 where it equals it.
  std::optional<bool> zero_where_first;
  bool operator==(const Summand&) const = default;
};

/// What is known of one cell.
struct AbstractValue {
  enum class Kind {
    blank,  ///< zero
    typed,  ///< a value of the cell's type
    number  ///< numbers of any size
  };
  Kind kind = Kind::blank;

  // typed
  bool first_flag = false;               ///< a flag, true exactly at the first position
  bool from_input = false;               ///< still what embedding, position or table put there
  std::optional<std::uint32_t> certain;  ///< flag, one-hot: this value at every token
  bool rational = false;                 ///< direction: rational up to one factor per token
  std::vector<bool> positive;            ///< direction: components that are > 0; or empty

  // number
  std::optional<GivenCell::Holds> given;   ///< what the input gave, and nothing was added since
  bool unknown = false;                    ///< nothing is known about how it came about
  std::vector<std::vector<Summand>> sums;  ///< per component: it is the sum of exactly these

  bool operator==(const AbstractValue&) const = default;

  static AbstractValue typed();
  /// The number 0 in every component.
  static AbstractValue empty_sum(std::uint32_t size);
};
/// One value per cell.
using AbstractState = std::vector<AbstractValue>;

/// A linear form with its terms sorted, repetitions added up and zeros dropped.
LinearForm canonical_form(const LinearForm& form);
/// The averages are of the same form over the same selection, if at different times.
bool same_average_of_same(const Summand& a, const Summand& b);

/// What embedding, position encoding and the input itself leave in the cells.
AbstractState initial_state(const Program& program);
/// Precondition: one kind.
AbstractValue join(const AbstractValue& a, const AbstractValue& b);

}  // namespace logdepth::inline compiler_analysis
