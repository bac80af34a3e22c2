// Every rule of exact attention beside the all-pairs pass, on heads drawn block by block so that
// each rule answers many rows and hands many on: which rule answers which row is predicted from the
// numbers, and with it every counter.

#include "runtime/exact/attention_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/attention_question.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/head_reference.hpp"
#include "tests/support/head_samples.hpp"

namespace logdepth::attention_rules_tests {
namespace {

using laws::HeadSample;
using laws::HeadSamples;
using laws::HeadShape;
using laws::HeadTally;
using laws::InternedHead;
using laws::Vector;

/// The rows of one question, with the vectors on the dimensions asked for alone, and which rules
/// have to answer them.
class Asked {
 public:
  Asked(const HeadSample& head, const Question& question)
      : head_(head), rows_(question.tokens.begin(), question.tokens.end()) {
    for (const auto& block : question.blocks) {
      auto& places = blocks_.emplace_back();
      for (const std::uint32_t d : block) {
        places.push_back(dimensions_.size());
        dimensions_.push_back(d);
      }
    }
    for (const Vector& key : head.keys) keys_.push_back(on_dimensions(key));
    for (const Vector& key : keys_)
      first_of_its_kind_.push_back(std::find(keys_.begin(), keys_.end(), key) ==
                                   keys_.begin() +
                                       static_cast<std::ptrdiff_t>(first_of_its_kind_.size()));
    for (const auto& block : blocks_) {
      auto& norms = squares_.emplace_back();
      for (const Vector& key : keys_) norms.push_back(squares(key, block));
    }
  }

  /// Adds what the counters must show, all but how comparisons were decided.
  void predict(AttentionStatistics& expected, std::uint64_t& comparisons,
               std::uint64_t& unbounded) const {
    const auto answer = [&](AttentionRule rule, std::size_t rows) {
      expected.by_rule[static_cast<std::size_t>(rule)] += rows;
    };
    expected.rows += rows_.size();
    if (classes_among(keys_.size()) == 1) return answer(AttentionRule::uniform, rows_.size());
    std::vector<std::size_t> open;
    const bool bounded = bounds_change_rarely();
    if (!bounded) unbounded += rows_.size();
    for (const std::size_t row : rows_)
      if (!bounded || !matches(row)) open.push_back(row);
    answer(AttentionRule::match, rows_.size() - open.size());
    std::vector<std::pair<Vector, std::size_t>> queries;  // a query and its last row
    for (const std::size_t row : open) {
      const Vector query = on_dimensions(head_.queries[row]);
      const auto known = std::find_if(queries.begin(), queries.end(),
                                      [&](const auto& entry) { return entry.first == query; });
      if (known == queries.end()) {
        queries.emplace_back(query, row);
      } else {
        known->second = row;
      }
    }
    if (dimensions_.size() == 2 && one_norm()) {
      answer(AttentionRule::angle, open.size());
      const auto look = [&](std::size_t row) {
        const std::size_t scores = std::min<std::size_t>(classes_among(head_.visible(row)), 2);
        expected.scores += scores;
        comparisons += scores - 1;
      };
      // Without a mask rows with one query are one question.
      if (head_.causal)
        for (const std::size_t row : open) look(row);
      if (!head_.causal)
        for (const auto& [query, row] : queries) look(row);
      return;
    }
    answer(queries.size() == 1 ? AttentionRule::one_query : AttentionRule::distinct_keys,
           open.size());
    for (const auto& [query, row] : queries) {
      const std::size_t scores = classes_among(head_.visible(row));
      expected.scores += scores;
      comparisons += scores - 1;
    }
  }

 private:
  Vector on_dimensions(const Vector& vector) const {
    Vector result;
    for (const std::size_t d : dimensions_) result.push_back(vector[d]);
    return result;
  }
  std::size_t classes_among(std::size_t visible) const {
    return static_cast<std::size_t>(
        std::count(first_of_its_kind_.begin(),
                   first_of_its_kind_.begin() + static_cast<std::ptrdiff_t>(visible), 1));
  }
  static Real squares(const Vector& vector, const std::vector<std::size_t>& block) {
    Real sum;
    for (const std::size_t d : block) sum = sum + vector[d] * vector[d];
    return sum;
  }
  bool one_norm() const {
    return std::all_of(keys_.begin(), keys_.end(), [&](const Vector& key) {
      return squares(key, {0, 1}) == squares(keys_[0], {0, 1});
    });
  }
  bool bounds_change_rarely() const {
    if (!head_.causal) return true;
    std::size_t changes = 1;
    std::vector<Real> largest, smallest;  // of the norm, or of the only component
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      bool changed = false;
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const bool single = blocks_[b].size() == 1;
        const Real& here = single ? keys_[j][blocks_[b][0]] : squares_[b][j];
        if (j == 0) {
          largest.push_back(here);
          smallest.push_back(here);
        }
        changed = changed || here > largest[b] || (single && here < smallest[b]);
        largest[b] = std::max(largest[b], here);
        smallest[b] = std::min(smallest[b], here);
      }
      changes += changed;
    }
    return changes <= 64;
  }
  /// One visible class of keys is all that attains the bound on every block.
  bool matches(std::size_t row) const {
    const Vector query = on_dimensions(head_.queries[row]);
    const std::size_t visible = head_.visible(row);
    std::vector<char> attain(visible, 1);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const auto& block = blocks_[b];
      const auto here = [&](std::size_t j) {
        return block.size() == 1 ? query[block[0]] * keys_[j][block[0]] : squares_[b][j];
      };
      Real largest = here(0);
      for (std::size_t j = 1; j < visible; ++j) largest = std::max(largest, here(j));
      const Real own = squares(query, block);
      // Where the query is zero any key will do, and there may be many classes of them.
      if (own.is_zero()) return false;
      // The field holds the quotient of two norms if their squares are rational, or equal.
      if (block.size() > 1 && !(own == largest) && !(own.is_rational() && largest.is_rational()))
        return false;
      for (std::size_t j = 0; j < visible; ++j)
        attain[j] = attain[j] && here(j) == largest && (block.size() == 1 || aligned(query, j, b));
    }
    return std::find(attain.begin(), attain.end(), 1) != attain.end();
  }
  /// Cauchy-Schwarz with equality, on the side of the query.
  bool aligned(const Vector& query, std::size_t position, std::size_t b) const {
    Real product;
    for (const std::size_t d : blocks_[b]) product = product + query[d] * keys_[position][d];
    return product.sign() >= 0 &&
           product * product == squares(query, blocks_[b]) * squares_[b][position];
  }

  const HeadSample& head_;
  std::vector<std::size_t> dimensions_, rows_;
  std::vector<std::vector<std::size_t>> blocks_;  // of places in dimensions_
  std::vector<Vector> keys_;
  std::vector<char> first_of_its_kind_;     // per key
  std::vector<std::vector<Real>> squares_;  // per block and key, the squared norm
};

std::string counters(const AttentionStatistics& s) {
  std::string text = std::to_string(s.rows) + " rows, by rule";
  for (const std::uint64_t rows : s.by_rule) text += " " + std::to_string(rows);
  return text + "; " + std::to_string(s.scores) + " scores, " +
         std::to_string(s.decided_in_double) + " + " + std::to_string(s.decided_exactly) +
         " comparisons, " + std::to_string(s.exact_ties) + " ties";
}

/// Heads one after the other, as loops ask them: with all rules, without what was remembered but on
/// more threads, and with the rules in another order.
class Heads {
 public:
  explicit Heads(std::uint64_t seed) : samples_(seed) {}

  /// Random heads of one shape.
  void expect_right(std::size_t repeats, std::size_t longest) {
    const HeadShape shape = samples_.shape();
    InternedHead interned(shape);
    for (std::size_t repeat = 0; repeat < repeats && !testing::Test::HasFailure(); ++repeat) {
      samples_.move_codes_to(samples_.one_in(2) ? 0 : samples_.one_in(2) ? 1000 : 1000000000);
      expect_right(samples_.planted(shape, 1 + samples_.below(longest)), interned);
      if (testing::Test::HasFailure()) ADD_FAILURE() << "head " << repeat << " of its shape";
    }
  }
  void expect_right(const HeadSample& head, InternedHead& interned) {
    interned.take(head);
    AttentionStatistics statistics;
    laws::expect_reference_answers(
        head, interned,
        [&](const RowSink& sink) {
          attend_exactly(interned.rows, interned.pool, interned.memory, statistics, 1, sink);
        },
        tally);
    expect_predicted(head, interned, statistics);
    AttentionStatistics fresh;
    HeadMemory memory;
    attend_exactly(interned.rows, interned.pool, memory, fresh, 3,
                   [](const SelectedRow&, std::span<const TupleId>) {});
    EXPECT_EQ(counters(fresh), counters(statistics));
    laws::expect_reference_answers(
        head, interned, [&](const RowSink& sink) { angle_before_match(interned, sink); },
        other_order);
    if (testing::Test::HasFailure()) ADD_FAILURE() << head.text();
    total += statistics;
  }

  AttentionStatistics total;
  HeadTally tally, other_order;
  std::uint64_t unbounded = 0, by_angle_alone = 0;

 private:
  void expect_predicted(const HeadSample& head, InternedHead& interned,
                        const AttentionStatistics& statistics) {
    AttentionStatistics expected;
    std::uint64_t comparisons = 0;
    for (const Question& question : questions_of(interned.rows, interned.pool, interned.memory))
      Asked(head, question).predict(expected, comparisons, unbounded);
    EXPECT_EQ(expected.rows, head.tokens());
    EXPECT_EQ(statistics.rows, head.tokens());
    EXPECT_EQ(statistics.by_rule, expected.by_rule) << counters(expected);
    EXPECT_EQ(statistics.scores, expected.scores);
    EXPECT_EQ(statistics.decided_in_double + statistics.decided_exactly, comparisons);
    EXPECT_LE(statistics.exact_ties, statistics.decided_exactly);
  }
  void angle_before_match(InternedHead& interned, const RowSink& sink) {
    AttentionStatistics statistics;
    for (Question& question : questions_of(interned.rows, interned.pool, interned.memory)) {
      if (question.keys.size() > 1) attend_by_angle(question, statistics);
      for (const Ask& ask : question.asks) by_angle_alone += ask.answer != Question::kOpen;
      if (question.keys.size() > 1) attend_by_match(question, statistics);
      attend_by_distinct_keys(question, statistics, 2);
      average_answers(question, sink);
    }
  }

  HeadSamples samples_;
};

TEST(AttentionRules, AnswerTheRowsTheyCanProveAndHandTheOthersOn) {
  Heads heads(laws::seed());
  for (int i = 0; i < 2500 && !HasFailure(); ++i) heads.expect_right(4, 14);
  // Long enough for bounds that change more often than the match rule follows, and for keys that
  // are not among those that the blocks are found by.
  for (int i = 0; i < 40 && !HasFailure(); ++i) heads.expect_right(2, 180);
  std::cout << counters(heads.total) << "; " << heads.tally.ties << " rows with several positions, "
            << heads.tally.several_keys << " with several keys, " << heads.unbounded
            << " under too many bounds, " << heads.by_angle_alone << " answers by angle alone\n";
  // Every rule but the last hands rows on, since those after it are asked.
  for (std::size_t rule = 0; rule < kAttentionRules; ++rule)
    EXPECT_GT(heads.total.by_rule[rule], 500u)
        << attention_rule_name(static_cast<AttentionRule>(rule));
  EXPECT_EQ(heads.total.rows, heads.tally.rows);
  EXPECT_GT(heads.total.exact_ties, 500u);
  EXPECT_GT(heads.unbounded, 100u);
  EXPECT_GT(heads.by_angle_alone, 1000u);
}

const Vector kZero2 = {0, 0};
const Vector kOne2 = {Rational(3, 5), Rational(4, 5)}, kOther2 = {Rational(4, 5), Rational(3, 5)};

Vector joined(const std::vector<Vector>& blocks) {
  Vector result;
  for (const Vector& block : blocks) result.insert(result.end(), block.begin(), block.end());
  return result;
}

// Blocks are found by every second of 130 keys, all of norm sqrt(3). One that stands between them
// is the query itself, whose norm has an irrational square: it is not what the query asks for.
TEST(AttentionRules, AKeyThatNoBlockWasFoundByIsAKeyLikeTheOthers) {
  const Real root = Real::root(Rational(2));
  HeadSample head;
  head.shape = {{2}, {1}};
  head.values.emplace_back();
  for (std::int64_t i = 0; i < 130; ++i) {
    head.queries.push_back({root - Real(1), 0});
    head.keys.push_back(i % 4 == 0 ? Vector{root, 1} : Vector{1, root});
    head.values[0].push_back({i});
  }
  head.keys[65] = head.queries[0];
  Heads heads(0);
  for (const bool causal : {false, true}) {
    head.causal = causal;
    InternedHead interned(head.shape);
    heads.expect_right(head, interned);
  }
  EXPECT_EQ(heads.total.by_rule[static_cast<std::size_t>(AttentionRule::one_query)], 260u);
}

// Queries that are zero on some of four blocks, in so many ways that all are asked for together:
// whatever stands there is as good as any other. A head before asked for one block alone.
TEST(AttentionRules, WhereAQueryIsZeroAllKeysAreAlike) {
  HeadSample one_block, many;
  for (HeadSample* head : {&one_block, &many}) {
    head->shape = {{2, 2, 2, 2}, {1}};
    head->values.emplace_back();
    for (int i = 0; i < 81; ++i) {
      const Vector keys[] = {kZero2, kOne2, kOther2};
      const auto asked = [&](int bit) { return i >> bit & 1 ? kOne2 : kZero2; };
      head->queries.push_back(head == &many ? joined({asked(0), asked(1), asked(2), asked(3)})
                                            : joined({kOne2, kZero2, kZero2, kZero2}));
      head->keys.push_back(joined({keys[i % 3], keys[i / 3 % 3], keys[i / 9 % 3], keys[i / 27]}));
      head->values[0].push_back({i});
    }
  }
  Heads heads(0);
  for (const bool causal : {false, true}) {
    InternedHead interned(many.shape);
    one_block.causal = many.causal = causal;
    heads.expect_right(one_block, interned);
    heads.expect_right(many, interned);
  }
  EXPECT_GT(heads.tally.several_keys, 200u);
}

// Some keys are zero on the first block of two: what was found of their norms there says nothing
// about their norms on the second, on which all keys are on one circle.
TEST(AttentionRules, NormsOnOneBlockSayNothingAboutAnother) {
  HeadSample head;
  head.shape = {{2, 2}, {1}};
  head.values.emplace_back();
  const Vector third = {Rational(-5, 13), Rational(12, 13)}, between = {1, 1};
  const std::vector<Vector> first = {kZero2, kOne2, kZero2, kOther2},
                            second = {kOne2, kOther2, third, {0, 1}};
  for (std::size_t i = 0; i < 16; ++i) {
    head.queries.push_back(joined({i % 2 == 0 ? kOther2 : kZero2, i % 4 < 2 ? between : third}));
    head.keys.push_back(joined({first[i % 4], second[i % 4]}));
    head.values[0].push_back({static_cast<std::int64_t>(i)});
  }
  Heads heads(0);
  for (const bool causal : {false, true}) {
    InternedHead interned(head.shape);
    head.causal = causal;
    heads.expect_right(head, interned);
  }
  EXPECT_GT(heads.total.by_rule[static_cast<std::size_t>(AttentionRule::angle)], 3u);
}

/// The integer points of a ball in random order: no corner of its box is among them, so that the
/// match rule has to hand most of them on.
std::vector<std::array<int, 3>> points_of_a_ball(HeadSamples& random) {
  std::vector<std::array<int, 3>> points;
  for (int x = -8; x <= 8; ++x)
    for (int y = -8; y <= 8; ++y)
      for (int z = -8; z <= 8; ++z)
        if (x * x + y * y + z * z <= 64) points.push_back({x, y, z});
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.below(i)]);
  return points;
}

TEST(AttentionRules, ThreadsChangeNeitherAnswersNorCounters) {
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
    std::optional<std::string> counted;
    for (const std::size_t threads : {1, 2, 3, 7}) {
      AttentionStatistics statistics;
      std::size_t rows = 0, wrong = 0, ties = 0;
      attend_exactly(interned.rows, interned.pool, interned.memory, statistics, threads,
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
      EXPECT_EQ(wrong, 0u) << threads << " threads";
      EXPECT_EQ(rows, points.size());
      EXPECT_GT(ties, 100u);
      // Enough work for all of them.
      EXPECT_GT(statistics.by_rule[static_cast<std::size_t>(AttentionRule::distinct_keys)], 1500u);
      if (!counted) counted = counters(statistics);
      EXPECT_EQ(counters(statistics), *counted) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace logdepth::attention_rules_tests
