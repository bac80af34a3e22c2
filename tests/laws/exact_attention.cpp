// attend_exactly against a reference that compares every query with every visible key: no grouping,
// no doubles, no order of visits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/attention_rules.hpp"
#include "runtime/position_code.hpp"
#include "runtime/value_pool.hpp"
#include "tests/laws/fixed_seed.hpp"

namespace logdepth {
namespace {

using Vector = std::vector<Real>;

/// One head, as numbers and as the ids that the forward pass would hand over.
struct RandomHead {
  std::vector<Vector> queries, keys, values;
  HeadRows<ValueId> rows;
  std::string family;

  void intern(ValuePool& pool) {
    const auto table = [&](const std::vector<Vector>& vectors) {
      std::vector<ValueId> ids;
      for (const Vector& vector : vectors)
        for (const Real& value : vector) ids.push_back(pool.intern(value));
      return ids;
    };
    rows.tokens = queries.size();
    rows.queries = table(queries);
    rows.keys = table(keys);
    rows.values = table(values);
  }
  std::string text() const {
    std::string result = family + (rows.causal ? ", causal\n" : ", unmasked\n");
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (const auto* part : {&queries[i], &keys[i], &values[i]}) {
        for (const Real& value : *part) result.append(" ").append(value.text());
        result += part == &values[i] ? "\n" : " |";
      }
    }
    return result;
  }
};

class RandomHeads {
 public:
  explicit RandomHeads(std::uint64_t seed) : random_(seed) {}

  RandomHead draw() {
    RandomHead head;
    head.rows.causal = below(2) == 0;
    const std::size_t tokens = below(13);
    head.rows.score_dimension = below(5);
    head.rows.value_dimension = below(5);
    const auto [name, number] = family(head.rows.score_dimension);
    head.family = name;
    const auto vector = [&] {
      Vector v;
      for (std::size_t d = 0; d < head.rows.score_dimension; ++d) v.push_back(number());
      return v;
    };
    for (std::size_t i = 0; i < tokens; ++i) {
      head.queries.push_back(near(head.queries, vector()));
      head.keys.push_back(near(head.keys, vector()));
      Vector value;
      for (std::size_t d = 0; d < head.rows.value_dimension; ++d) value.push_back(mixed());
      head.values.push_back(value);
    }
    return head;
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }
  Real fraction() { return Rational(below(9) - 4, below(3) + 1); }
  Real surd() {
    const std::int64_t classes[] = {2, 3, 5, 6, 7};
    return Real::root(Rational(classes[below(5)], below(2) + 1)).scaled(Rational(below(5) - 2, 2));
  }
  Real mixed() { return below(3) == 0 ? fraction() + surd() : below(2) == 0 ? surd() : fraction(); }
  static Real power(std::int64_t base, int exponent) {
    Rational result = 1;
    for (int i = 0; i < exponent; ++i) result *= Rational(base);
    return result;
  }
  Real phi(std::int64_t p, std::size_t component) {
    const Rational norm = Rational(p) * Rational(p) + Rational(1);
    return Real(component == 0 ? p : 1).divided_by_root(norm);
  }

  /// How the components of queries and keys are drawn. Codes fill their vectors in turn.
  std::pair<std::string, std::function<Real()>> family(std::size_t dimension) {
    const std::size_t period = std::max<std::size_t>(dimension, 1);
    switch (below(8)) {
      case 0:
        return {"small fractions", [this] { return fraction(); }};
      case 1:
        return {"signs", [this] { return Real(below(3) - 1); }};
      case 2:
        return {"sums of roots", [this] { return mixed(); }};
      case 3:
        return {"phi codes", [this, period, i = std::size_t{0}, p = std::int64_t{0}]() mutable {
                  if (i++ % period == 0) p = far_ + below(4);
                  return phi(p, (i - 1) % period % 2);
                }};
      case 4:
        return {"circle codes", [this, period, i = std::size_t{0}, p = std::int64_t{0}]() mutable {
                  if (i++ % period == 0) p = far_ + below(4);
                  return Real(circle_code(static_cast<std::uint64_t>(p))[(i - 1) % period % 2]);
                }};
      case 5:  // almost cancelled, so that a double knows few digits
        return {"remainders of roots", [this] {
                  const std::int64_t n = below(3) * 2 + 2,
                                     scale = std::int64_t{1} << (25 + below(25));
                  const auto near = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)) *
                                                              static_cast<double>(scale));
                  return Real::root(Rational(n)) - Real(Rational(near, scale));
                }};
      case 6:  // beyond the range of double
        return {"huge", [this] { return Real(below(5) - 2) * power(10, 100 * below(5)); }};
      default:  // below it
        return {
            "tiny", [this] {
              return Real(below(5) - 2).scaled(power(10, 100 * below(5)).rational_part().inverse());
            }};
    }
  }

  /// Sometimes a vector that stood before, that vector moved by less than a double resolves, its
  /// positive multiple, or zero.
  Vector near(const std::vector<Vector>& before, Vector fresh) {
    if (below(12) == 0) return Vector(fresh.size());
    if (before.empty() || below(3) == 0) return fresh;
    Vector v = before[static_cast<std::size_t>(below(static_cast<std::int64_t>(before.size())))];
    const std::int64_t kind = below(4);
    if (kind == 0 && !v.empty()) {
      Real& one = v[static_cast<std::size_t>(below(static_cast<std::int64_t>(v.size())))];
      one = one + Real(Rational(below(3) - 1, std::int64_t{1} << (50 + below(13))));
    }
    if (kind == 1)
      for (Real& x : v) x = x.scaled(Rational(below(3) + 1, 2));
    return v;
  }

  std::mt19937_64 random_;
  std::int64_t far_ = 0;

 public:
  void move_codes_to(std::int64_t position) { far_ = position; }
};

struct Answer {
  std::vector<std::size_t> selected;
  Vector average;
};

/// MS25 Def. 2.2 word for word: all positions of largest score, their values averaged.
Answer reference(const RandomHead& head, std::size_t row) {
  const std::size_t visible = head.rows.causal ? row + 1 : head.queries.size();
  Vector scores;
  for (std::size_t j = 0; j < visible; ++j) {
    Real score;
    for (std::size_t d = 0; d < head.queries[row].size(); ++d)
      score = score + head.queries[row][d] * head.keys[j][d];
    scores.push_back(score);
  }
  Answer answer;
  for (std::size_t j = 0; j < visible; ++j) {
    bool largest = true;
    for (const Real& other : scores) largest = largest && (other - scores[j]).sign() <= 0;
    if (largest) answer.selected.push_back(j);
  }
  for (std::size_t d = 0; d < head.rows.value_dimension; ++d) {
    Real sum;
    for (const std::size_t j : answer.selected) sum = sum + head.values[j][d];
    answer.average.push_back(
        sum.scaled(Rational(1, static_cast<std::int64_t>(answer.selected.size()))));
  }
  return answer;
}

struct Tally {
  std::size_t rows = 0, ties = 0, several_keys = 0;
};

void expect_reference_answers(const RandomHead& head, const ValuePool& pool,
                              const std::function<void(const RowSink&)>& attend, Tally& tally) {
  std::vector<int> answered(head.queries.size(), 0);
  attend([&](const SelectedRow& row, std::span<const ValueId> average) {
    ASSERT_LT(row.row, answered.size());
    ++answered[row.row];
    const Answer expected = reference(head, row.row);
    EXPECT_EQ(row.visible, head.rows.causal ? row.row + 1 : head.queries.size());
    EXPECT_EQ((*row.positions)(), expected.selected);
    EXPECT_EQ(row.count, expected.selected.size());
    EXPECT_EQ(row.last, expected.selected.back());
    bool one_key = true;
    for (const std::size_t j : expected.selected)
      one_key = one_key && head.keys[j] == head.keys[expected.selected.front()];
    EXPECT_EQ(row.one_key, one_key);
    Vector got;
    for (const ValueId id : average) got.push_back(pool[id]);
    EXPECT_EQ(got, expected.average) << "row " << row.row;
    ++tally.rows;
    tally.ties += row.count > 1;
    tally.several_keys += !one_key;
  });
  for (std::size_t row = 0; row < answered.size(); ++row)
    EXPECT_EQ(answered[row], 1) << "answers for row " << row;
}

TEST(ExactAttention, SelectsAndAveragesWhatTheDefinitionSays) {
  RandomHeads heads(laws::seed());
  AttentionStatistics total;
  Tally tally;
  std::map<std::string, std::size_t> families;
  for (int i = 0; i < 6000; ++i) {
    heads.move_codes_to(i % 3 == 0 ? 0 : i % 3 == 1 ? 1000 : 1000000000);
    RandomHead head = heads.draw();
    ValuePool pool;
    head.intern(pool);
    AttentionStatistics statistics;
    expect_reference_answers(
        head, pool, [&](const RowSink& sink) { attend_exactly(head.rows, pool, statistics, sink); },
        tally);
    EXPECT_EQ(statistics.rows, head.queries.size());
    EXPECT_LE(statistics.exact_ties, statistics.decided_exactly);
    if (HasFailure()) FAIL() << "head " << i << ": " << head.text();
    ++families[head.family];
    total.rows += statistics.rows;
    total.exact_ties += statistics.exact_ties;
    total.decided_exactly += statistics.decided_exactly;
    total.decided_in_double += statistics.decided_in_double;
  }
  std::cout << tally.rows << " rows, " << tally.ties << " with several positions, "
            << tally.several_keys << " with several keys; " << total.decided_in_double
            << " comparisons in double, " << total.decided_exactly << " exactly, "
            << total.exact_ties << " proved ties\n";
  EXPECT_EQ(families.size(), 8u);
  EXPECT_EQ(total.rows, tally.rows);
  EXPECT_GT(tally.rows, 20000u);
  EXPECT_GT(tally.ties, 5000u);
  EXPECT_GT(tally.several_keys, 1000u);
}

// The last rule must answer every head on its own, and its counters have an exact meaning.
TEST(ExactAttention, TheLastRuleAnswersEveryHeadAndComparesEachVisibleKeyOnce) {
  RandomHeads heads(laws::seed() + 1);
  AttentionStatistics total;
  Tally tally;
  for (int i = 0; i < 3000; ++i) {
    heads.move_codes_to(i % 2 == 0 ? 0 : 1000000);
    RandomHead head = heads.draw();
    ValuePool pool;
    head.intern(pool);
    AttentionStatistics statistics;
    expect_reference_answers(
        head, pool,
        [&](const RowSink& sink) {
          EXPECT_TRUE(attend_by_distinct_keys(head.rows, pool, statistics, sink));
        },
        tally);
    // Per distinct query: one score for each distinct key that its last row sees, and one
    // comparison less than scores.
    std::vector<std::pair<Vector, std::size_t>> queries;  // query, its last row
    for (std::size_t row = 0; row < head.queries.size(); ++row) {
      const auto found = std::find_if(queries.begin(), queries.end(), [&](const auto& entry) {
        return entry.first == head.queries[row];
      });
      if (found == queries.end()) {
        queries.emplace_back(head.queries[row], row);
      } else {
        found->second = row;
      }
    }
    std::size_t scores = 0;
    for (const auto& [query, row] : queries) {
      std::vector<Vector> seen;
      for (std::size_t j = 0; j < (head.rows.causal ? row + 1 : head.keys.size()); ++j)
        if (std::find(seen.begin(), seen.end(), head.keys[j]) == seen.end())
          seen.push_back(head.keys[j]);
      scores += seen.size();
    }
    EXPECT_EQ(statistics.scores, scores);
    EXPECT_EQ(statistics.decided_in_double + statistics.decided_exactly, scores - queries.size());
    EXPECT_LE(statistics.exact_ties, statistics.decided_exactly);
    if (HasFailure()) FAIL() << "head " << i << ": " << head.text();
    total.decided_in_double += statistics.decided_in_double;
    total.decided_exactly += statistics.decided_exactly;
    total.exact_ties += statistics.exact_ties;
  }
  // All three kinds of decision must have been needed, near ties that are no ties among them.
  EXPECT_GT(total.decided_in_double, 1000u);
  EXPECT_GT(total.exact_ties, 1000u);
  EXPECT_GT(total.decided_exactly - total.exact_ties, 500u);
}

// Two scores that differ by 2 * 10^-16 of their size, and by nothing.
TEST(ExactAttention, DecidesNearTiesAndTiesThatNoDoubleCanTell) {
  ValuePool pool;
  const Rational tiny(1, std::int64_t{1} << 62);
  for (const int sign : {-1, 0, 1}) {
    RandomHead head;
    head.rows.causal = false;
    head.rows.score_dimension = head.rows.value_dimension = 1;
    const Real shifted = Real::root(Rational(2)) + Real(Rational(sign) * tiny);
    head.queries = {{Real(1)}, {Real(-1)}};
    head.keys = {{Real::root(Rational(2))}, {shifted}};
    head.values = {{Real(0)}, {Real(1)}};
    head.intern(pool);
    AttentionStatistics statistics;
    std::vector<Real> averages(2);
    attend_exactly(head.rows, pool, statistics,
                   [&](const SelectedRow& row, std::span<const ValueId> average) {
                     averages[row.row] = pool[average[0]];
                   });
    EXPECT_EQ(averages[0], sign == 0 ? Real(Rational(1, 2)) : Real(sign > 0 ? 1 : 0));
    EXPECT_EQ(averages[1], sign == 0 ? Real(Rational(1, 2)) : Real(sign > 0 ? 0 : 1));
  }
}

}  // namespace
}  // namespace logdepth
