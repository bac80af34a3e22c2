#include "learned/depth_recurrent/expressions.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

constexpr double kNegation = 0.2;

NestedExpression draw(const ExpressionSettings& settings, std::uint32_t depth,
                      CounterRandom& random);

NestedExpression draw_operation(const ExpressionSettings& settings, std::uint32_t depth,
                                CounterRandom& random) {
  const bool negation = random.chance(kNegation);
  // The value that decides the operator alone: F of &, T of |.
  const bool deciding = random.chance(0.5);
  NestedExpression deep = draw(settings, depth - 1, random);
  if (negation) {
    deep.value = !deep.value;
    deep.text.insert(deep.text.begin(), '!');
    deep.depth = depth;
    ++deep.rounds;
    return deep;
  }
  const bool critical = random.chance(settings.critical);
  const std::uint32_t depths = std::min(settings.sibling_depth, depth - 1) + 1;
  const auto draw_other = [&] {
    return draw(settings, static_cast<std::uint32_t>(random.below(depths)), random);
  };
  NestedExpression other = draw_other();
  while (critical && other.value == deciding) other = draw_other();
  const bool swapped = random.chance(0.5);
  const NestedExpression &left = swapped ? other : deep, &right = swapped ? deep : other;
  NestedExpression result;
  result.text = "(" + left.text + (deciding ? "|" : "&") + right.text + ")";
  result.value = deciding ? left.value || right.value : left.value && right.value;
  // Of operands that decide alone the first one known is enough, else both are needed.
  const bool one_decides = left.value != right.value;
  const std::uint32_t rounds = one_decides ? (left.value == deciding ? left : right).rounds
                               : left.value == deciding ? std::min(left.rounds, right.rounds)
                                                        : std::max(left.rounds, right.rounds);
  result.depth = depth;
  result.rounds = rounds + 1;
  return result;
}

NestedExpression draw(const ExpressionSettings& settings, std::uint32_t depth,
                      CounterRandom& random) {
  if (depth > 0) return draw_operation(settings, depth, random);
  const bool value = random.chance(0.5);
  return {value ? "T" : "F", 0, value, 0};
}

}  // namespace

NestedExpression nested_expression(const ExpressionSettings& settings, std::uint32_t depth,
                                   bool value, CounterRandom& random) {
  for (std::size_t i = 0; i < kExpressionDraws; ++i) {
    NestedExpression drawn = draw(settings, depth, random);
    if (drawn.value == value && drawn.text.size() <= settings.most_letters) return drawn;
  }
  throw InputError(
      fmt::format("task.most_letters: expected room for expressions of depth {}, found none of at "
                  "most {} letters in {} draws",
                  depth, settings.most_letters, kExpressionDraws));
}

}  // namespace logdepth::inline learned_depth_recurrent
