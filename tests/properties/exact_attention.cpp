// attend_exactly against a reference that compares every query with every visible key, on heads
// whose numbers are hard for doubles: near ties, roots, and what is beyond the range of double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/attention_question.hpp"
#include "runtime/exact/attention_rules.hpp"
#include "runtime/exact/value_pool.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/head_reference.hpp"
#include "tests/support/head_samples.hpp"

namespace logdepth::exact_attention_tests {
namespace {

using laws::HeadSample;
using laws::HeadSamples;
using laws::HeadTally;
using laws::InternedHead;
using laws::Vector;

TEST(ExactAttention, SelectsAndAveragesWhatTheDefinitionSays) {
  HeadSamples heads(laws::seed());
  AttentionStatistics total;
  HeadTally tally;
  std::map<std::string, std::size_t> families;
  for (int i = 0; i < 6000; ++i) {
    heads.move_codes_to(i % 3 == 0 ? 0 : i % 3 == 1 ? 1000 : 1000000000);
    const HeadSample head = heads.numbers();
    InternedHead interned(head.shape);
    interned.take(head);
    AttentionStatistics statistics;
    laws::expect_reference_answers(
        head, interned,
        [&](const RowSink& sink) {
          attend_exactly(interned.rows, interned.pool, interned.memory, statistics, 1, sink);
        },
        tally);
    EXPECT_EQ(statistics.rows, head.tokens());
    EXPECT_LE(statistics.exact_ties, statistics.decided_exactly);
    if (HasFailure()) FAIL() << "head " << i << ": " << head.text();
    ++families[head.family];
    total += statistics;
  }
  std::cout << tally.rows << " rows, " << tally.ties << " with several positions, "
            << tally.several_keys << " with several keys; " << total.decided_in_double
            << " comparisons in double, " << total.decided_exactly << " exactly, "
            << total.exact_ties << " proved ties\n";
  EXPECT_EQ(families.size(), 9u);
  EXPECT_EQ(total.rows, tally.rows);
  EXPECT_GT(tally.rows, 20000u);
  EXPECT_GT(tally.ties, 5000u);
  EXPECT_GT(tally.several_keys, 1000u);
}

/// The components of a vector that a question compares.
Vector on(const Question& question, const Vector& vector) {
  Vector result;
  for (const auto& block : question.blocks)
    for (const std::uint32_t d : block) result.push_back(vector[d]);
  return result;
}

// The last rule must answer every question on its own, and its counters have an exact meaning.
TEST(ExactAttention, TheLastRuleAnswersEveryHeadAndComparesEachVisibleKeyOnce) {
  HeadSamples heads(laws::seed() + 1);
  AttentionStatistics total;
  HeadTally tally;
  for (int i = 0; i < 12000; ++i) {
    heads.move_codes_to(i % 2 == 0 ? 0 : 1000000);
    const HeadSample head = heads.numbers();
    InternedHead interned(head.shape);
    interned.take(head);
    AttentionStatistics statistics;
    // Per distinct query, on the dimensions it is asked for: one score for each distinct key that
    // its last row sees, and one comparison less than scores.
    std::size_t scores = 0, comparisons = 0;
    laws::expect_reference_answers(
        head, interned,
        [&](const RowSink& sink) {
          for (Question& question : questions_of(interned.rows, interned.pool, interned.memory)) {
            attend_by_distinct_keys(question, statistics, 1);
            for (const Ask& ask : question.asks) EXPECT_NE(ask.answer, Question::kOpen);
            average_answers(question, sink);
            std::vector<std::pair<Vector, std::size_t>> queries;  // query, its last row
            for (const std::size_t row : question.tokens) {
              const Vector query = on(question, head.queries[row]);
              const auto found =
                  std::find_if(queries.begin(), queries.end(),
                               [&](const auto& entry) { return entry.first == query; });
              if (found == queries.end()) {
                queries.emplace_back(query, row);
              } else {
                found->second = row;
              }
            }
            for (const auto& [query, row] : queries) {
              std::vector<Vector> seen;
              for (std::size_t j = 0; j < head.visible(row); ++j) {
                const Vector key = on(question, head.keys[j]);
                if (std::find(seen.begin(), seen.end(), key) == seen.end()) seen.push_back(key);
              }
              scores += seen.size();
              comparisons += seen.size() - 1;
            }
          }
        },
        tally);
    EXPECT_EQ(statistics.scores, scores);
    EXPECT_EQ(statistics.decided_in_double + statistics.decided_exactly, comparisons);
    EXPECT_LE(statistics.exact_ties, statistics.decided_exactly);
    if (HasFailure()) FAIL() << "head " << i << ": " << head.text();
    total += statistics;
  }
  // All three kinds of decision must have been needed, near ties that are no ties among them. Ties
  // of small integers are seen in double, the others are proved.
  EXPECT_GT(total.decided_in_double, 1000u);
  EXPECT_GT(tally.several_keys, 1000u);
  EXPECT_GT(total.exact_ties, 400u);
  EXPECT_GT(total.decided_exactly - total.exact_ties, 500u);
}

// Two scores that differ by 2 * 10^-16 of their size, and by nothing: in one dimension, where the
// largest key answers, and in three, where two scores have to be compared.
TEST(ExactAttention, DecidesNearTiesAndTiesThatNoDoubleCanTell) {
  const Rational tiny(1, std::int64_t{1} << 62);
  for (const bool plain : {true, false})
    for (const int sign : {-1, 0, 1}) {
      const Real root = Real::root(Rational(2)), shifted = root + Real(Rational(sign) * tiny);
      HeadSample head;
      head.shape = {{plain ? 1u : 3u}, {1}};
      head.causal = false;
      head.queries = {{1}, {-1}};
      head.keys = {{root}, {shifted}};
      head.values = {{{0}, {1}}};
      if (!plain) {
        head.queries = {{1, 1, 1}, {-1, 1, 1}};
        head.keys = {{root, 1, 0}, {shifted, 0, 1}};
      }
      InternedHead interned(head.shape);
      interned.take(head);
      AttentionStatistics statistics;
      std::vector<Real> averages(2);
      attend_exactly(interned.rows, interned.pool, interned.memory, statistics, 1,
                     [&](const SelectedRow& row, std::span<const TupleId> average) {
                       const auto& tuples = *interned.rows.values[0].tuples;
                       averages[row.row] = interned.pool[tuples[average[0]][0]];
                     });
      EXPECT_EQ(averages[0], sign == 0 ? Real(Rational(1, 2)) : Real(sign > 0 ? 1 : 0));
      EXPECT_EQ(averages[1], sign == 0 ? Real(Rational(1, 2)) : Real(sign > 0 ? 0 : 1));
      EXPECT_EQ(statistics.decided_exactly > 0, !plain);
      EXPECT_EQ(statistics.exact_ties > 0, !plain && sign == 0);
    }
}

struct HardPair {
  const char* what;
  Vector query, key, other;
};

// What a filter in double must not decide by itself: three times one score is the larger, now the
// first, now the second; the last two are equal.
TEST(ExactAttention, DecidesWhatADoubleRoundsOverflowsOrUnderflows) {
  Rational tiny = 1;
  for (int i = 0; i < 162; ++i) tiny *= Rational(1, 10);
  const std::int64_t large = std::int64_t{1} << 27;
  const std::int64_t threes = 6561, fives = 15625;
  const Rational twos(1, std::int64_t{1} << 30), sevens(1, 282475249);
  const std::vector<HardPair> pairs = {
      {"6 * 10^-324 < 7 * 10^-324, but each 3 is rounded up and the 7 down",
       {tiny, tiny},
       {Rational(3) * tiny, Rational(3) * tiny},
       {Rational(7) * tiny, 0}},
      {"(x + 1)(x - 1) < x x, where x x is beyond the integers of double",
       {large + 1, large},
       {large - 1, 0},
       {0, large}},
      {"(2^53 + 1) 1 > 2^53 1, where the larger is no double",
       {1, 1},
       {(large << 26) + 1, 0},
       {0, large << 26}},
      {"1/3^8 + 1/5^6 beside itself as one fraction; the common denominator is beyond 2^64",
       Vector(6, 1),
       {Rational(1, threes), Rational(1, fives), twos, -twos, sevens, -sevens},
       {Rational(threes + fives, threes * fives), 0, -twos, twos, -sevens, sevens}}};
  for (const HardPair& pair : pairs)
    for (const bool swapped : {false, true}) {
      HeadSample head;
      head.shape = {{pair.query.size()}, {1}};
      head.causal = false;
      head.queries = {pair.query, pair.query};
      head.keys = {pair.key, pair.other};
      if (swapped) std::swap(head.keys[0], head.keys[1]);
      head.values = {{{0}, {1}}};
      InternedHead interned(head.shape);
      interned.take(head);
      AttentionStatistics statistics;
      HeadTally tally;
      laws::expect_reference_answers(
          head, interned,
          [&](const RowSink& sink) {
            attend_exactly(interned.rows, interned.pool, interned.memory, statistics, 1, sink);
          },
          tally);
      EXPECT_EQ(tally.ties, statistics.exact_ties > 0 ? 2u : 0u) << pair.what;
      EXPECT_EQ(statistics.decided_exactly, 1u) << pair.what;
      EXPECT_EQ(statistics.scores, 2u) << pair.what;
    }
}

}  // namespace
}  // namespace logdepth::exact_attention_tests
