#pragma once

#include <cstdint>
#include <string>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// How nested boolean expressions are drawn; see `nested_expression`.
struct ExpressionSettings {
  std::uint32_t sibling_depth = 1;   ///< the shallower operand of & and | is at most so deep
  double critical = 0.5;             ///< share of & and | whose shallower operand decides nothing
  std::uint32_t most_letters = 127;  ///< of an expression; longer ones are drawn anew
  bool operator==(const ExpressionSettings&) const = default;
};

/// Deeper expressions are refused, and
inline constexpr std::uint32_t kDeepestExpression = 64;
/// deeper shallow operands: the longest expression doubles with each.
inline constexpr std::uint32_t kDeepestSibling = 6;
/// Draws of `nested_expression` before it gives up.
inline constexpr std::size_t kExpressionDraws = 10000;
/// An expression of the grammar E := T | F | !E | (E&E) | (E|E), as in "!((T&F)|!(T|F))".
struct NestedExpression {
  std::string text;
  std::uint32_t depth = 0;  ///< 0 for T and F, an operator is one deeper than its deeper operand
  bool value = false;
  /// Rounds of evaluation that decide the value, at most `depth`: in each an operator becomes known
  /// if its operands are, or one that decides it alone (F under &, T under |).
  std::uint32_t rounds = 0;
};

/// An expression of exactly this depth and value. Its root is ! with probability 0.2, else & or |
/// evenly. One operand is drawn of the depth that is left, on either side; the depth of the other is
/// uniform in 0 ... min(sibling_depth, depth - 1). With probability `critical` the other is drawn
/// anew until it does not decide the operator alone, so that the deep one does. The whole is drawn anew until value and length fit, so values are balanced exactly; with
/// the default settings expressions of depth k have at most 8k - 3 letters, about 5k on average.
/// Errors: InputError after kExpressionDraws draws. Precondition: depth >= 1.
NestedExpression nested_expression(const ExpressionSettings& settings, std::uint32_t depth,
                                   bool value, CounterRandom& random);

}  // namespace logdepth::inline learned_depth_recurrent
