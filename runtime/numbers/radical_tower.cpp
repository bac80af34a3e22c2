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

/// Equal for rational multiples.
std::uint64_t shape(const NestedRadical& value) {
  std::uint64_t result = value.terms().size();
  const auto mix = [&](std::uint64_t part) { result = result * 0x9e3779b97f4a7c15 + part + 1; };
  for (const NestedRadical::Term& term : value.terms()) {
    mix(term.monomial.size());
    for (const NestedRadical::Power& power : term.monomial) {
      mix(power.generator);
      mix(power.exponent);
    }
  }
  return result;
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
  const NestedRadical result = (a * b).reduced([&](Generator generator) {
    const auto& square = definitions_[generator].square;
    return square ? &*square : nullptr;
  });
  if (const std::size_t bytes = result.heap_bytes(); bytes > kMostBytes)
    throw NotDecided(fmt::format("a product of {} MiB in {} nested radicals; the limit is {}",
                                 bytes >> 20, size(), kMostBytes >> 20));
  return result;
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
  const auto highest = value.highest_generator();
  if (!highest) return value.real()->sign();
  const std::vector<NestedRadical> c = value.coefficients_of(*highest);
  // A copy: signs of parts may not, but a later root would, move what a reference points to.
  const Definition definition = definitions_[*highest];
  if (definition.name) return sign_without_name(c, definition.of);
  const NestedRadical& square = definition.of;
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

/// The sign of the polynomial with these coefficients at what the name stands for.
int RadicalTower::sign_without_name(const std::vector<NestedRadical>& coefficients,
                                    const NestedRadical& named) {
  NestedRadical value;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c)
    value = product(value, named) + *c;
  return sign_within_products(value);
}

std::optional<std::pair<Generator, Rational>> RadicalTower::known_multiple(
    const NestedRadical& value, bool name) const {
  const auto [begin, end] = by_shape_.equal_range(shape(value));
  for (auto at = begin; at != end; ++at)
    if (const Definition& known = definitions_[at->second]; known.name == name)
      if (const auto factor = rational_factor(value, known.of))
        return std::pair(at->second, *factor);
  return std::nullopt;
}

Generator RadicalTower::define(Definition definition) {
  const auto generator = static_cast<Generator>(definitions_.size());
  by_shape_.emplace(shape(definition.of), generator);
  definitions_.push_back(std::move(definition));
  return generator;
}

NestedRadical RadicalTower::named(NestedRadical value) {
  if (value.summands() <= most_summands_) return value;
  auto known = known_multiple(value, true);
  if (!known) {
    if (zeros_.contains(value)) return {};
    const int sign = this->sign(value);
    if (sign == 0) {
      zeros_.insert(std::move(value));
      return {};
    }
    const Rational factor(sign);
    known.emplace(define({value.scaled(factor), true}), factor);
  }
  return NestedRadical({{{known->first, 1}}, Real(known->second)});
}

std::optional<NestedRadical> RadicalTower::inverse_root(const NestedRadical& square) {
  if (sign(square) <= 0) return std::nullopt;
  const auto real = square.real();
  if (real && real->is_rational())
    return NestedRadical(Real(1).divided_by_root(real->rational_part()));
  // A rational multiple of the square of a root gives no new one: fewer roots depend on others.
  auto known = known_multiple(square, false);
  if (!known) {
    ++statistics_.roots;
    known.emplace(define({square, false, real ? inverse(*real, kMostRoots) : std::nullopt}),
                  Rational(1));
  }
  return NestedRadical({{{known->first, 1}}, Real(1).divided_by_root(known->second)});
}

Enclosure RadicalTower::enclosure(const NestedRadical& value, mpfr_prec_t bits) {
  Enclosure sum(bits);
  for (const NestedRadical::Term& term : value.terms()) {
    Enclosure product(term.coefficient.rational_part(), term.coefficient.surds(), bits);
    for (const NestedRadical::Power& power : term.monomial)
      for (std::uint32_t i = 0; i < power.exponent; ++i)
        product *= enclosure_of(power.generator, bits);
    sum += product;
  }
  return sum;
}

const Enclosure& RadicalTower::enclosure_of(Generator generator, mpfr_prec_t bits) {
  const auto known = enclosures_.find({generator, bits});
  if (known != enclosures_.end()) return known->second;
  const Definition& definition = definitions_[generator];
  if (definition.name)
    return enclosures_.emplace(std::pair(generator, bits), enclosure(definition.of, bits))
        .first->second;
  // The square is positive, so that some number of bits shows it.
  for (mpfr_prec_t working = bits;; working *= 2)
    if (const auto found = enclosure(definition.of, working).inverse_root())
      return enclosures_.emplace(std::pair(generator, bits), *found).first->second;
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
      if (definitions_[power.generator].name) return false;  // of more than kMostSummands
      const NestedRadical& square = definitions_[power.generator].of;
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
  for (const Definition& definition : definitions_)
    total += sizeof definition + 64 + definition.of.heap_bytes() +
             (definition.square ? definition.square->heap_bytes() : 0);
  for (const NestedRadical& zero : zeros_) total += 64 + sizeof zero + zero.heap_bytes();
  for (const auto& [place, enclosure] : enclosures_)
    total += 2 * static_cast<std::size_t>(place.second) / 8;
  return total;
}

}  // namespace logdepth::inline runtime_numbers
