// attend_exactly against a reference that compares every query with every visible key, on heads
// whose numbers are hard for doubles: near ties, roots, and what is beyond the range of double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/exact/value_pool.hpp"
#include "runtime/file/model_meaning.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/head_samples.hpp"

namespace logdepth::exact_attention_tests { namespace {

using laws::HeadSample;
using laws::HeadSamples;
using laws::HeadShape;
using laws::HeadTally;
using laws::InternedHead;
using laws::Vector;

/// Exact attention against the definition.
AttentionStatistics expect_exact_answers(const HeadSample& head, InternedHead& interned,
                                         HeadTally& tally) {
  AttentionStatistics statistics;
  laws::expect_reference_answers(
      head, interned,
      [&](const RowSink& sink) { attend_exactly(interned.rows, interned.pool, statistics, sink); },
      tally);
  return statistics;
}

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
    const AttentionStatistics statistics = expect_exact_answers(head, interned, tally);
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

std::string counters(const AttentionStatistics& s) {
  std::string text = std::to_string(s.rows) + " rows, by rule";
  for (const std::uint64_t rows : s.by_rule) text += " " + std::to_string(rows);
  return text + "; " + std::to_string(s.scores) + " scores, " +
         std::to_string(s.decided_in_double) + " + " + std::to_string(s.decided_exactly) +
         " comparisons, " + std::to_string(s.exact_ties) + " ties";
}

Vector joined(const std::vector<Vector>& blocks) {
  Vector result;
  for (const Vector& block : blocks) result.insert(result.end(), block.begin(), block.end());
  return result;
}

/// The components of a query that are not zero and on which keys differ.
std::vector<std::size_t> asked_dimensions(const HeadSample& head, std::size_t row) {
  std::vector<std::size_t> asked;
  for (std::size_t d = 0; d < head.shape.dimension(); ++d)
    if (!head.queries[row][d].is_zero() &&
        std::any_of(head.keys.begin(), head.keys.end(),
                    [&](const Vector& key) { return !(key[d] == head.keys[0][d]); }))
      asked.push_back(d);
  return asked;
}
Vector on(const std::vector<std::size_t>& dimensions, const Vector& vector) {
  Vector result;
  for (const std::size_t d : dimensions) result.push_back(vector[d]);
  return result;
}

// Per distinct query, on the dimensions it asks for: one score for each distinct key that its last row
// sees, and one comparison less than scores.
TEST(ExactAttention, ComparesEachVisibleKeyOnceWithEachQuery) {
  HeadSamples heads(laws::seed() + 1);
  AttentionStatistics total;
  HeadTally tally;
  for (int i = 0; i < 12000; ++i) {
    heads.move_codes_to(i % 2 == 0 ? 0 : 1000000);
    const HeadSample head = heads.numbers();
    if (head.shape.dimension() > 3)
      continue;  // its queries may ask for more sets than are told apart
    InternedHead interned(head.shape);
    interned.take(head);
    const AttentionStatistics statistics = expect_exact_answers(head, interned, tally);
    std::vector<std::pair<std::vector<std::size_t>, Vector>>
        queries;  // of the rows, the last first
    std::size_t scores = 0, comparisons = 0;
    for (std::size_t row = head.tokens(); row-- > 0;) {
      const auto asked = asked_dimensions(head, row);
      const std::pair query{asked, on(asked, head.queries[row])};
      if (asked.empty() || std::find(queries.begin(), queries.end(), query) != queries.end())
        continue;
      queries.push_back(query);
      std::vector<Vector> seen;
      for (std::size_t j = 0; j < head.visible(row); ++j) {
        const Vector key = on(asked, head.keys[j]);
        if (std::find(seen.begin(), seen.end(), key) == seen.end()) seen.push_back(key);
      }
      scores += seen.size();
      comparisons += seen.size() - 1;
    }
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

/// Random heads block by block, one shape after the other as loops ask them.
class PlantedHeads {
 public:
  void expect_right(std::size_t longest) {
    const HeadShape shape = samples_.shape();
    InternedHead interned(shape);
    for (int repeat = 0; repeat < 3 && !testing::Test::HasFailure(); ++repeat) {
      samples_.move_codes_to(samples_.one_in(2) ? 0 : samples_.one_in(2) ? 1000 : 1000000000);
      expect_right(samples_.planted(shape, 1 + samples_.below(longest)), interned);
    }
  }
  void expect_right(const HeadSample& head, InternedHead& interned) {
    interned.take(head);
    AttentionStatistics statistics;
    laws::expect_reference_answers(
        head, interned,
        [&](const RowSink& sink) {
          attend_exactly(interned.rows, interned.pool, statistics, sink);
        },
        tally);
    if (testing::Test::HasFailure()) ADD_FAILURE() << head.text();
    total += statistics;
  }

  AttentionStatistics total;
  HeadTally tally;

 private:
  HeadSamples samples_{laws::seed()};
};

TEST(ExactAttention, AnswersHeadsWhoseKeysStandOnCirclesAndTieInBlocks) {
  PlantedHeads heads;
  for (int i = 0; i < 2500 && !HasFailure(); ++i) heads.expect_right(14);
  for (int i = 0; i < 40 && !HasFailure(); ++i) heads.expect_right(180);
  std::cout << counters(heads.total) << "; " << heads.tally.ties << " rows with several positions, "
            << heads.tally.several_keys << " with several keys\n";
  for (const AttentionRule rule :
       {AttentionRule::uniform, AttentionRule::one_query, AttentionRule::distinct_keys})
    EXPECT_GT(heads.total.by_rule[static_cast<std::size_t>(rule)], 500u)
        << attention_rule_name(rule);
  EXPECT_EQ(heads.total.rows, heads.tally.rows);
  EXPECT_GT(heads.total.exact_ties, 500u);
}

// Long enough for keys to be looked up: codes of one norm, and queries that are multiples of them, of five
// positions before. The first five find no key, and eight
// that have a 0 ask for less; where one key is longer, none does.
TEST(ExactAttention, LooksUpTheKeyThatAQueryIsAMultipleOf) {
  HeadSample head;
  head.shape = {{4}, {1}};
  head.values.emplace_back();
  const auto code = [](std::int64_t position, const Rational& scale) {
    Vector vector;
    for (const Rational& x : two_circle_code(static_cast<std::uint64_t>(position)))
      vector.push_back(x * scale);
    return vector;
  };
  for (std::int64_t i = 0; i < 140; ++i) {
    // Of the first five the keys are nowhere, or behind their rows.
    const std::int64_t wanted = i < 3 ? 400 + i : i < 5 ? 100 + i : i - 5;
    head.queries.push_back(code(wanted, Rational(1 + i % 3, 3)));
    head.keys.push_back(code(i, 1));
    head.values[0].push_back({i});
  }
  for (const bool one_norm : {true, false})
    for (const bool causal : {false, true}) {
      PlantedHeads heads;
      head.causal = causal;
      if (!one_norm) head.keys[7] = code(7, 2);
      InternedHead interned(head.shape);
      heads.expect_right(head, interned);
      EXPECT_EQ(heads.total.by_rule[static_cast<std::size_t>(AttentionRule::match)], !one_norm ? 0u
                                                                                     : causal
                                                                                         ? 127u
                                                                                         : 129u);
    }
}

// Queries that are zero on some of four blocks, in so many ways that all are asked for together:
// whatever stands there is as good as any other. A head before asked for one block alone.
TEST(ExactAttention, WhereAQueryIsZeroAllKeysAreAlike) {
  const Vector zero = {0, 0}, one = {Rational(3, 5), Rational(4, 5)},
               other = {Rational(4, 5), Rational(3, 5)};
  HeadSample one_block, many;
  for (HeadSample* head : {&one_block, &many}) {
    head->shape = {{2, 2, 2, 2}, {1}};
    head->values.emplace_back();
    for (int i = 0; i < 81; ++i) {
      const Vector keys[] = {zero, one, other};
      const auto asked = [&](int bit) { return i >> bit & 1 ? one : zero; };
      head->queries.push_back(head == &many ? joined({asked(0), asked(1), asked(2), asked(3)})
                                            : joined({one, zero, zero, zero}));
      head->keys.push_back(joined({keys[i % 3], keys[i / 3 % 3], keys[i / 9 % 3], keys[i / 27]}));
      head->values[0].push_back({i});
    }
  }
  PlantedHeads heads;
  for (const bool causal : {false, true}) {
    InternedHead interned(many.shape);
    one_block.causal = many.causal = causal;
    heads.expect_right(one_block, interned);
    heads.expect_right(many, interned);
  }
  EXPECT_GT(heads.tally.several_keys, 200u);
}

// Two scores that differ by 2 * 10^-16 of their size, and by nothing.
TEST(ExactAttention, DecidesNearTiesAndTiesThatNoDoubleCanTell) {
  const Rational tiny(1, std::int64_t{1} << 62);
  for (const bool plain : {true, false})
    for (const int sign : {-1, 0, 1}) {
      const Real root = Real::root(Rational(2)), shifted = root + Real(Rational(sign) * tiny);
      HeadSample head;
      head.shape = {{plain ? 1u : 2u}, {1}};
      head.causal = false;
      head.queries = {{1}, {1}};
      head.keys = {{root}, {shifted}};
      head.values = {{{0}, {1}}};
      if (!plain) {
        head.queries = {{1, 1}, {1, 1}};
        head.keys = {{root, 1}, {1, shifted}};
      }
      InternedHead interned(head.shape);
      interned.take(head);
      AttentionStatistics statistics;
      HeadTally tally;
      laws::expect_reference_answers(
          head, interned,
          [&](const RowSink& sink) {
            attend_exactly(interned.rows, interned.pool, statistics, sink);
          },
          tally);
      EXPECT_EQ(tally.ties, sign == 0 ? 2u : 0u);
      // Equal keys are one class, and nothing is compared.
      EXPECT_EQ(statistics.decided_exactly, plain && sign == 0 ? 0u : 1u);
      EXPECT_EQ(statistics.exact_ties, !plain && sign == 0 ? 1u : 0u);
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
      HeadTally tally;
      const AttentionStatistics statistics = expect_exact_answers(head, interned, tally);
      EXPECT_EQ(tally.ties, statistics.exact_ties > 0 ? 2u : 0u) << pair.what;
      EXPECT_EQ(statistics.decided_exactly, 1u) << pair.what;
      EXPECT_EQ(statistics.scores, 2u) << pair.what;
    }
}

/// The integer points of a ball in random order: no corner of its box is among them, so that
/// no look-up answers them.
std::vector<std::array<int, 3>> points_of_a_ball(HeadSamples& random) {
  std::vector<std::array<int, 3>> points;
  for (int x = -8; x <= 8; ++x)
    for (int y = -8; y <= 8; ++y)
      for (int z = -8; z <= 8; ++z)
        if (x * x + y * y + z * z <= 64) points.push_back({x, y, z});
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.below(i)]);
  return points;
}

TEST(ExactAttention, AnswersManyQueriesThatNoLookUpAnswers) {
  HeadSamples random(laws::seed() + 1);
  const auto points = points_of_a_ball(random);
  const HeadShape shape{{3}, {1}};
  for (const bool causal : {false, true}) {
    InternedHead interned(shape);
    interned.rows.causal = causal;
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<ValueId> vector;
      for (const int x : points[i]) vector.push_back(interned.pool.intern(Real(x)));
      interned.rows.keys.push_back(interned.rows.vectors->intern(vector.data()));
      const ValueId value = interned.pool.intern(Real(static_cast<std::int64_t>(i)));
      interned.rows.values[0].ids.push_back(interned.rows.values[0].tuples->intern(&value));
    }
    interned.rows.queries = interned.rows.keys;
    std::reverse(interned.rows.queries.begin(), interned.rows.queries.end());
    AttentionStatistics statistics;
    std::size_t rows = 0, wrong = 0, ties = 0;
    attend_exactly(interned.rows, interned.pool, statistics,
                   [&](const SelectedRow& row, std::span<const TupleId> averages) {
                     const auto& q = points[points.size() - 1 - row.row];
                     int largest = -1000;
                     std::int64_t sum = 0, count = 0;
                     for (std::size_t j = 0; j < row.visible; ++j) {
                       const auto& k = points[j];
                       const int score = q[0] * k[0] + q[1] * k[1] + q[2] * k[2];
                       if (score > largest) sum = count = 0;
                       largest = std::max(largest, score);
                       if (score < largest) continue;
                       sum += static_cast<std::int64_t>(j);
                       ++count;
                     }
                     ++rows;
                     ties += count > 1;
                     const ValueId average = (*interned.rows.values[0].tuples)[averages[0]][0];
                     wrong += row.visible != (causal ? row.row + 1 : points.size()) ||
                              static_cast<std::int64_t>(row.count) != count ||
                              !(interned.pool[average] == Real(Rational(sum, count)));
                   });
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(rows, points.size());
    EXPECT_GT(ties, 100u);
    EXPECT_GT(statistics.by_rule[static_cast<std::size_t>(AttentionRule::distinct_keys)], 1500u);
  }
}

}}  // namespace logdepth::exact_attention_tests
