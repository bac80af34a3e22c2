#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/attention_rules.hpp"
#include "runtime/forward.hpp"
#include "runtime/value_pool.hpp"

namespace logdepth {

/// The exact instance of the number concept: interned reals, no rounding anywhere.
class Exact {
 public:
  using Value = ValueId;
  /// Rational terms are kept apart: they are the common case and the cheap one.
  struct Sum {
    Rational rational;
    Real irrational;
  };

  Value zero() const { return ValuePool::kZero; }
  Value number(const Rational& value) { return pool_.intern(Real(value)); }
  Value number(const Real& value) { return pool_.intern(value); }
  bool is_zero(Value v) const { return v == ValuePool::kZero; }
  int sign(Value v) const { return pool_.sign(v); }
  Value multiply(const Rational& weight, Value v);
  Value add_product(Value base, const Rational& weight, Value v);
  void accumulate(Sum& sum, const Rational& weight, Value v);
  int sign_of(const Sum& sum) const;
  Value close(Sum& sum);
  std::optional<std::string> normalise(Norm norm, std::uint32_t width,
                                       std::vector<std::pair<std::uint32_t, Value>>& masked);
  template <class Sink>
  void attend(const HeadRows<Value>& rows, Sink&& sink) {
    attend_exactly(rows, pool_, statistics_, sink);
  }

  ValuePool& pool() { return pool_; }
  const ValuePool& pool() const { return pool_; }
  const AttentionStatistics& statistics() const { return statistics_; }

 private:
  ValuePool pool_;
  AttentionStatistics statistics_;
};

static_assert(Arithmetic<Exact>);

}  // namespace logdepth
