#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth { inline namespace compiler_analysis {

// The abstract domain of the compiler's analysis. The analysis is an abstract interpretation
// (Cousot, Cousot 1977) of programs: compiler/meaning runs the statements on the numbers of one
// input, Transfer (below) runs them on abstract values, which stand for the numbers of every input.
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

/// What embedding, position encoding and the input itself leave in the cells.
AbstractState initial_state(const Program& program);
/// Precondition: one kind.
AbstractValue join(const AbstractValue& a, const AbstractValue& b);

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

/// The repeated block, once, on abstract values: from the state before it to the state after it.
using AbstractPass = std::function<AbstractState(const AbstractState&)>;

/// A state that contains `entry` and the end of every pass that begins in it, so it holds before
/// and after every pass of the loop, however often it runs: a post-fixed point. The last call of
/// `pass` began in it. Precondition: a pass ends with the kinds that it begins with; `pass` is the
/// place to refuse others, by throwing.
///
/// Found by iteration, x := join(x, pass(x)), until nothing changes. It ends without widening: from
/// the second round on x only climbs, and there are finitely many values above one (Height,
/// above). The first round may instead add summands to it, once: see the source.
AbstractState loop_invariant(const FormBounds& bounds, AbstractState entry,
                             const AbstractPass& pass);

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
  bool common(std::span<const Term> group, const AbstractState& state) const;
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

/// The abstract meaning of statements, beside their meaning (`step`, compiler/meaning): moments in
/// gamma(before) that obey ProofObligations are taken into gamma(after). Refuses nothing.
class Transfer {
 public:
  Transfer(const Program& program, const NumberProperties& numbers)
      : p_(program), numbers_(numbers) {}

  /// The state after statements that run at once, each reading `before`: one, or a sublayer.
  AbstractState after(std::span<const Statement* const> statements,
                      const AbstractState& before) const;

 private:
  void apply(const FetchStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const LookupStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const MoveStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const EraseStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const NormaliseStatement& s, const AbstractState& before, AbstractState& state) const;
  void apply(const TestStatement& s, const AbstractState& before, AbstractState& state) const;
  void add(const FetchStatement& s, const SumWrite& write, const AbstractState& before,
           AbstractValue& target) const;
  AbstractValue copied(const FetchStatement& s, CellId source, const AbstractState& before) const;
  AbstractValue direction_of(std::span<const Term> group, const AbstractState& before) const;
  void forget_averages_of(const std::vector<CellId>& written, AbstractState& state) const;

  const Program& p_;
  const NumberProperties& numbers_;
};

}}  // namespace logdepth::compiler_analysis
