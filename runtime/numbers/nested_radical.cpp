#include "runtime/numbers/nested_radical.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "logdepth/interruption.hpp"

namespace logdepth { inline namespace runtime_numbers {
namespace {

NestedRadical::Monomial product_of(const NestedRadical::Monomial& a,
                                   const NestedRadical::Monomial& b) {
  NestedRadical::Monomial result;
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->generator < y->generator)) {
      result.push_back(*x++);
    } else if (x == a.end() || y->generator < x->generator) {
      result.push_back(*y++);
    } else {
      result.push_back({x->generator, x->exponent + y->exponent});
      ++x, ++y;
    }
  }
  return result;
}

}  // namespace

NestedRadical::NestedRadical(Real value) {
  if (!value.is_zero()) terms_.push_back({{}, std::move(value)});
}

NestedRadical::NestedRadical(Term term) {
  terms_.push_back(std::move(term));
}

NestedRadical NestedRadical::sum_of(std::map<Monomial, Real> coefficients) {
  NestedRadical result;
  for (auto& [monomial, coefficient] : coefficients)
    if (!coefficient.is_zero()) result.terms_.push_back({monomial, std::move(coefficient)});
  return result;
}

std::optional<Real> NestedRadical::real() const {
  if (terms_.empty()) return Real();
  if (terms_.size() > 1 || !terms_.front().monomial.empty()) return std::nullopt;
  return terms_.front().coefficient;
}

std::size_t NestedRadical::summands() const {
  std::size_t total = 0;
  for (const Term& term : terms_)
    total += term.coefficient.surds().size() + (term.coefficient.rational_part().is_zero() ? 0 : 1);
  return total;
}

std::optional<Generator> NestedRadical::highest_generator() const {
  std::optional<Generator> highest;
  for (const Term& term : terms_)
    if (!term.monomial.empty())
      highest = std::max(highest.value_or(0), term.monomial.back().generator);
  return highest;
}

NestedRadical NestedRadical::reduced(const std::function<const Real*(Generator)>& square) const {
  std::map<Monomial, Real> sums;
  for (const Term& term : terms_) {
    Monomial rest;
    Real coefficient = term.coefficient;
    for (Power power : term.monomial) {
      if (const Real* known = power.exponent > 1 ? square(power.generator) : nullptr)
        for (; power.exponent > 1; power.exponent -= 2) coefficient = coefficient * *known;
      if (power.exponent > 0) rest.push_back(power);
    }
    Real& sum = sums[std::move(rest)];
    sum = sum + coefficient;
  }
  return sum_of(std::move(sums));
}

std::vector<NestedRadical> NestedRadical::coefficients_of(Generator generator) const {
  std::vector<std::map<Monomial, Real>> parts(1);
  for (const Term& term : terms_) {
    Monomial rest = term.monomial;
    std::size_t exponent = 0;
    const auto at = std::find_if(rest.begin(), rest.end(), [generator](const Power& power) {
      return power.generator == generator;
    });
    if (at != rest.end()) {
      exponent = at->exponent;
      rest.erase(at);
    }
    if (exponent >= parts.size()) parts.resize(exponent + 1);
    parts[exponent].emplace(std::move(rest), term.coefficient);
  }
  std::vector<NestedRadical> result(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (auto& [monomial, coefficient] : parts[i])
      result[i].terms_.push_back({monomial, std::move(coefficient)});
  return result;
}

NestedRadical NestedRadical::scaled(const Rational& factor) const {
  NestedRadical result;
  if (factor.is_zero()) return result;
  result.terms_.reserve(terms_.size());
  for (const Term& term : terms_)
    result.terms_.push_back({term.monomial, term.coefficient.scaled(factor)});
  return result;
}

NestedRadical operator+(const NestedRadical& a, const NestedRadical& b) {
  NestedRadical result;
  auto x = a.terms_.begin();
  auto y = b.terms_.begin();
  while (x != a.terms_.end() || y != b.terms_.end()) {
    if (y == b.terms_.end() || (x != a.terms_.end() && x->monomial < y->monomial)) {
      result.terms_.push_back(*x++);
    } else if (x == a.terms_.end() || y->monomial < x->monomial) {
      result.terms_.push_back(*y++);
    } else {
      Real sum = x->coefficient + y->coefficient;
      if (!sum.is_zero()) result.terms_.push_back({x->monomial, std::move(sum)});
      ++x, ++y;
    }
  }
  return result;
}

NestedRadical operator*(const NestedRadical& a, const NestedRadical& b) {
  std::map<NestedRadical::Monomial, Real> sums;
  for (const NestedRadical::Term& x : a.terms_)
    for (const NestedRadical::Term& y : b.terms_) {
      Real& sum = sums[product_of(x.monomial, y.monomial)];
      sum = sum + x.coefficient * y.coefficient;
    }
  return NestedRadical::sum_of(std::move(sums));
}

std::size_t NestedRadical::hash() const {
  std::uint64_t result = terms_.size();
  const auto mix = [&](std::uint64_t part) { result = result * 0x9e3779b97f4a7c15 + part + 1; };
  for (const Term& term : terms_) {
    for (const Power& power : term.monomial) {
      mix(power.generator);
      mix(power.exponent);
    }
    mix(term.coefficient.hash());
  }
  return static_cast<std::size_t>(result);
}

std::size_t NestedRadical::heap_bytes() const {
  std::size_t total = terms_.capacity() * sizeof(Term);
  for (const Term& term : terms_)
    total += term.monomial.capacity() * sizeof(Power) + term.coefficient.heap_bytes();
  return total;
}

std::optional<Rational> rational_factor(const NestedRadical& x, const NestedRadical& y) {
  if (x.is_empty()) return Rational(0);
  if (x.terms().size() != y.terms().size()) return std::nullopt;
  if (x.terms().front().monomial != y.terms().front().monomial) return std::nullopt;
  auto factor = rational_factor(x.terms().front().coefficient, y.terms().front().coefficient);
  if (!factor || !(y.scaled(*factor) == x)) return std::nullopt;
  return factor;
}

namespace {

constexpr mpfr_prec_t kFirstBits = 64;
constexpr mpfr_prec_t kFilterBits = 1024;
constexpr int kDigits = 12;
/// Pairs of terms that are multiplied to print a number.
constexpr std::size_t kMostPrinted = std::size_t{1} << 12;

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
  if (value.summands() <= (value.real() ? kMostSummands : most_summands_)) return value;
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
      const auto square = without_names(definitions_[power.generator].of);
      if (!square) return false;
      for (std::uint32_t i = 0; i < power.exponent / 2; ++i) {
        text += "/(";
        if (!append(*square, most, text)) return false;
        text += ")";
      }
      if (power.exponent % 2 == 0) continue;
      text += "/sqrt(";
      if (!append(*square, most, text)) return false;
      text += ")";
    }
    if (text.size() > most) return false;
  }
  return true;
}

std::optional<NestedRadical> RadicalTower::without_names(NestedRadical value) const {
  bool had_names = false;
  for (;;) {
    std::optional<Generator> name;
    for (const NestedRadical::Term& term : value.terms())
      for (const NestedRadical::Power& power : term.monomial)
        if (definitions_[power.generator].name) name = std::max(name.value_or(0), power.generator);
    if (!name) break;
    had_names = true;
    const std::vector<NestedRadical> coefficients = value.coefficients_of(*name);
    value = NestedRadical();
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) {
      if (value.summands() * definitions_[*name].of.summands() > kMostPrinted) return std::nullopt;
      value = product(value, definitions_[*name].of) + *c;
    }
  }
  // What a root divides may be a Real without its name: then squares of the root are multiplied out.
  std::map<Generator, std::optional<Real>> squares;
  if (had_names)
    value = value.reduced([&](Generator root) {
      const auto [at, is_new] = squares.try_emplace(root);
      if (is_new)
        if (const auto of = without_names(definitions_[root].of); of && of->real())
          at->second = inverse(*of->real(), kMostRoots);
      return at->second ? &*at->second : nullptr;
    });
  if (value.summands() > kMostSummands) return std::nullopt;
  return value;
}

std::string RadicalTower::text(const NestedRadical& value, std::size_t most) {
  std::string text;
  if (const auto plain = without_names(value); plain && append(*plain, most, text)) return text;
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

}}  // namespace logdepth::runtime_numbers
