#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/attention_rules.hpp"
#include "runtime/exact/exact_sum.hpp"
#include "runtime/exact/sum_room.hpp"
#include "runtime/exact/value_pool.hpp"
#include "runtime/stream/arithmetic.hpp"

namespace logdepth::inline runtime_exact {

/// The exact instance of the number concept: interned reals, no rounding anywhere.
class Exact {
 public:
  using Value = ValueId;
  using Sum = ExactSum;
  using HeadMemory = logdepth::HeadMemory;
  using Statistics = AttentionStatistics;
  static constexpr bool kRepeats = true;

  /// `threads`: how many a run may use where it pays; results do not depend on it. `memory`: how
  /// many bytes its numbers may hold.
  explicit Exact(std::size_t threads = 1,
                 std::size_t memory = std::numeric_limits<std::size_t>::max())
      : threads_(threads), pool_(memory), open_(pool_) {}

  Value zero() const { return ValuePool::kZero; }
  Value number(const Rational& value) { return pool_.intern(Real(value)); }
  Value number(const Real& value) { return pool_.intern(value); }
  bool is_zero(Value v) const { return v == ValuePool::kZero; }
  int sign(Value v) const { return pool_.sign(v); }
  Value multiply(const Rational& weight, Value v);
  Value product(Value a, Value b);
  std::optional<Rational> rational_product(const Rational& weight, Value v) const {
    // A large factor would be held once per weight.
    if (!pool_[v].is_rational() || !pool_[v].rational_part().small()) return std::nullopt;
    return weight * pool_[v].rational_part();
  }
  Value add_product(Value base, const Rational& weight, Value v);
  void accumulate(Sum& sum, const Rational& weight, Value v);
  void accumulate_square(Sum& sum, const Rational& weight, Value v);
  int sign_of(const Sum& sum) const { return sum.sign(); }
  Value close(Sum& sum);
  std::optional<Value> norm_factor(std::uint32_t width, Value squares);
  std::optional<std::string> normalise(Norm norm, std::uint32_t width,
                                       std::vector<std::pair<std::uint32_t, Value>>& masked);
  void attend(HeadRows<Value>& rows, HeadMemory& memory, const RowSink& sink) {
    attend_exactly(rows, pool_, memory, statistics_, threads_, sink);
  }

  std::size_t bytes() const { return pool_.bytes(); }
  void abandon_sums() { open_.clear(); }
  /// Drops all numbers; their ids mean nothing afterwards.
  void forget() {
    pool_.clear();
    ++forgotten_;
  }
  /// How often that was.
  std::uint64_t forgotten() const { return forgotten_; }

  ValuePool& pool() { return pool_; }
  const ValuePool& pool() const { return pool_; }
  const AttentionStatistics& statistics() const { return statistics_; }
  /// What is answered once more counts once more.
  void count(const AttentionStatistics& again) { statistics_ += again; }

 private:
  std::size_t threads_;
  ValuePool pool_;
  SumRoom open_;
  AttentionStatistics statistics_;
  std::uint64_t forgotten_ = 0;
};

static_assert(Arithmetic<Exact>);

}  // namespace logdepth::inline runtime_exact
