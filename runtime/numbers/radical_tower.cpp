#include "runtime/numbers/radical_tower.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "logdepth/interruption.hpp"
#include "runtime/numbers/real_inverse.hpp"

namespace logdepth::inline runtime_numbers {
namespace {

constexpr mpfr_prec_t kFirstBits = 64;
constexpr mpfr_prec_t kFilterBits = 1024;
constexpr int kDigits = 12;

/// Coefficients of more than one term stand in parentheses before a root.
bool is_sum(const Real& value) {
  return value.surds().size() + (value.rational_part().is_zero() ? 0 : 1) > 1;
}

}  // namespace

RadicalTower::Statistics& RadicalTower::Statistics::operator+=(const Statistics& other) {
  by_enclosure += other.by_enclosure;
  by_elimination += other.by_elimination;
  zeros += other.zeros;
  roots += other.roots;
  return *this;
}

NestedRadical RadicalTower::product(const NestedRadical& a, const NestedRadical& b) const {
  look_for_interruption();
  const std::size_t x = a.summands(), y = b.summands();
  if (x * y > kMostProducts)
    throw NotDecided(
        fmt::format("a product of {} by {} terms in {} nested radicals; the limit is {}", x, y,
                    size(), kMostProducts));
  const NestedRadical result = (a * b).reduced([&](RootIndex root) { return square_of(root); });
  if (const std::size_t bytes = result.heap_bytes(); bytes > kMostBytes)
    throw NotDecided(fmt::format("a product of {} MiB in {} nested radicals; the limit is {}",
                                 bytes >> 20, size(), kMostBytes >> 20));
  return result;
}

/// Of an inverse root.
const Real* RadicalTower::square_of(RootIndex root) const {
  return of_inverse_[root] ? &*of_inverse_[root] : nullptr;
}

int RadicalTower::sign(const NestedRadical& value) {
  if (value.terms().empty()) return 0;
  if (value.terms().size() == 1) return value.terms().front().coefficient.sign();
  if (const int found = sign_by_enclosure(value, kFirstBits, kFilterBits)) {
    ++statistics_.by_enclosure;
    return found;
  }
  int found = 0;
  try {
    found = sign_by_elimination(value);
  } catch (const NotDecided& limit) {
    found = sign_by_enclosure(value, 4 * kFilterBits, kMostBits);
    if (found == 0)
      throw NotDecided(
          fmt::format("the sign of a number that is not clearly other than 0 to {} "
                      "bits needs {}",
                      kMostBits, limit.what()));
    ++statistics_.by_enclosure;
    return found;
  }
  ++statistics_.by_elimination;
  if (found == 0) ++statistics_.zeros;
  return found;
}

int RadicalTower::sign_by_enclosure(const NestedRadical& value, mpfr_prec_t from, mpfr_prec_t to) {
  for (mpfr_prec_t bits = from; bits <= to; bits *= 4) {
    look_for_interruption();
    if (const int found = enclosure(value, bits).sign()) return found;
  }
  return 0;
}

/// The same as sign(), for the parts of an elimination.
int RadicalTower::sign_within_products(const NestedRadical& value) {
  if (value.terms().empty()) return 0;
  if (value.terms().size() == 1) return value.terms().front().coefficient.sign();
  if (const int found = sign_by_enclosure(value, kFirstBits, kFilterBits)) return found;
  return sign_by_elimination(value);
}

int RadicalTower::sign_by_elimination(const NestedRadical& value) {
  const auto highest = value.highest_root();
  if (!highest) return value.real()->sign();
  // A copy: signs of parts may not, but a later root would, move what a reference points to.
  const NestedRadical square = squares_[*highest];
  const std::vector<NestedRadical> c = value.coefficients_of(*highest);
  const std::size_t half = (c.size() - 1) / 2;
  std::vector<NestedRadical> powers = {Real(1)};
  while (powers.size() <= half) powers.push_back(product(powers.back(), square));
  NestedRadical even, odd;
  for (std::size_t j = 0; j < c.size(); ++j) {
    NestedRadical& part = j % 2 == 0 ? even : odd;
    part = part + product(c[j], powers[half - j / 2]);
  }
  const int even_sign = sign_within_products(even), odd_sign = sign_within_products(odd);
  if (even_sign * odd_sign >= 0) return even_sign != 0 ? even_sign : odd_sign;
  const int larger = sign_within_products(product(square, product(even, even)) - product(odd, odd));
  return larger > 0 ? even_sign : larger < 0 ? odd_sign : 0;
}

std::optional<NestedRadical> RadicalTower::inverse_root(const NestedRadical& square) {
  if (sign(square) <= 0) return std::nullopt;
  if (const auto real = square.real(); real && real->is_rational())
    return NestedRadical(Real(1).divided_by_root(real->rational_part()));
  if (const auto known = numbers_.find(square); known != numbers_.end())
    return NestedRadical::inverse_root(known->second);
  // A rational multiple of the square of a root gives no new one: fewer roots depend on others.
  for (RootIndex i = 0; i < squares_.size(); ++i)
    if (const auto factor = rational_factor(square, squares_[i]))
      return NestedRadical(Real(1).divided_by_root(*factor)) * NestedRadical::inverse_root(i);
  const auto index = static_cast<RootIndex>(squares_.size());
  ++statistics_.roots;
  squares_.push_back(square);
  const auto real = square.real();
  of_inverse_.push_back(real ? inverse(*real, kMostRoots) : std::nullopt);
  numbers_.emplace(square, index);
  return NestedRadical::inverse_root(index);
}

Enclosure RadicalTower::enclosure(const NestedRadical& value, mpfr_prec_t bits) {
  Enclosure sum(bits);
  for (const NestedRadical::Term& term : value.terms()) {
    Enclosure product(term.coefficient.rational_part(), term.coefficient.surds(), bits);
    for (const NestedRadical::Power& power : term.monomial)
      for (std::uint32_t i = 0; i < power.exponent; ++i) product *= root(power.root, bits);
    sum += product;
  }
  return sum;
}

const Enclosure& RadicalTower::root(RootIndex index, mpfr_prec_t bits) {
  const auto known = enclosures_.find({index, bits});
  if (known != enclosures_.end()) return known->second;
  // The square is positive, so that some number of bits shows it.
  for (mpfr_prec_t working = bits;; working *= 2)
    if (const auto found = enclosure(squares_[index], working).inverse_root())
      return enclosures_.emplace(std::pair(index, bits), *found).first->second;
}

Approximation RadicalTower::approximate(const NestedRadical& value) {
  if (const auto real = value.real()) return real->approximate();
  return enclosure(value, kFirstBits).approximate();
}

bool RadicalTower::append(const NestedRadical& value, std::size_t most, std::string& text) const {
  if (value.terms().empty()) text += "0";
  bool first = true;
  for (const NestedRadical::Term& term : value.terms()) {
    Real coefficient = term.coefficient;
    const bool sum = is_sum(coefficient);
    const bool negative = !sum && coefficient.sign() < 0;
    if (negative) coefficient = -coefficient;
    text += first ? (negative ? "-" : "") : (negative ? " - " : " + ");
    first = false;
    const bool parentheses = sum && !term.monomial.empty();
    text += (parentheses ? "(" : "") + coefficient.text() + (parentheses ? ")" : "");
    for (const NestedRadical::Power& power : term.monomial) {
      const NestedRadical& square = squares_[power.root];
      for (std::uint32_t i = 0; i < power.exponent / 2; ++i) {
        text += "/(";
        if (!append(square, most, text)) return false;
        text += ")";
      }
      if (power.exponent % 2 == 0) continue;
      text += "/sqrt(";
      if (!append(square, most, text)) return false;
      text += ")";
    }
    if (text.size() > most) return false;
  }
  return true;
}

std::string RadicalTower::text(const NestedRadical& value, std::size_t most) {
  std::string text;
  if (append(value, most, text)) return text;
  return enclosure(value, 4 * kFirstBits).text(kDigits);
}

std::size_t RadicalTower::bytes() const {
  std::size_t total = enclosures_.size() * (sizeof(Enclosure) + 64);
  for (const NestedRadical& square : squares_) total += 2 * (sizeof square + square.heap_bytes());
  for (const auto& known : of_inverse_) total += sizeof known + (known ? known->heap_bytes() : 0);
  for (const auto& [place, enclosure] : enclosures_)
    total += 2 * static_cast<std::size_t>(place.second) / 8;
  return total;
}

}  // namespace logdepth::inline runtime_numbers
