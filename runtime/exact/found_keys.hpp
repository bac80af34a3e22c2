#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/exact/plane_angle.hpp"
#include "runtime/exact/value_pool.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/head_rows.hpp"

namespace logdepth::inline runtime_exact {

/// Numbers directions of pairs of numbers, and the tuples of them: sorted by angle, exactly. Good as
/// long as the pool keeps its numbers.
class KeyDirections {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit KeyDirections(const ValuePool& pool) : by_angle_(ByAngle(pool)) {}

  /// From here on another input: what is noted of directions is that none has been seen.
  void begin() { ++input_; }
  /// The number of the directions of `terms` pairs; kNone if one of them is zero.
  std::size_t number(const ValueId* vector, std::uint32_t terms);
  /// What the positions so far have of a direction, of the largest preference only.
  struct Seen {
    std::size_t count = 0;
    ValueId preference = ValuePool::kZero;
  };
  Seen& seen(std::size_t direction) {
    if (noted_.size() <= direction) noted_.resize(direction + 1);
    auto& [input, seen] = noted_[direction];
    if (input != input_) seen = {};
    input = input_;
    return seen;
  }
  /// Pairs that were numbered.
  std::size_t size() const { return known_.size(); }

 private:
  std::size_t number(const PlaneVector& pair);

  std::map<PlaneVector, std::size_t, ByAngle> by_angle_;
  std::unordered_map<std::uint64_t, std::size_t> known_;
  std::map<std::vector<std::size_t>, std::size_t> tuples_;
  std::vector<std::size_t> tuple_;
  std::uint64_t input_ = 0;
  std::vector<std::pair<std::uint64_t, Seen>> noted_;  ///< by direction, of which input
};

/// What a head with a FindContract has to select at every row, from its exact queries and keys:
/// no scores, only which keys are positive multiples of the query in every pair of dimensions.
///
/// Directions are numbers, so each row costs a look-up and not a pass over the keys.
class FoundKeys {
 public:
  FoundKeys(const FindContract& contract, const HeadRows<ValueId>& rows, const ValuePool& pool,
            KeyDirections& directions);

  /// Whether `row` selects all visible positions that match (with `prefer`: the preferred ones
  /// among them), at least one (or exactly one), and nothing else.
  bool kept(const SelectedRow& row) const;

 private:
  struct Expected {
    std::size_t direction = 0;  ///< number of the query's direction
    KeyDirections::Seen seen;   ///< the positions to select
  };
  bool matches(std::size_t position, const Expected& expected) const;

  bool prefer_, exactly_one_;
  std::vector<std::size_t> key_directions_;
  std::vector<ValueId> preferences_;  ///< the key component after the terms, with `prefer`
  std::vector<Expected> expected_;    ///< per row
};

}  // namespace logdepth::inline runtime_exact
