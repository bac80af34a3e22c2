#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/exact/nested_pool.hpp"
#include "runtime/stream/arithmetic.hpp"

namespace logdepth::inline runtime_exact {

/// The instance of the number concept where norms are roots of anything positive: what leaves the
/// field of Exact goes on here. Every sign is decided (radical_tower.hpp); where one cannot be, a
/// SizeLimit says so, and undecided() that it was this and not memory.
class NestedArithmetic {
 public:
  using Value = NestedId;
  using Sum = NestedRadical;
  struct HeadMemory {
    std::size_t bytes() const { return 0; }
  };
  struct Statistics {};
  static constexpr bool kRepeats = false;  // one input, in which little comes again

  Value zero() const { return NestedPool::kZero; }
  Value number(const Rational& value) { return number(Real(value)); }
  Value number(const Real& value) { return intern(value); }
  bool is_zero(Value v) const { return v == NestedPool::kZero; }
  int sign(Value v) const { return pool_.sign(v); }
  Value multiply(const Rational& weight, Value v);
  Value product(Value a, Value b);
  Value add_product(Value base, const Rational& weight, Value v);
  void accumulate(Sum& sum, const Rational& weight, Value v);
  void accumulate_square(Sum& sum, const Rational& weight, Value v);
  /// sum += a*b
  void accumulate_product(Sum& sum, Value a, Value b);
  int sign_of(const Sum& sum);
  Value close(Sum& sum);
  std::optional<Rational> rational_product(const Rational& weight, Value v) const;
  /// Absent unless the root is in the field of Exact; normalise() does the rest.
  std::optional<Value> norm_factor(std::uint32_t width, Value squares);
  /// Always succeeds.
  std::optional<std::string> normalise(Norm norm, std::uint32_t width,
                                       std::vector<std::pair<std::uint32_t, Value>>& masked);
  /// Row by row: distinct keys in double with a bound, what these leave open exactly.
  void attend(HeadRows<Value>& rows, HeadMemory& memory,
              const std::function<void(const SelectedRow&, std::span<const TupleId>)>& sink);

  std::size_t bytes() const { return pool_.bytes(); }
  void abandon_sums() {}

  /// Errors: SizeLimit.
  int compare(Value a, Value b);
  bool undecided() const { return undecided_; }
  NestedPool& pool() { return pool_; }
  const NestedPool& pool() const { return pool_; }

 private:
  /// What is done with numbers; a sign that is not decided becomes a SizeLimit.
  template <class Work>
  auto decided(Work work) {
    try {
      return work();
    } catch (const NotDecided& limit) {
      undecided_ = true;
      throw SizeLimit(limit.what());
    }
  }
  Value intern(NestedRadical value) {
    return decided([&] { return pool_.intern(std::move(value)); });
  }

  NestedPool pool_;
  bool undecided_ = false;
};

static_assert(Arithmetic<NestedArithmetic>);

}  // namespace logdepth::inline runtime_exact
