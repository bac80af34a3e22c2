#include "runtime/numbers/real.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/numbers/enclosure.hpp"

namespace logdepth::inline runtime_numbers {
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

void Real::add_surd(const Surd& term) {
  for (auto own = surds_.begin(); own != surds_.end(); ++own) {
    // With t/s = r^2, sqrt(t) = r sqrt(s), so the sum is (+-1 +- r) sqrt(s). The quotient, not the
    // product: two radicands of one class usually share most of their factors.
    Rational ratio(1);
    if (!(own->radicand == term.radicand)) {
      auto root = (term.radicand / own->radicand).square_root();
      if (!root) continue;
      ratio = *std::move(root);
    }
    const Rational factor = own->sign == term.sign ? Rational(1) + ratio : Rational(1) - ratio;
    Surd combined{own->sign * factor.sign(), own->radicand * (factor * factor)};
    surds_.erase(own);
    if (combined.sign != 0) insert_surd(std::move(combined));
    return;
  }
  insert_surd(term);
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
  for (const Real::Surd& surd : b.surds_) result.add_surd(surd);
  return result;
}

Real operator-(const Real& a, const Real& b) {
  Real result;
  result.rational_ = a.rational_ - b.rational_;
  if (a.surds_.empty() && b.surds_.empty()) return result;
  result.surds_ = a.surds_;
  for (const Real::Surd& surd : b.surds_) result.add_surd({-surd.sign, surd.radicand});
  return result;
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

}  // namespace logdepth::inline runtime_numbers
