#include "compiler/lemmas/zero_lemmas.hpp"

#include <algorithm>

#include "compiler/lemmas/separation_lemmas.hpp"

namespace logdepth::inline compiler_lemmas {
namespace {

using Sum = std::vector<Summand>;

bool selects_one(const Summand& s) {
  const auto* found = std::get_if<SelectFound>(&s.selector);
  return std::holds_alternative<SelectPointed>(s.selector) ||
         std::holds_alternative<SelectNearest>(s.selector) ||
         std::holds_alternative<SelectRightmost>(s.selector) || (found && found->one);
}

/// The least positive integer that makes all of these integers.
Rational common_denominator(const std::vector<Rational>& values) {
  mpz_class result = 1;
  for (const Rational& value : values) {
    const mpz_class denominator = value.to_mpq().get_den();
    mpz_lcm(result.get_mpz_t(), result.get_mpz_t(), denominator.get_mpz_t());
  }
  return Rational(mpq_class(result));
}

class ZeroLaw {
 public:
  ZeroLaw(const Program& program, const AbstractState& contents) : p_(program), c_(contents) {}

  std::optional<SeparationLaw> of(const Component& number) const {
    const AbstractValue& content = c_[number.cell];
    if (content.kind != AbstractValue::Kind::number) return std::nullopt;
    if (content.given) return SeparationLaw{1, 0};  // (p, 1) and (m, 1) are integers
    if (content.unknown) return std::nullopt;
    const Sum& sum = content.sums[number.index];
    if (auto law = of_two_values(sum)) return law;
    if (auto law = of_averages(sum)) return law;
    return of_one_group(sum);
  }

 private:
  const CellType& type(CellId cell) const { return p_.cells[cell].type; }

  /// f (x_0 - y_0), where x and y are codes or declared directions at one position each: the
  /// difference of two first components.
  std::optional<SeparationLaw> of_two_values(const Sum& sum) const {
    LinearForm terms;
    for (const Summand& s : sum) {
      if (!s.under.empty() || !selects_one(s)) return std::nullopt;
      terms.insert(terms.end(), s.form.begin(), s.form.end());
    }
    if (terms.size() != 2 || !(terms[0].factor + terms[1].factor).is_zero()) return std::nullopt;
    const auto a = first_component(terms[0].component), b = first_component(terms[1].component);
    if (!a || !b) return std::nullopt;
    auto law = difference(*a, *b);
    if (law) law->coefficient *= terms[0].factor.abs();
    return law;
  }

  std::optional<FirstComponent> first_component(const Component& c) const {
    if (c.index != 0) return std::nullopt;
    if (const auto code = held_code(type(c.cell))) return FirstComponent{code};
    const auto* direction = std::get_if<DirectionType>(&type(c.cell));
    if (!direction || direction->size != 2 || !direction->integers) return std::nullopt;
    return FirstComponent{std::nullopt, *direction->integers};
  }

  /// Averages of forms over flags, labels and the constant. With n positions selected, n d times
  /// such an average is an integer, d the common denominator of the form's values; so is the sum
  /// times d and the numbers of the different selections, each at most N: at least 1 / (d N^k).
  std::optional<SeparationLaw> of_averages(const Sum& sum) const {
    std::vector<Rational> steps;
    std::vector<const Summand*> selections;
    for (const Summand& s : sum) {
      if (!s.under.empty() || !add_steps(s.form, steps)) return std::nullopt;
      const auto same = [&](const Summand* t) { return same_selection(*t, s); };
      if (!selects_one(s) && std::none_of(selections.begin(), selections.end(), same))
        selections.push_back(&s);
    }
    return SeparationLaw{common_denominator(steps).inverse(),
                         static_cast<std::uint32_t>(selections.size())};
  }

  /// The same positions, also if the averages were taken at different times.
  static bool same_selection(const Summand& a, const Summand& b) {
    const bool unchanged =
        std::holds_alternative<SelectAll>(a.selector) || (a.current && b.current);
    return unchanged && a.selector == b.selector && a.causal == b.causal;
  }

  /// Adds numbers of which all values of the form are sums; false where it reads anything else than
  /// flags, labels and the constant. A flag is 2 b - 1 for a b in {0, 1}.
  bool add_steps(const LinearForm& form, std::vector<Rational>& steps) const {
    Rational fixed;
    for (const Term& t : form) {
      const CellType& cell = type(t.component.cell);
      if (std::holds_alternative<ConstantType>(cell)) {
        fixed += t.factor;
      } else if (std::holds_alternative<FlagType>(cell)) {
        fixed -= t.factor;
        steps.push_back(t.factor * Rational(2));
      } else if (std::holds_alternative<OneHotType>(cell)) {
        steps.push_back(t.factor);
      } else {
        return false;
      }
    }
    steps.push_back(fixed);
    return true;
  }

  /// A form of given numbers (p, 1), (m, 1) under their joint norm, where all selected positions
  /// have the token's own direction, and so its own numbers, because one of them is 1. An integer
  /// over a common denominator d, divided by the norm of k integers up to N: at least 1 / (d k N).
  std::optional<SeparationLaw> of_one_group(const Sum& sum) const {
    if (sum.size() != 1 || !sum.front().current) return std::nullopt;
    const Summand& s = sum.front();
    if (s.under.empty() || !std::holds_alternative<SelectSame>(s.selector)) return std::nullopt;
    std::int64_t size = 0;
    for (const CellId cell : s.under) {
      if (!c_[cell].given) return std::nullopt;
      size += size_of(type(cell));
    }
    std::vector<Rational> factors;
    for (const Term& t : s.form) factors.push_back(t.factor);
    return SeparationLaw{(common_denominator(factors) * Rational(size)).inverse(), 1};
  }

  const Program& p_;
  const AbstractState& c_;
};

}  // namespace

std::optional<SeparationLaw> zero_law(const Program& program, const Component& number,
                                      const AbstractState& contents) {
  return ZeroLaw(program, contents).of(number);
}

}  // namespace logdepth::inline compiler_lemmas
