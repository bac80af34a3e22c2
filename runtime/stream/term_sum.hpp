#pragma once

#include "runtime/stream/arithmetic.hpp"

namespace logdepth::inline runtime_stream {

/// A sum of weighted values. Most sums of a sparse matrix have one term, often of weight one; that
/// is the value itself, and no accumulator is touched.
template <Arithmetic A>
class TermSum {
 public:
  using Value = typename A::Value;

  /// The weight is kept by reference until the sum is closed.
  void add(A& a, const Rational& weight, Value value) {
    if (terms_ == 0) {
      weight_ = &weight;
      value_ = value;
    } else {
      if (terms_ == 1) a.accumulate(sum_, *weight_, value_);
      a.accumulate(sum_, weight, value);
    }
    ++terms_;
  }
  int sign(A& a) const {
    if (terms_ == 0) return 0;
    return terms_ == 1 ? weight_->sign() * a.sign(value_) : a.sign_of(sum_);
  }
  /// The value; the sum becomes 0.
  Value close(A& a) {
    const Value result = terms_ == 0   ? a.zero()
                         : terms_ == 1 ? a.multiply(*weight_, value_)
                                       : a.close(sum_);
    terms_ = 0;
    return result;
  }

 private:
  std::size_t terms_ = 0;
  const Rational* weight_ = nullptr;
  Value value_{};
  typename A::Sum sum_{};
};

}  // namespace logdepth::inline runtime_stream
