#pragma once

#include <cstddef>
#include <vector>

#include "runtime/exact/value_pool.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/head_rows.hpp"

namespace logdepth::inline runtime_exact {

/// What a head with a FindContract has to select at every row, from its exact queries and keys:
/// no scores, only which keys are positive multiples of the query in every pair of dimensions.
///
/// Directions are numbered by sorting them by angle, exactly, so that each row costs a look-up and
/// not a pass over the keys.
class FoundKeys {
 public:
  FoundKeys(const FindContract& contract, const HeadRows<ValueId>& rows, const ValuePool& pool);

  /// Whether `row` selects all visible positions that match (with `prefer`: the preferred ones
  /// among them), at least one (or exactly one), and nothing else.
  bool kept(const SelectedRow& row) const;

 private:
  struct Expected {
    std::size_t direction = 0;  ///< number of the query's direction
    std::size_t count = 0;      ///< positions to select
    ValueId preference = ValuePool::kZero;
  };
  bool matches(std::size_t position, const Expected& expected) const;

  bool prefer_, exactly_one_;
  std::vector<std::size_t> key_directions_;
  std::vector<ValueId> preferences_;  ///< the key component after the terms, with `prefer`
  std::vector<Expected> expected_;    ///< per row
};

}  // namespace logdepth::inline runtime_exact
