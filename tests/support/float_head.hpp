#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/floats/attention_rows.hpp"

/// A head of the float pass over arrays of its own, without a model.
namespace logdepth::support {

using namespace float_pass;

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
  HeadView<T> view() {
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

}  // namespace logdepth::support
