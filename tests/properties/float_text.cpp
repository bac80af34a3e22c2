// The text of a double, and how far it is from it.
#include "runtime/numbers/float_text.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace logdepth::float_text_tests {
namespace {

TEST(FloatText, IsAsFarFromItsNumberAsIsSaidRoundedUp) {
  std::mt19937_64 random(3);
  int inexact = 0;
  for (int i = 0; i < 20000; ++i) {
    const double value =
        i % 2 == 0 ? std::bit_cast<double>(random()) : static_cast<double>(random() % 100000) / 999;
    if (!std::isfinite(value)) continue;
    const std::string text = shortest_text(value);
    // By another reader, GMP's of binary floats, with more digits than any double has.
    mpf_class named(0, 8000);
    ASSERT_EQ(named.set_str(text, 10), 0) << text;
    const mpf_class off = abs(named - mpf_class(value, 8000));
    const mpf_class said(text_error(value), 8000);
    EXPECT_LE(off, said + mpf_class("1e-2200", 8000)) << text;
    if (said > 0) {
      ++inexact;
      EXPECT_LE(said, off * mpf_class("1.000000000000001", 8000) + mpf_class("1e-323", 8000))
          << text;
      // Never more than half a unit in the last place.
      EXPECT_LE(
          text_error(value),
          (std::nextafter(std::fabs(value), INFINITY) - std::fabs(value)) / 2 * 1.001 + 1e-323);
    }
  }
  EXPECT_GT(inexact, 10000);
  for (const double exact : {0.0, 1.0, -0.5, 0.015625, 1e22, -3.0})
    EXPECT_EQ(text_error(exact), 0) << exact;
  EXPECT_GT(text_error(0.1), 5e-18);
  EXPECT_LT(text_error(0.1), 6e-18);
}

TEST(FloatText, SumsOfBoundsAreNotBelowTheSum) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const double a = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100));
    const double b = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100));
    const mpq_class sum = mpq_class(a) + mpq_class(b), said(sum_of_bounds(a, b));
    EXPECT_LE(sum, said);
    EXPECT_LE(said, sum * mpq_class(1.0000000000000005));
  }
  EXPECT_EQ(sum_of_bounds(0, 0.1), 0.1);
  EXPECT_EQ(sum_of_bounds(0.1, 0), 0.1);
  EXPECT_EQ(sum_of_bounds(0.1, INFINITY), INFINITY);
}

}  // namespace
}  // namespace logdepth::float_text_tests
