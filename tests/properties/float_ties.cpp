// Equal keys, equal queries and rows with the same candidates are looked at once. The answers of all
// rows are those of the rows one by one: every state, contract and bound, and the averages bit by
// bit, since the values are such that sums are exact in any order.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "runtime/floats/attend_head.hpp"
#include "runtime/floats/sequential_backend.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/float_head.hpp"

namespace logdepth::float_ties_tests {
namespace {

using namespace float_pass;
using support::HeadBench;

template <class T, class Score>
void answer_together(HeadBench<T>& bench) {
  AttendHead<SequentialBackend, T>(SequentialBackend{}, bench.view(), bench.value.view(),
                                   bench.average.view(), bench.values, bench.tokens, bench.choice,
                                   bench.rounding, bench.states.data(), bench.promises.data())
      .template answer<Score>(bench.query.value, bench.query.error, bench.key.value);
}

template <class T, class Score>
void answer_one_by_one(HeadBench<T>& bench) {
  for (std::size_t row = 0; row < bench.tokens; ++row) bench.prepare(row);
  for (std::size_t row = 0; row < bench.tokens; ++row) bench.template attend<Score>(row);
}

using States = std::map<RowState, std::size_t>;

template <class T, class Score>
void expect_the_same(HeadBench<T> bench, States& states) {
  HeadBench<T> other = bench;
  answer_together<T, Score>(bench);
  answer_one_by_one<T, Score>(other);
  for (std::size_t row = 0; row < bench.tokens; ++row) {
    ASSERT_EQ(bench.states[row], other.states[row]) << "row " << row;
    ASSERT_EQ(bench.promises[row], other.promises[row]) << "row " << row;
    ++states[bench.states[row]];
    for (std::size_t v = 0; v < bench.values; ++v) {
      const std::size_t at = v * bench.tokens + row;
      ASSERT_EQ(bench.average.value[at], other.average.value[at]) << "row " << row;
      ASSERT_EQ(bench.average.error[at], other.average.error[at]) << "row " << row;
    }
  }
}

struct Shape {
  std::uint32_t products;
  std::vector<std::uint32_t> block_end;
  bool scaled;
};

/// Gives the blocks of a key the norm that they have to have.
template <class T>
void set_norms(HeadBench<T>& bench, std::size_t token) {
  std::uint32_t begin = bench.products;
  for (const std::uint32_t block : bench.block_end) {
    double squares = 0;
    const auto at = [&](std::uint32_t d) -> T& {
      return bench.key.value[d * bench.tokens + token];
    };
    for (std::uint32_t d = begin; d < bench.products + block; ++d) squares += at(d) * at(d);
    for (std::uint32_t d = begin; d < bench.products + block; ++d)
      at(d) = squares > 0 ? T(at(d) / std::sqrt(squares)) : T(d == begin ? 1 : 0);
    begin = bench.products + block;
  }
}

/// Few keys and few queries, or many; bounds of any size.
template <class T>
HeadBench<T> random_head(const Shape& shape, std::mt19937_64& random) {
  const std::size_t tokens = 1 + random() % 300;
  HeadBench<T> bench(tokens, shape.products, shape.block_end,
                     std::vector<T>(shape.block_end.size(), T(1)),
                     std::is_same_v<T, float> ? 24 : 53, 1 + random() % 11);
  bench.causal = random() % 2 == 0;
  bench.scaled = shape.scaled;
  bench.gap = random() % 2 == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(random() % 12));
  using Selects = typename PlanHead<T>::Selects;
  bench.selects = std::vector{Selects::anything, Selects::one, Selects::all}[random() % 3];
  if (random() % 4 == 0) bench.choice.rule = Choice::Rule::plain;
  if (random() % 4 == 0) {
    bench.choice.rule = Choice::Rule::snapped;
    bench.choice.tolerance = 0.1;
  }
  const auto fill = [&](support::Table<T>& table, std::size_t different, double zeros) {
    const double error = random() % 3 == 0 ? 0 : std::ldexp(4.0, -static_cast<int>(random() % 40));
    const std::size_t rows = table.value.size() / tokens;
    std::vector<T> numbers;
    for (std::size_t i = 0; i < rows * different; ++i) {
      const double x = static_cast<double>(random() % 1024) / 512 - 1;
      numbers.push_back(T(static_cast<double>(random() % 1000) < 1000 * zeros ? 0 : x));
    }
    for (std::size_t t = 0; t < tokens; ++t) {
      const std::size_t own = random() % different;
      for (std::size_t r = 0; r < rows; ++r) {
        table.value[r * tokens + t] = numbers[own * rows + r];
        table.error[r * tokens + t] = error;
      }
    }
  };
  const std::size_t many[] = {1, 2, 5, 40, tokens};
  fill(bench.key, many[random() % 5], random() % 3 == 0 ? 0.8 : 0);
  fill(bench.query, many[random() % 5], random() % 3 == 0 ? 0.8 : 0);
  const std::uint64_t spread = 1 + random() % 5;
  for (T& x : bench.value.value) x = T(static_cast<double>(random() % spread) - 2);
  for (double& x : bench.value.error) x = std::ldexp(static_cast<double>(random() % 3), -20);
  for (std::size_t t = 0; t < tokens; ++t) set_norms(bench, t);
  bench.measure_keys();
  return bench;
}

template <class T>
void compare_many(States& states, std::mt19937_64& random) {
  for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE("head " + std::to_string(i));
    expect_the_same<T, ScoreOfKey<T, 1, 0, false>>(random_head<T>({1, {}, false}, random), states);
    expect_the_same<T, ScoreOfKey<T, 0, 2, false>>(random_head<T>({0, {2}, true}, random), states);
    expect_the_same<T, ScoreOfKey<T, 1, 4, true>>(random_head<T>({1, {2, 4}, false}, random),
                                                  states);
    expect_the_same<T, ScoreOfAnyKey<T>>(random_head<T>({2, {1, 3}, false}, random), states);
    expect_the_same<T, ScoreOfAnyKey<T>>(random_head<T>({0, {2, 4}, true}, random), states);
  }
}

TEST(FloatTies, AnswerTogetherWhatRowsAnswerOneByOne) {
  std::mt19937_64 random(laws::seed());
  States states;
  compare_many<double>(states, random);
  compare_many<float>(states, random);
  for (const RowState state :
       {RowState::single, RowState::tie, RowState::alike, RowState::ambiguous}) {
    std::cout << states[state] << " rows of state " << static_cast<int>(state) << '\n';
    EXPECT_GT(states[state], 1000u) << static_cast<int>(state);
  }
  EXPECT_EQ(states[RowState::waiting] + states[RowState::waiting_tie], 0u);
}

// Key 0 adds nothing to the number by which sets of candidates are told apart at first.
TEST(FloatTies, DoNotConfuseSetsOfCandidatesWithOneNumber) {
  constexpr std::size_t kTokens = 60;
  HeadBench<double> bench(kTokens, 2, {}, {}, 53);
  bench.choice = {Choice::Rule::snapped, 1e-3, 0};
  for (std::size_t t = 0; t < kTokens; ++t) {
    // Row 0 selects all keys but the last, the others all but the first and the last.
    bench.query.value[t] = 1;
    bench.query.value[kTokens + t] = t == 0 ? 1 : static_cast<double>(t) * 0x1p-40;
    bench.key.value[t] = t == 0 ? 1 : t + 1 == kTokens ? 0 : 2 - static_cast<double>(t) * 0x1p-30;
    bench.key.value[kTokens + t] = t == 0 ? 1 : 0;
    bench.value.value[t] = t == 0 ? 64 : 0;
  }
  bench.measure_keys();
  answer_together<double, ScoreOfKey<double, 2, 0, false>>(bench);
  EXPECT_EQ(bench.average.value[0], 64.0 / 59);
  for (std::size_t row = 1; row < kTokens; ++row) EXPECT_EQ(bench.average.value[row], 0) << row;
}

// Unmasked rows that share a query, and rows that see more and more of their candidates.
TEST(FloatTies, AverageTheTokensThatARowSees) {
  constexpr std::size_t kTokens = 200;
  for (const bool causal : {false, true}) {
    HeadBench<double> bench(kTokens, 1, {}, {}, 53);
    bench.causal = causal;
    bench.gap = 1;
    for (std::size_t t = 0; t < kTokens; ++t) {
      bench.query.value[t] = t % 2 == 0 ? 1 : -1;
      bench.key.value[t] = t % 2 == 0 ? 1 : -1;
      bench.value.value[t] = static_cast<double>(t);
    }
    bench.measure_keys();
    answer_together<double, ScoreOfKey<double, 1, 0, false>>(bench);
    // The mean of the even numbers, or of the odd ones, up to the last that is seen.
    for (std::size_t row = 2; row < kTokens; ++row) {
      const std::size_t last = causal ? row : kTokens - 2 + row % 2;
      EXPECT_EQ(bench.states[row], RowState::tie);
      EXPECT_EQ(bench.average.value[row], static_cast<double>(last + row % 2) / 2) << row;
    }
  }
}

}  // namespace
}  // namespace logdepth::float_ties_tests
