#include "runtime/columns/entries.hpp"

namespace logdepth::inline runtime_columns {

Reals transposed_product(const Reals& x, const Reals& y, std::size_t rows) {
  if (rows == 0) return {};
  const std::size_t a = x.size() / rows, b = y.size() / rows;
  Reals result(a * b);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < a; ++i)
      if (!x[r * a + i].is_zero()) add_multiple(result, i * b, y, r * b, b, x[r * a + i]);
  return result;
}

void add_multiple(Reals& into, std::size_t at, const Reals& from, std::size_t begin,
                  std::size_t count, const Real& weight) {
  for (std::size_t d = 0; d < count; ++d)
    if (!from[begin + d].is_zero()) add(into[at + d], weight * from[begin + d]);
}

void add(Real& into, const Real& x) {
  into = into.is_zero() ? x : into + x;
}

}  // namespace logdepth::inline runtime_columns
