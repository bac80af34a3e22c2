// Nested boolean expressions, judged from their text: by rewriting and by a parser of its own.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>
#include <map>

#include "learned/depth_recurrent/tasks.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/expression_reference.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::expressions_tests { namespace {

NestedExpression drawn(const ExpressionSettings& settings, std::uint32_t depth, bool value,
                       std::uint64_t index) {
  CounterRandom random(laws::seed(), RandomStream::validation, depth, index);
  return nested_expression(settings, depth, value, random);
}

TEST(Expressions, HaveExactlyTheDepthAndValueAskedForAndKnowTheirRounds) {
  std::map<std::uint32_t, double> letters;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const auto depth = static_cast<std::uint32_t>(1 + i / 2 % 14);
    const bool value = i % 2 == 1;
    const NestedExpression expression = drawn({}, depth, value, i);
    const laws::ExpressionTree tree(expression.text);
    ASSERT_EQ(tree.depth(), depth) << expression.text;
    ASSERT_EQ(expression.depth, depth);
    ASSERT_EQ(laws::rewritten_value(expression.text), value) << expression.text;
    ASSERT_EQ(expression.value, value);
    ASSERT_EQ(tree.rounds(), expression.rounds) << expression.text;
    ASSERT_LE(expression.text.size(), 8 * depth - 3);
    letters[depth] += static_cast<double>(expression.text.size());
  }
  for (const auto& [depth, count] : letters)
    EXPECT_NEAR(count * 14 / 10000 / depth, 4.7, 0.4) << "letters by depth, depth " << depth;
}

TEST(Expressions, TheShallowerOperandIsAtMostAsDeepAsTheSettingSays) {
  for (const std::uint32_t sibling : {0u, 1u, 3u}) {
    ExpressionSettings settings;
    settings.sibling_depth = sibling;
    settings.most_letters = 1000;
    std::uint32_t deepest = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const laws::ExpressionTree tree(drawn(settings, 6, i % 2 == 1, i).text);
      for (const auto& node : tree.nodes()) {
        if (node.operands.size() < 2) continue;
        const std::uint32_t shallower =
            std::min(tree.nodes()[node.operands[0]].depth, tree.nodes()[node.operands[1]].depth);
        ASSERT_LE(shallower, sibling);
        deepest = std::max(deepest, shallower);
      }
    }
    EXPECT_EQ(deepest, sibling);
  }
}

TEST(Expressions, WhereEveryShallowerOperandIsCriticalTheWholeDepthIsNeeded) {
  ExpressionSettings critical;
  critical.critical = 1;
  ExpressionSettings free;
  free.critical = 0;
  std::size_t early = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(drawn(critical, 6, i % 2 == 1, i).rounds, 6u);
    early += drawn(free, 6, i % 2 == 1, i).rounds < 6;
  }
  EXPECT_GT(early, 500u);
}

TEST(Expressions, OperatorsAndSidesOccurAsOftenAsSaid) {
  std::map<char, double> roots;
  double deep_left = 0, binary = 0;
  constexpr int kCount = 10000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const laws::ExpressionTree tree(drawn({}, 5, i % 2 == 1, i).text);
    const auto& root = tree.nodes().back();
    ++roots[root.sign];
    if (root.operands.size() < 2) continue;
    ++binary;
    deep_left += tree.nodes()[root.operands[0]].depth == 4;
  }
  EXPECT_NEAR(roots['!'] / kCount, 0.2, 0.02);
  EXPECT_NEAR(roots['&'] / kCount, 0.4, 0.02);
  EXPECT_NEAR(deep_left / binary, 0.5, 0.025);
}

TEST(Expressions, LongerOnesThanAllowedAreDrawnAnewAndTheImpossibleIsRefused) {
  ExpressionSettings tight;
  tight.most_letters = 14;
  for (std::uint64_t i = 0; i < 200; ++i)
    ASSERT_LE(drawn(tight, 4, i % 2 == 1, i).text.size(), 14u);
  tight.most_letters = 4;
  EXPECT_EQ(support::refusal([&] { drawn(tight, 4, true, 0); }),
            "task.most_letters: expected room for expressions of depth 4, found none of at "
            "most 4 letters in 10000 draws");
}

/// Logistic regression on how often each letter occurs, by gradient descent on half of the
/// expressions; the share of right answers on the other half.
double bag_of_letters_accuracy(std::uint32_t depth, std::size_t count) {
  constexpr std::string_view kLetters = "(TF&|!";
  constexpr std::size_t n = kLetters.size();
  std::vector<std::array<double, n + 1>> bags;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto& bag = bags.emplace_back();
    bag[n] = 1;
    for (const char letter : drawn({}, depth, i % 2 == 1, i).text)
      if (const auto at = kLetters.find(letter); at != std::string_view::npos) ++bag[at];
  }
  for (std::size_t k = 0; k < n; ++k) {
    double mean = 0, square = 0;
    for (const auto& bag : bags) mean += bag[k], square += bag[k] * bag[k];
    mean /= static_cast<double>(count);
    const double deviation = std::sqrt(square / static_cast<double>(count) - mean * mean);
    for (auto& bag : bags) bag[k] = (bag[k] - mean) / std::max(deviation, 1e-9);
  }
  std::array<double, n + 1> weights{};
  const auto score = [&](const auto& bag) {
    double sum = 0;
    for (std::size_t k = 0; k <= n; ++k) sum += weights[k] * bag[k];
    return sum;
  };
  const std::size_t half = count / 2;
  for (int step = 0; step < 200; ++step) {
    std::array<double, n + 1> gradient{};
    for (std::size_t i = 0; i < half; ++i) {
      const double error = 1 / (1 + std::exp(-score(bags[i]))) - static_cast<double>(i % 2);
      for (std::size_t k = 0; k <= n; ++k) gradient[k] += error * bags[i][k];
    }
    for (std::size_t k = 0; k <= n; ++k) weights[k] -= gradient[k] / static_cast<double>(half);
  }
  std::size_t right = 0;
  for (std::size_t i = half; i < count; ++i) right += (score(bags[i]) > 0) == (i % 2 == 1);
  return static_cast<double>(right) / static_cast<double>(count - half);
}

TEST(Expressions, CountsOfLettersTellLessTheDeeperAnExpressionIs) {
  const double shallow = bag_of_letters_accuracy(1, 4000);
  const double trained = bag_of_letters_accuracy(4, 20000);
  const double deep = bag_of_letters_accuracy(8, 20000);
  std::cout << "bag of letters: depth 1 " << shallow << ", 4 " << trained << ", 8 " << deep << '\n';
  EXPECT_GT(shallow, 0.75) << "the classifier finds nothing even where there is much";
  EXPECT_LE(trained, 0.65);
  EXPECT_LE(deep, 0.6);
}

}}  // namespace logdepth::expressions_tests
