#include "runtime/numbers/real.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "logdepth/interruption.hpp"

namespace logdepth { inline namespace runtime_numbers {
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

namespace {

// A root in this range has a radicand in [1e-300, 1e300]: normal doubles, whose last place is at
// most 2^-52 of them, which the error bound below needs. Outside it filters are not trusted.
constexpr double kSmallestTrusted = 1e-150;
constexpr double kLargestTrusted = 1e150;
constexpr double kUnitRoundoff = 0x1p-53;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool trusted(double size) {
  return size >= kSmallestTrusted && size <= kLargestTrusted;
}

bool by_radicand(const Real::Surd& a, const Real::Surd& b) {
  return a.radicand < b.radicand;
}

std::strong_ordering toward(int sign, std::strong_ordering order) {
  return sign < 0 ? 0 <=> order : order;
}

/// Whether numerator times denominator is a square modulo each of some primes; of two radicands of
/// one class it is for both or for neither, where the prime divides none of them. Most pairs of long
/// radicands are told apart by this, in place of a quotient in lowest terms.
struct Characters {
  std::uint32_t known = 0, square = 0;

  explicit Characters(const Rational& radicand) {
    static constexpr std::array<std::array<unsigned long, 7>, 2> kPrimes = {
        {{3, 5, 7, 11, 13, 17, 19}, {23, 29, 31, 37, 41, 43, 1}}};
    static constexpr std::array<unsigned long, 2> kProducts = {4849845, 1348781387};
    const mpq_class value = radicand.to_mpq();
    std::uint32_t bit = 1;
    for (std::size_t i = 0; i < kPrimes.size(); ++i) {
      const unsigned long n = mpz_fdiv_ui(value.get_num_mpz_t(), kProducts[i]);
      const unsigned long d = mpz_fdiv_ui(value.get_den_mpz_t(), kProducts[i]);
      for (const unsigned long p : kPrimes[i]) {
        const unsigned long rest = (n % p) * (d % p) % p;
        if (rest != 0) known |= bit;
        for (unsigned long x = 1; x <= p / 2; ++x)
          if (x * x % p == rest) square |= bit;
        bit <<= 1;
      }
    }
  }
  bool may_be_one_class(const Characters& other) const {
    return ((square ^ other.square) & known & other.known) == 0;
  }
};

/// Adds every term to the one of its class among `own`, which stay in the order of their radicands.
void add_terms(std::vector<Surd>& own, std::span<const Surd> terms) {
  const bool are_long =
      std::ranges::any_of(terms, [](const Surd& term) { return !term.radicand.small(); });
  std::vector<Characters> characters;  // of `own`
  if (are_long)
    for (const Surd& surd : own) characters.emplace_back(surd.radicand);
  for (Surd term : terms) {
    std::optional<Characters> of_term;
    if (are_long) {
      look_for_interruption();
      of_term.emplace(term.radicand);
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (are_long && !characters[i].may_be_one_class(*of_term)) continue;
      // With t/s = r^2, sqrt(t) = r sqrt(s), so the sum is (+-1 +- r) sqrt(s). The quotient, not the
      // product: two radicands of one class usually share most of their factors.
      Rational ratio(1);
      if (!(own[i].radicand == term.radicand)) {
        auto root = (term.radicand / own[i].radicand).square_root();
        if (!root) continue;
        ratio = *std::move(root);
      }
      const Rational factor = own[i].sign == term.sign ? Rational(1) + ratio : Rational(1) - ratio;
      term = {own[i].sign * factor.sign(), own[i].radicand * (factor * factor)};
      const auto at = static_cast<std::ptrdiff_t>(i);
      own.erase(own.begin() + at);
      if (are_long) characters.erase(characters.begin() + at);
      break;
    }
    if (term.sign == 0) continue;
    const auto at = std::lower_bound(own.begin(), own.end(), term, by_radicand);
    if (are_long) characters.insert(characters.begin() + (at - own.begin()), *of_term);
    own.insert(at, std::move(term));
  }
}

}  // namespace

Real Real::root(const Rational& square) {
  if (auto exact = square.square_root()) return Real(*std::move(exact));
  Real result;
  result.surds_.push_back({1, square});
  return result;
}

void Real::insert_surd(Surd term) {
  surds_.insert(std::lower_bound(surds_.begin(), surds_.end(), term, by_radicand), std::move(term));
}

Real Real::times_root(int sign, const Rational& square) const {
  // A common factor keeps the classes pairwise different and the radicands in order; at most one
  // of them becomes the class of squares, and the rational part leaves it.
  Real result;
  bool met_square = false;
  result.surds_.reserve(surds_.size() + 1);
  for (const Surd& surd : surds_) {
    Rational product = surd.radicand * square;
    if (!met_square) {
      if (auto exact = product.square_root()) {
        result.rational_ = sign * surd.sign < 0 ? -*exact : *std::move(exact);
        met_square = true;
        continue;
      }
    }
    result.surds_.push_back({sign * surd.sign, std::move(product)});
  }
  if (!rational_.is_zero()) {
    result.insert_surd({sign * rational_.sign(), rational_ * rational_ * square});
  }
  return result;
}

Real Real::scaled(const Rational& factor) const {
  Real result;
  if (factor.is_zero()) return result;
  result.rational_ = rational_ * factor;
  if (surds_.empty()) return result;
  const Rational square = factor * factor;
  const int sign = factor.sign();
  result.surds_.reserve(surds_.size());
  for (const Surd& surd : surds_) {
    result.surds_.push_back({sign * surd.sign, surd.radicand * square});
  }
  return result;
}

Real Real::divided_by_root(const Rational& square) const {
  if (const auto exact = square.square_root()) return scaled(exact->inverse());
  return times_root(1, square.inverse());
}

Real Real::operator-() const {
  Real result(*this);
  result.rational_ = -result.rational_;
  for (Surd& surd : result.surds_) surd.sign = -surd.sign;
  return result;
}

Real operator+(const Real& a, const Real& b) {
  Real result;
  result.rational_ = a.rational_ + b.rational_;
  if (a.surds_.empty() && b.surds_.empty()) return result;
  result.surds_ = a.surds_;
  add_terms(result.surds_, b.surds_);
  return result;
}

Real operator-(const Real& a, const Real& b) {
  if (a.surds_.empty() && b.surds_.empty()) return Real(a.rational_ - b.rational_);
  return a + -b;
}

Real operator*(const Real& a, const Real& b) {
  if (a.surds_.empty()) {
    if (b.surds_.empty()) return Real(a.rational_ * b.rational_);
    return b.scaled(a.rational_);
  }
  Real result = a.scaled(b.rational_);
  for (const Real::Surd& surd : b.surds_) {
    Real part = a.times_root(surd.sign, surd.radicand);
    result = result.is_zero() ? std::move(part) : result + part;
  }
  return result;
}

Approximation Real::approximate() const {
  if (surds_.empty() && rational_.is_integer() && rational_.numerator_bits() <= 53) {
    return {rational_.approximate(), 0};
  }
  // Let u = 2^-53. A rational is read within one unit in the last place, 2u relative; a root of it
  // within half of that and one rounding, 2u; n additions lose at most (n - 1)u of the sum of sizes
  // to first order. The spare units, at least four, cover the terms of second order and the
  // rounding of `sizes` and of the bound itself, since n is far below 2^24.
  Approximation result;
  double sizes = 0;
  bool trusted_terms = surds_.size() < (std::size_t{1} << 24);
  const auto add = [&](double term) {
    result.value += term;
    sizes += std::abs(term);
    trusted_terms = trusted_terms && trusted(std::abs(term));
  };
  if (!rational_.is_zero()) add(rational_.approximate());
  for (const Surd& surd : surds_) {
    add(surd.sign * std::sqrt(surd.radicand.approximate()));
  }
  const auto terms = static_cast<double>(surds_.size() + 1);
  result.bound = trusted_terms ? (terms + 6) * kUnitRoundoff * sizes : kInfinity;
  return result;
}

int Real::sign() const {
  if (surds_.empty()) return rational_.sign();
  const int rational_sign = rational_.sign();
  const int surd_sign = surds_.front().sign;
  if (surds_.size() == 1 && rational_sign * surd_sign >= 0) return surd_sign;

  const Approximation near = approximate();
  if (near.value > near.bound) return 1;
  if (near.value < -near.bound) return -1;

  // Two terms of opposite sign: the larger square wins; equality would put them in one class.
  if (surds_.size() == 1) {
    return rational_ * rational_ > surds_.front().radicand ? rational_sign : surd_sign;
  }
  if (surds_.size() == 2 && rational_sign == 0) return surds_.back().sign;  // ordered by radicand

  for (mpfr_prec_t bits = 64;; bits *= 2) {
    if (const int found = Enclosure(rational_, surds_, bits).sign()) return found;
  }
}

std::strong_ordering operator<=>(const Real& a, const Real& b) {
  if (a.surds_.empty() && b.surds_.empty()) return a.rational_ <=> b.rational_;
  if (a.surds_.size() == 1 && b.surds_.size() == 1 && a.rational_.is_zero() &&
      b.rational_.is_zero()) {
    const Real::Surd& x = a.surds_.front();
    const Real::Surd& y = b.surds_.front();
    if (x.sign != y.sign) return x.sign <=> y.sign;
    return toward(x.sign, x.radicand <=> y.radicand);
  }
  const Approximation near_a = a.approximate();
  const Approximation near_b = b.approximate();
  // The factor covers the roundings of this difference and of this sum of bounds.
  const double difference = near_a.value - near_b.value;
  const double bound = (near_a.bound + near_b.bound) * (1 + 0x1p-40);
  if (difference > bound) return std::strong_ordering::greater;
  if (difference < -bound) return std::strong_ordering::less;
  if (a == b) return std::strong_ordering::equal;
  return (a - b).sign() <=> 0;
}

std::string Real::text() const {
  std::string result;
  if (surds_.empty() || !rational_.is_zero()) result = rational_.text();
  for (const Surd& surd : surds_) {
    if (result.empty()) {
      if (surd.sign < 0) result.push_back('-');
    } else {
      result += surd.sign < 0 ? " - " : " + ";
    }
    result.append("sqrt(").append(surd.radicand.text()).append(")");
  }
  return result;
}

std::size_t Real::hash() const {
  // The order of the surds is canonical, so a running polynomial hash is a hash of the value.
  std::uint64_t result = rational_.hash();
  for (const Surd& surd : surds_) {
    result = result * 0x9e3779b97f4a7c15 + surd.radicand.hash() + (surd.sign < 0 ? 1 : 0);
  }
  return static_cast<std::size_t>(result);
}

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

std::optional<std::vector<Real>> direction(std::span<const Real> vector) {
  const auto not_zero = [](const Real& x) { return !x.is_zero(); };
  const auto pivot = std::find_if(vector.begin(), vector.end(), not_zero);
  std::vector<Real> result(vector.begin(), vector.end());
  if (pivot == vector.end()) return result;

  Real norm_squared;
  for (const Real& x : vector) {
    if (!x.is_zero()) norm_squared = norm_squared + x * x;
  }
  if (norm_squared.is_rational()) {
    for (Real& x : result) {
      if (!x.is_zero()) x = x.divided_by_root(norm_squared.rational_part());
    }
    return result;
  }

  Rational factors_squared;
  std::vector<Rational> factors;
  factors.reserve(vector.size());
  for (const Real& x : vector) {
    auto factor = rational_factor(x, *pivot);
    if (!factor) return std::nullopt;
    factors_squared += *factor * *factor;
    factors.push_back(*std::move(factor));
  }
  const bool positive = pivot->sign() > 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Rational factor = positive ? factors[i] : -factors[i];
    result[i] = Real(factor).divided_by_root(factors_squared);
  }
  return result;
}

namespace {

/// Independent roots that all surds of a number are rational multiples of products of: their classes are
/// a basis, over the field of two elements, of what the classes of the surds generate.
class RootBasis {
 public:
  /// False when there are more than `most`.
  bool add(const Real& x, std::size_t most) {
    for (const Real::Surd& surd : x.surds())
      if (!products_of(surd)) {
        if (size_ == most) return false;
        ++size_;
        for (std::size_t i = 0, known = products_.size(); i < known; ++i)
          products_.push_back(products_[i] * surd.radicand);
      }
    return true;
  }
  std::size_t size() const { return size_; }

  /// The conjugate of x, which is not 0 where x is not: this root changes its sign.
  Real conjugate(const Real& x, std::size_t root) const {
    Real result = x.rational_part();
    for (const Real::Surd& surd : x.surds()) {
      const bool turned = (*products_of(surd) >> root) & 1;
      const Real term = Real::root(surd.radicand);
      result = (surd.sign > 0) != turned ? result + term : result - term;
    }
    return result;
  }

 private:
  /// Which roots the surd is a multiple of the product of, a bit each.
  std::optional<std::uint32_t> products_of(const Real::Surd& surd) const {
    for (std::uint32_t roots = 0; roots < products_.size(); ++roots)
      if ((surd.radicand * products_[roots]).square_root()) return roots;
    return std::nullopt;
  }

  std::size_t size_ = 0;
  std::vector<Rational> products_ = {Rational(1)};  // of the radicands of each set of roots
};

}  // namespace

std::optional<Real> inverse(const Real& x, std::size_t most) {
  RootBasis basis;
  if (!basis.add(x, most)) return std::nullopt;
  // x times its conjugate is free of the root.
  Real numerator(1), denominator = x;
  for (std::size_t root = 0; root < basis.size(); ++root) {
    const Real conjugate = basis.conjugate(denominator, root);
    numerator = numerator * conjugate;
    denominator = denominator * conjugate;
  }
  return numerator.scaled(denominator.rational_part().inverse());
}

}}  // namespace logdepth::runtime_numbers
