#include "runtime/columns/entries.hpp"

namespace logdepth::inline runtime_columns {

Rationals transposed_product(const Rationals& x, const Rationals& y, std::size_t rows) {
  if (rows == 0) return {};
  const std::size_t a = x.size() / rows, b = y.size() / rows;
  Rationals result(a * b);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < a; ++i)
      if (!x[r * a + i].is_zero()) add_multiple(result, i * b, y, r * b, b, x[r * a + i]);
  return result;
}

void add_multiple(Rationals& into, std::size_t at, const Rationals& from, std::size_t begin,
                  std::size_t count, const Rational& weight) {
  for (std::size_t d = 0; d < count; ++d)
    if (!from[begin + d].is_zero()) into[at + d] += weight * from[begin + d];
}

}  // namespace logdepth::inline runtime_columns
