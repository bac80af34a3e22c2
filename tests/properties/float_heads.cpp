// The rows of one attention head in floating point, driven directly: whatever scores best in exact
// arithmetic is a candidate, for every shape of a head; a position looks itself up by its code
// among more than a million keys.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/floats/attend_head.hpp"
#include "runtime/floats/attention_rows.hpp"
#include "runtime/floats/mpfr_pass.hpp"
#include "runtime/floats/sequential_backend.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::float_heads_tests { namespace {

using namespace float_pass;

// A head of the float pass over arrays of its own, without a model.

/// Numbers with bounds, coordinate-major.
template <class T>
struct Table {
  std::vector<T> value;
  std::vector<double> error;
  std::size_t tokens;

  Table(std::size_t rows, std::size_t columns)
      : value(rows * columns, T(0)), error(rows * columns, 0), tokens(columns) {}
  Numbers<T> view() { return {value.data(), error.data(), tokens}; }
};

template <class T>
Rounding rounding_of(std::uint32_t bits) {
  Rounding rounding;
  rounding.u = std::ldexp(1.0, -static_cast<int>(bits));
  rounding.smallest = std::is_same_v<T, float> ? 0x1p-140 : 0x1p-1000;
  return rounding;
}

/// A head over arrays of its own, and the rows that it answers.
template <class T>
struct HeadBench {
  std::size_t tokens;
  std::uint32_t values, products, metric;
  std::vector<std::uint32_t> block_end;
  std::vector<T> block_norm;
  bool causal = false, scaled = false;
  double gap = 0;
  Choice choice;
  Rounding rounding;
  Table<T> query, key, value, average;
  std::vector<double> key_error, key_size;
  std::vector<T> weight;
  std::vector<RowBounds> bounds;
  typename PlanHead<T>::Selects selects = PlanHead<T>::Selects::one;
  std::vector<RowState> states;
  std::vector<RowContract> promises;

  HeadBench(std::size_t count, std::uint32_t of_products, std::vector<std::uint32_t> blocks,
            std::vector<T> norms, std::uint32_t bits, std::uint32_t of_values = 1)
      : tokens(count),
        values(of_values),
        products(of_products),
        metric(blocks.empty() ? 0 : blocks.back()),
        block_end(std::move(blocks)),
        block_norm(std::move(norms)),
        rounding(rounding_of<T>(bits)),
        query(products + metric, count),
        key(products + metric, count),
        value(of_values, count),
        average(of_values, count),
        key_error(products + metric),
        key_size(products + metric),
        weight(block_end.size() * count, T(0)),
        bounds(count),
        states(count),
        promises(count) {}

  /// The largest of every row of keys.
  void measure_keys() {
    for (std::uint32_t d = 0; d < products + metric; ++d)
      for (std::size_t j = 0; j < tokens; ++j) {
        key_error[d] = std::max(key_error[d], key.error[d * tokens + j]);
        key_size[d] = std::max(key_size[d], magnitude(key.value[d * tokens + j]));
      }
  }
  float_pass::HeadView<T> view() {
    return {causal,           products,
            metric,           static_cast<std::uint32_t>(block_end.size()),
            block_end.data(), block_norm.data(),
            key_error.data(), key_size.data(),
            scaled,           gap,
            selects,          false,
            query.view(),     key.view(),
            weight.data(),    bounds.data()};
  }
  void prepare(std::size_t token) { PrepareQuery<T>{view(), rounding}(token); }
  template <class Score>
  RowState attend(std::size_t row) {
    const AttendRow<T, Score> step{view(), value.view(), average.view(), values,         tokens,
                                   choice, rounding,     states.data(),  promises.data()};
    // The order in which rows are dealt, turned round.
    const std::size_t whole = tokens / 64 * 64, back = whole - 1 - row;
    constexpr auto kNone = static_cast<RowState>(255);
    states[row] = kNone;
    step(row >= whole      ? row
         : 2 * row < whole ? row / 32 * 64 + row % 32
                           : back / 32 * 64 + 32 + back % 32);
    EXPECT_NE(states[row], kNone) << "another row was answered";
    return states[row];
  }
};

// --- a million positions -------------------------------------------------------------------------

/// phi(p) = (p, 1)/sqrt(p^2 + 1), correctly rounded but for a few units.
template <class T>
void put_code(Table<T>& table, std::size_t column, std::size_t position, double units) {
  const long double p = static_cast<long double>(position);
  const long double norm = std::sqrt(p * p + 1);
  const double u = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
  const long double code[] = {p / norm, 1 / norm};
  for (std::size_t d = 0; d < 2; ++d) {
    const T rounded = static_cast<T>(code[d]);
    table.value[d * table.tokens + column] = rounded;
    table.error[d * table.tokens + column] = units * u * std::fabs(static_cast<double>(rounded));
  }
}

/// Every position has its code as key and its own number as value; the rows look their positions
/// up.
template <class T>
HeadBench<T> code_bench(std::size_t positions, bool distance, double units) {
  HeadBench<T> bench(positions, distance ? 0 : 2,
                     distance ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{},
                     distance ? std::vector<T>{T(1)} : std::vector<T>{},
                     std::is_same_v<T, float> ? 24 : 53);
  bench.causal = true;
  bench.scaled = distance;
  for (std::size_t j = 0; j < positions; ++j) {
    put_code(bench.key, j, j, units);
    put_code(bench.query, j, j, units);
    bench.value.value[j] = static_cast<T>(j);
  }
  bench.measure_keys();
  return bench;
}

template <class T, class Score>
bool finds_itself(HeadBench<T>& bench, std::size_t row) {
  bench.prepare(row);
  const bool single = bench.template attend<Score>(row) == RowState::single;
  if (single) {
    EXPECT_EQ(bench.average.value[row], static_cast<T>(row)) << "row " << row;
    EXPECT_EQ(bench.average.error[row], 0);
  }
  return single;
}

std::vector<std::size_t> sampled_rows(std::size_t positions) {
  std::vector<std::size_t> rows = {positions - 1, positions - 2, positions / 2 + 1};
  for (std::size_t p = 1; p < positions; p *= 2)
    for (const std::size_t row : {p - 1, p, p + 1})
      if (row < positions) rows.push_back(row);
  return rows;
}

TEST(FloatHeads, FindAPositionAmongOverAMillionByDistanceInDoublePrecision) {
  auto bench = code_bench<double>(1200000, true, 1);
  for (const std::size_t row : sampled_rows(1200000))
    EXPECT_TRUE((finds_itself<double, ScoreOfKey<double, 0, 2, false>>(bench, row))) << row;
}

// Plain products select another position from 6371 on; the bounds stop to tell before that.
TEST(FloatHeads, DoNotFindAPositionAmongTenThousandByProductInDoublePrecision) {
  auto bench = code_bench<double>(10001, false, 1);
  EXPECT_TRUE((finds_itself<double, ScoreOfKey<double, 2, 0, false>>(bench, 1000)));
  EXPECT_FALSE((finds_itself<double, ScoreOfKey<double, 2, 0, false>>(bench, 10000)));
  EXPECT_EQ(bench.states[10000], RowState::ambiguous);
  EXPECT_LE(std::fabs(bench.average.value[10000] - 10000), bench.average.error[10000]);
}

TEST(FloatHeads, FindAPositionAmongSixHundredByDistanceInSinglePrecision) {
  auto distance = code_bench<float>(2000, true, 1);
  auto product = code_bench<float>(2000, false, 1);
  std::size_t single = 0;
  for (std::size_t row = 0; row < 2000; ++row) {
    const bool found = finds_itself<float, ScoreOfKey<float, 0, 2, false>>(distance, row);
    single += found;
    if (row < 600) {
      EXPECT_TRUE(found) << row;
    }
    if (row > 100) {
      EXPECT_FALSE((finds_itself<float, ScoreOfKey<float, 2, 0, false>>(product, row))) << row;
    }
  }
  std::cout << single << " of 2000 stand out\n";
}

// --- small heads of every shape ------------------------------------------------------------------

struct Shape {
  std::uint32_t products;
  std::vector<std::uint32_t> block_end;
  bool scaled;
};

/// A random head whose exact numbers are doubles, but for the keys of a block, which are the
/// vectors of norm 1 in the direction of doubles: what they are in the format, and how far that is
/// away.
template <class T>
class RandomHead {
 public:
  RandomHead(const Shape& shape, std::uint32_t bits, std::mt19937_64& random)
      : shape_(shape),
        random_(random),
        tokens_(2 + random() % 9),
        noise_(random() % 3 == 0 ? 0 : std::ldexp(1.0, -2 - static_cast<int>(random() % 40))),
        bench(tokens_, shape.products, shape.block_end,
              std::vector<T>(shape.block_end.size(), T(1)), bits),
        exact_query(bench.products + bench.metric),
        exact_key((bench.products + bench.metric) * tokens_) {
    bench.scaled = shape.scaled;
    const double near = std::ldexp(1.0, -static_cast<int>(random() % 30));
    for (std::uint32_t d = 0; d < shape.products; ++d) {
      put(bench.query, d, 0, exact_query[d] = number());
      for (std::size_t j = 0; j < tokens_; ++j)
        put(bench.key, d, j,
            exact_key[d * tokens_ + j] =
                j % 2 == 0 || j == 0 ? number() : exact_key[d * tokens_ + j - 1]);
    }
    std::uint32_t begin = shape.products;
    for (const std::uint32_t block : shape.block_end) {
      const std::uint32_t end = shape.products + block;
      // With several blocks, a head whose queries are said to be scaled has scaled ones.
      const double size = shape.scaled && shape.block_end.size() > 1 ? 1 : 0.25 + 3 * share();
      direction(begin, end, size, 1,
                [&](std::uint32_t d, double x) { put(bench.query, d, 0, exact_query[d] = x); });
      for (std::size_t j = 0; j < tokens_; ++j)
        direction(begin, end, 1, near, [&](std::uint32_t d, double x) {
          put(bench.key, d, j, exact_key[d * tokens_ + j] = x, 0x1p-51);
        });
      begin = end;
    }
    for (std::size_t j = 0; j < tokens_; ++j) bench.value.value[j] = T(static_cast<double>(j + 1));
    bench.measure_keys();
    bench.prepare(0);
  }

  /// The keys with the largest score, by 200-bit arithmetic.
  std::vector<std::size_t> best() const {
    mpfr_t score, part, term, squares, largest;
    mpfr_inits2(200, score, part, term, squares, largest, nullptr);
    std::vector<std::size_t> keys;
    for (const bool collect : {false, true})
      for (std::size_t j = 0; j < tokens_; ++j) {
        mpfr_set_zero(score, 1);
        std::uint32_t begin = 0;
        const auto add = [&](std::uint32_t end, bool unit) {
          mpfr_set_zero(part, 1);
          mpfr_set_zero(squares, 1);
          for (; begin < end; ++begin) {
            const double k = exact_key[begin * tokens_ + j];
            mpfr_set_d(term, k, MPFR_RNDN);
            mpfr_mul_d(term, term, k, MPFR_RNDN);
            mpfr_add(squares, squares, term, MPFR_RNDN);
            mpfr_set_d(term, exact_query[begin], MPFR_RNDN);
            mpfr_mul_d(term, term, k, MPFR_RNDN);
            mpfr_add(part, part, term, MPFR_RNDN);
          }
          mpfr_sqrt(squares, squares, MPFR_RNDN);
          if (unit) mpfr_div(part, part, squares, MPFR_RNDN);
          mpfr_add(score, score, part, MPFR_RNDN);
        };
        add(shape_.products, false);
        for (const std::uint32_t end : shape_.block_end) add(shape_.products + end, true);
        if (!collect && (j == 0 || mpfr_greater_p(score, largest)))
          mpfr_set(largest, score, MPFR_RNDN);
        if (collect && mpfr_greaterequal_p(score, largest)) keys.push_back(j);
      }
    mpfr_clears(score, part, term, squares, largest, nullptr);
    return keys;
  }

 private:
  double share() { return static_cast<double>(random_() >> 12) * 0x1p-52; }
  double number() { return static_cast<double>(static_cast<int>(random_() % 9)) - 4 + share() / 4; }
  /// The number in the format, moved by noise, with a bound on all of that.
  void put(Table<T>& table, std::size_t row, std::size_t column, double exact, double more = 0) {
    const double moved = exact + noise_ * (2 * share() - 1);
    const T rounded = T(moved);
    table.value[row * table.tokens + column] = rounded;
    const double off = std::fabs(as_double(rounded) - exact) + more;
    table.error[row * table.tokens + column] =
        off == 0 ? 0 : std::max(off * (1 + 0x1p-40), random_() % 2 == 0 ? noise_ : 0);
  }
  /// A vector of this norm near the first axis, or anywhere.
  template <class Put>
  void direction(std::uint32_t begin, std::uint32_t end, double size, double spread, Put take) {
    std::vector<double> x;
    double squares = 0;
    for (std::uint32_t d = begin; d < end; ++d) {
      x.push_back((d == begin ? 1 : 0) + spread * (2 * share() - 1));
      squares += x.back() * x.back();
    }
    for (std::uint32_t d = begin; d < end; ++d) take(d, size * x[d - begin] / std::sqrt(squares));
  }

  const Shape& shape_;
  std::mt19937_64& random_;
  std::size_t tokens_;
  double noise_;

 public:
  HeadBench<T> bench;
  std::vector<double> exact_query, exact_key;
};

struct StateTally {
  std::size_t single = 0, several = 0;
};

/// What the state and the average of row 0 say about the keys 1, 2, ... in the values.
template <class T>
void expect_to_hold(HeadBench<T>& bench, RowState state, const std::vector<std::size_t>& best,
                    StateTally& tally) {
  double mean = 0;
  for (const std::size_t j : best) mean += static_cast<double>(j + 1);
  mean /= static_cast<double>(best.size());
  const double got = as_double(bench.average.value[0]);
  EXPECT_NE(state, RowState::tie) << "without a gap";
  // Promised is one position.
  EXPECT_EQ(bench.promises[0], state == RowState::single ? RowContract::kept : RowContract::open);
  if (state == RowState::single) {
    ++tally.single;
    EXPECT_EQ(best.size(), 1u);
    EXPECT_EQ(got, mean);
  } else {
    ++tally.several;
    EXPECT_LE(std::fabs(got - mean), bench.average.error[0]);
  }
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {1, {}, false},     {2, {}, false},    {3, {}, false},       {4, {}, false},
      {0, {2}, true},     {0, {4}, true},    {0, {3}, true},       {0, {2}, false},
      {0, {2, 4}, false}, {0, {2, 4}, true}, {1, {2, 4}, false},   {2, {2}, false},
      {1, {4}, true},     {0, {4}, false},   {2, {1, 3, 6}, false}};
  return all;
}

template <class T>
StateTally brute_force(std::uint32_t bits, int heads, std::mt19937_64& random) {
  StateTally tally;
  for (const Shape& shape : shapes())
    for (int i = 0; i < heads; ++i) {
      // A query of one block that is scaled beside products would change what the head selects.
      if (shape.scaled && shape.products > 0) continue;
      RandomHead<T> head(shape, bits, random);
      const RowState state = head.bench.template attend<ScoreOfAnyKey<T>>(0);
      expect_to_hold(head.bench, state, head.best(), tally);
      if (testing::Test::HasFailure()) {
        std::cout << "shape " << shape.products << " + " << head.bench.metric << " in "
                  << shape.block_end.size() << " blocks, head " << i << ", " << bits << " bits\n";
        return tally;
      }
    }
  return tally;
}

TEST(FloatHeads, SelectWhatScoresBestOrSayThatTheyCannotTell) {
  std::mt19937_64 random(laws::seed());
  const auto print = [](const char* format, const StateTally& tally) {
    std::cout << format << ": " << tally.single << " stand out, " << tally.several << " do not\n";
    EXPECT_GT(tally.single, 100u);
    EXPECT_GT(tally.several, 100u);
  };
  print("float64", brute_force<double>(53, 1500, random));
  print("float32", brute_force<float>(24, 1500, random));
  for (const std::uint32_t bits : {8, 10, 16, 40}) {
    mpfr_set_default_prec(bits);
    print(("mpfr:" + std::to_string(bits)).c_str(), brute_force<Mpfr>(bits, 400, random));
    mpfr_set_default_prec(53);
  }
}

TEST(FloatHeads, BoundNothingBeyondTheRangeOfTheFormat) {
  EXPECT_EQ(safely_above(NAN), INFINITY);
  Ball<float> sum{3e38F, 0};
  add_to(sum, 3e38F, 0, rounding_of<float>(24));
  EXPECT_EQ(sum.error, INFINITY);
}

// infinity - infinity is no score: nothing is known of the row, whatever the other keys score.
TEST(FloatHeads, SayThatTheyCannotTellWhereScoresOverflow) {
  HeadBench<float> bench(3, 2, {}, {}, 24);
  for (std::size_t d = 0; d < 2; ++d) {
    bench.query.value[3 * d] = 3e38F;
    for (std::size_t j = 0; j < 3; ++j) bench.key.value[3 * d + j] = j == 1 ? 0 : 3e38F;
  }
  bench.key.value[3] = -3e38F;
  for (std::size_t j = 0; j < 3; ++j) bench.value.value[j] = static_cast<float>(j + 1);
  bench.measure_keys();
  bench.prepare(0);
  EXPECT_EQ(bench.attend<ScoreOfAnyKey<float>>(0), RowState::ambiguous);
  EXPECT_EQ(bench.average.error[0], INFINITY);
}

/// The loop for a shape that is known to the compiler beside the one for any.
template <class T, int Products, int Metric, bool Weighted>
void expect_the_same(const Shape& shape, std::uint32_t bits, std::mt19937_64& random) {
  using Own = ScoreOfKey<T, Products, Metric, Weighted>;
  for (int i = 0; i < 300; ++i) {
    RandomHead<T> head(shape, bits, random);
    auto& bench = head.bench;
    const ScoreOfAnyKey<T> any(bench.view(), 0);
    const Own own(bench.view(), 0);
    for (std::size_t j = 0; j < bench.tokens; ++j) EXPECT_EQ(own(j), any(j)) << "key " << j;
    const RowState state = bench.template attend<ScoreOfAnyKey<T>>(0);
    const T value = bench.average.value[0];
    const double error = bench.average.error[0];
    EXPECT_EQ(bench.template attend<Own>(0), state);
    EXPECT_EQ(bench.average.value[0], value);
    EXPECT_EQ(bench.average.error[0], error);
  }
}

TEST(FloatHeads, ScoreAlikeInTheLoopsOfKnownAndOfAnyShape) {
  std::mt19937_64 random(laws::seed() + 1);
  const auto all = [&]<class T>(T, std::uint32_t bits) {
    expect_the_same<T, 0, 2, false>({0, {2}, true}, bits, random);
    expect_the_same<T, 0, 4, false>({0, {4}, true}, bits, random);
    expect_the_same<T, 1, 0, false>({1, {}, false}, bits, random);
    expect_the_same<T, 2, 0, false>({2, {}, false}, bits, random);
    expect_the_same<T, 4, 0, false>({4, {}, false}, bits, random);
    expect_the_same<T, 0, 4, true>({0, {2, 4}, false}, bits, random);
    expect_the_same<T, 1, 4, true>({1, {2, 4}, false}, bits, random);
  };
  all(double{}, 53);
  all(float{}, 24);
}

// Equal keys, equal queries and rows with the same candidates are looked at once. The answers of all
// rows are those of the rows one by one: every state, contract and bound, and the averages bit by
// bit, since the values are such that sums are exact in any order.

using namespace float_pass;

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
  const auto fill = [&](Table<T>& table, std::size_t different, double zeros) {
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

}}  // namespace logdepth::float_heads_tests
