#include "runtime/numbers/float_text.hpp"

#include <gmpxx.h>

#include <cmath>
#include <cstdlib>

namespace logdepth::inline runtime_numbers {

double text_error(double value) {
  const std::string text = shortest_text(value);
  const std::size_t e = text.find('e');
  std::string digits = text.substr(0, e);
  long exponent = e == std::string::npos ? 0 : std::strtol(text.c_str() + e + 1, nullptr, 10);
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(std::labs(exponent)));
  mpq_class named(mpz_class(digits, 10));
  if (exponent < 0) {
    named /= power;
  } else {
    named *= power;
  }
  const mpq_class difference = abs(named - mpq_class(value));
  // GMP cuts off; a difference below all doubles is one, too.
  return difference == 0 ? 0 : std::nextafter(difference.get_d(), INFINITY);
}

double sum_of_bounds(double a, double b) {
  return a == 0 || b == 0 ? a + b : std::nextafter(a + b, INFINITY);
}

}  // namespace logdepth::inline runtime_numbers
