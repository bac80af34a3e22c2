#include "runtime/numbers/rational_factor.hpp"

#include <utility>

namespace logdepth {

std::optional<Rational> rational_factor(const Real& x, const Real& y) {
  if (x.is_zero()) return Rational(0);
  if (x.surds().size() != y.surds().size()) return std::nullopt;
  if (!y.rational_part().is_zero()) {
    const Rational factor = x.rational_part() / y.rational_part();
    if (y.scaled(factor) == x) return factor;
    return std::nullopt;
  }
  // Scaling keeps the order of the radicands, so the first surds must correspond.
  const Real::Surd& first_x = x.surds().front();
  const Real::Surd& first_y = y.surds().front();
  auto size = (first_x.radicand / first_y.radicand).square_root();
  if (!size) return std::nullopt;
  const Rational factor = first_x.sign == first_y.sign ? *std::move(size) : -*size;
  if (y.scaled(factor) == x) return factor;
  return std::nullopt;
}

}  // namespace logdepth
