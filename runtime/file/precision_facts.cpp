#include "runtime/file/precision_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace logdepth::inline runtime_file {

double SeparationLaw::at(double size) const {
  if (!std::isfinite(size)) return 0;
  const mpq_class base(std::max(size, 1.0));  // a double is a rational
  mpq_class power = 1;
  for (std::uint32_t i = 0; i < exponent; ++i) power *= base;
  // get_d cuts off, so a positive quotient is rounded down; beyond the range it is infinite.
  const double down = mpq_class(coefficient.to_mpq() / power).get_d();
  return std::clamp(down, 0.0, std::numeric_limits<double>::max());
}

}  // namespace logdepth::inline runtime_file
