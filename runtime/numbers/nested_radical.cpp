#include "runtime/numbers/nested_radical.hpp"

#include <algorithm>
#include <utility>

namespace logdepth::inline runtime_numbers {
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

}  // namespace logdepth::inline runtime_numbers
