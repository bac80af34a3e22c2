#include "runtime/numbers/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace logdepth::inline runtime_numbers {
namespace {

/// A float that is gone at the end of its block.
class Scratch {
 public:
  explicit Scratch(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  ~Scratch() { mpfr_clear(value_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

void load_root(mpfr_ptr into, const mpq_class& square, mpfr_rnd_t direction) {
  mpfr_set_q(into, square.get_mpq_t(), direction);
  mpfr_sqrt(into, into, direction);
}

std::string end_text(mpfr_srcptr value, int digits, mpfr_rnd_t direction) {
  char* printed = nullptr;
  mpfr_asprintf(&printed, direction == MPFR_RNDD ? "%.*RDg" : "%.*RUg", digits, value);
  std::string text = printed;
  mpfr_free_str(printed);
  return text;
}

}  // namespace

Enclosure::Enclosure(mpfr_prec_t bits) {
  mpfr_init2(low_, bits);
  mpfr_init2(high_, bits);
  mpfr_set_zero(low_, 1);
  mpfr_set_zero(high_, 1);
}
Enclosure::Enclosure(const Rational& rational, std::span<const Surd> surds, mpfr_prec_t bits)
    : Enclosure(bits) {
  if (!rational.is_zero()) add(rational);
  for (const Surd& surd : surds) add(surd);
}
Enclosure::Enclosure(const Enclosure& other) {
  mpfr_init2(low_, other.bits());
  mpfr_init2(high_, other.bits());
  *this = other;
}
Enclosure& Enclosure::operator=(const Enclosure& other) {
  mpfr_set(low_, other.low_, MPFR_RNDD);
  mpfr_set(high_, other.high_, MPFR_RNDU);
  return *this;
}
Enclosure::~Enclosure() {
  mpfr_clear(low_);
  mpfr_clear(high_);
}

void Enclosure::add(const Rational& value) {
  const mpq_class exact = value.to_mpq();
  mpfr_add_q(low_, low_, exact.get_mpq_t(), MPFR_RNDD);
  mpfr_add_q(high_, high_, exact.get_mpq_t(), MPFR_RNDU);
}

void Enclosure::add(const Surd& surd) {
  const mpq_class exact = surd.radicand.to_mpq();
  const bool positive = surd.sign > 0;
  Scratch term(bits());
  load_root(term.get(), exact, MPFR_RNDD);
  if (positive) {
    mpfr_add(low_, low_, term.get(), MPFR_RNDD);
  } else {
    mpfr_sub(high_, high_, term.get(), MPFR_RNDU);
  }
  load_root(term.get(), exact, MPFR_RNDU);
  if (positive) {
    mpfr_add(high_, high_, term.get(), MPFR_RNDU);
  } else {
    mpfr_sub(low_, low_, term.get(), MPFR_RNDD);
  }
}

Enclosure& Enclosure::operator+=(const Enclosure& other) {
  mpfr_add(low_, low_, other.low_, MPFR_RNDD);
  mpfr_add(high_, high_, other.high_, MPFR_RNDU);
  return *this;
}

Enclosure& Enclosure::operator*=(const Enclosure& other) {
  // The product takes its ends at the ends of the factors.
  Scratch low(bits()), high(bits()), product(bits());
  bool first = true;
  for (mpfr_srcptr a : {low_, high_})
    for (mpfr_srcptr b : {other.low_, other.high_}) {
      mpfr_mul(product.get(), a, b, MPFR_RNDD);
      if (first || mpfr_less_p(product.get(), low.get()))
        mpfr_set(low.get(), product.get(), MPFR_RNDD);
      mpfr_mul(product.get(), a, b, MPFR_RNDU);
      if (first || mpfr_greater_p(product.get(), high.get()))
        mpfr_set(high.get(), product.get(), MPFR_RNDU);
      first = false;
    }
  mpfr_swap(low_, low.get());
  mpfr_swap(high_, high.get());
  return *this;
}

std::optional<Enclosure> Enclosure::inverse_root() const {
  if (mpfr_sgn(low_) <= 0) return std::nullopt;
  Enclosure result(bits());
  mpfr_rec_sqrt(result.low_, high_, MPFR_RNDD);
  mpfr_rec_sqrt(result.high_, low_, MPFR_RNDU);
  return result;
}

int Enclosure::sign() const {
  if (mpfr_sgn(low_) > 0) return 1;
  if (mpfr_sgn(high_) < 0) return -1;
  return 0;
}

Approximation Enclosure::approximate() const {
  const double low = mpfr_get_d(low_, MPFR_RNDD), high = mpfr_get_d(high_, MPFR_RNDU);
  // Far from both ends of the range of double, where the two lines below may be rounded freely:
  // half of the distance, twice the rounding of either line.
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(size <= 1e150)) return {0, std::numeric_limits<double>::infinity()};
  const double middle = low + (high - low) / 2;
  return {middle, (high - low) * (0.5 + 0x1p-40) + size * 0x1p-50 + 1e-300};
}

std::string Enclosure::text(int digits) const {
  return "[" + end_text(low_, digits, MPFR_RNDD) + ", " + end_text(high_, digits, MPFR_RNDU) + "]";
}

}  // namespace logdepth::inline runtime_numbers
