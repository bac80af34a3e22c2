#include "compiler/analysis/number_properties.hpp"

#include <algorithm>
#include <optional>

namespace logdepth::inline compiler_analysis {
namespace {

bool is_rational_valued(const CellType& type) {
  return !is_phi_code(type) && !std::holds_alternative<DirectionType>(type) &&
         !std::holds_alternative<NumberType>(type);
}

bool same_average(const Summand& a, const Summand& b) {
  return a.current && b.current && a.selector == b.selector && a.causal == b.causal &&
         a.under == b.under;
}

/// The parts of a group that are one number cell with its single summand; null if there is none.
const Summand* only_summand(const Component& c, const AbstractState& state) {
  const AbstractValue& value = state[c.cell];
  if (value.kind != AbstractValue::Kind::number || value.given || value.unknown) return nullptr;
  const auto& sum = value.sums[c.index];
  return sum.size() == 1 ? &sum.front() : nullptr;
}

}  // namespace

NumberProperties::NumberProperties(const Program& program) : p_(program), bounds_(program) {}

void NumberProperties::prove(Summand& s, const AbstractState& state) const {
  s.signs = {};
  s.rational = s.common = false;
  s.zero_where_first.reset();
  if (s.under.empty()) {
    prove_typed(s, state);
    prove_gate(s, state);
  } else {
    prove_under(s, state);
  }
}

void NumberProperties::prove_typed(Summand& s, const AbstractState& state) const {
  s.rational = std::all_of(s.form.begin(), s.form.end(), [&](const Term& t) {
    return is_rational_valued(p_.cells[t.component.cell].type);
  });
  const bool uniform = std::holds_alternative<SelectAll>(s.selector);
  s.common = uniform && !s.causal;

  bool nonnegative = true, positive = true, at_first = true, at_rest = true;
  for (const FormBounds::TokenClass& tokens : bounds_.classes()) {
    const int least = bounds_.range(s.form, tokens, state).low.sign();
    nonnegative = nonnegative && least >= 0;
    positive = positive && least > 0;
    (tokens.first ? at_first : at_rest) &= least > 0;
  }
  s.signs.nonnegative = nonnegative;
  // Every head selects some position, so an average of positive values is positive.
  if (positive) s.signs.positive_first = s.signs.positive_rest = true;
  if (!nonnegative) return;
  // Position 0 is visible to every token, and under the causal mask a token sees itself.
  const bool somewhere = at_first || (!s.causal && bounds_.positive_somewhere(s.form, state));
  if (uniform) {
    s.signs.positive_first = s.signs.positive_first || somewhere;
    s.signs.positive_rest = s.signs.positive_rest || somewhere || at_rest;
  } else if (const auto* flagged = std::get_if<SelectFlagged>(&s.selector)) {
    // Where the condition fails it is a uniform head.
    if (flagged->when && state[flagged->when->cell].first_flag && somewhere)
      (flagged->when->value ? s.signs.positive_rest : s.signs.positive_first) = true;
  }
}

void NumberProperties::prove_under(Summand& s, const AbstractState& state) const {
  // The token's group is divided by its norm, a positive number, the same one at all tokens if the
  // group is common.
  std::vector<Component> group;
  std::vector<Term> parts;
  for (const CellId cell : s.under)
    for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i) {
      group.push_back({cell, i});
      parts.push_back({{cell, i}, Rational(1)});
    }
  const bool one_norm = common(group, state);
  s.rational = one_norm && rational_ratio(parts, state);
  const bool uniform = std::holds_alternative<SelectAll>(s.selector);
  s.common = one_norm && uniform && !s.causal;
  if (!uniform) return;
  bool nonnegative = true, first = false, rest = false;
  for (const Term& t : s.form) {
    const Signs part = signs(t.component, state);
    nonnegative = nonnegative && t.factor.sign() > 0 && part.nonnegative;
    first = first || part.positive_first;
    rest = rest || part.positive_rest;
  }
  s.signs.nonnegative = nonnegative;
  if (!nonnegative) return;
  s.signs.positive_first = first;         // it sees itself
  s.signs.positive_rest = first || rest;  // it sees the first token, and itself
}

/// An unmasked head that is uniform over the tokens with Z at all but the first token (or only at
/// it), and uniform over all tokens elsewhere, whose form is zero at every token with Z: it leaves
/// 0 in the first place and the average over all tokens, a common number, in the second.
void NumberProperties::prove_gate(Summand& s, const AbstractState& state) const {
  const auto* flagged = std::get_if<SelectFlagged>(&s.selector);
  if (!flagged || s.causal || !flagged->when) return;
  if (!state[flagged->when->cell].first_flag) return;
  if (!bounds_.holds_somewhere(flagged->flag, state)) return;
  for (const FormBounds::TokenClass& tokens : bounds_.classes())
    if (!bounds_.fails(flagged->flag, tokens, state) &&
        !bounds_.range(s.form, tokens, state).is_zero())
      return;
  s.zero_where_first = flagged->when->value != 0;
}

Summand NumberProperties::average(const FetchStatement& fetch, const LinearForm& form,
                                  const AbstractState& state) const {
  Summand summand;
  summand.selector = fetch.selector;
  summand.causal = fetch.causal;
  summand.under = fetch.under;
  summand.form = canonical_form(form);
  prove(summand, state);
  return summand;
}

void NumberProperties::add(std::vector<Summand>& sum, Summand summand,
                           const AbstractState& state) const {
  if (summand.form.empty()) return;
  for (auto other = sum.begin(); other != sum.end(); ++other) {
    if (!same_average(*other, summand)) continue;
    // Both read the same cells as they are now, so they are one average of the sum of the forms.
    LinearForm form = other->form;
    form.insert(form.end(), summand.form.begin(), summand.form.end());
    other->form = canonical_form(form);
    if (other->form.empty()) {
      sum.erase(other);
    } else {
      prove(*other, state);
    }
    return;
  }
  sum.push_back(std::move(summand));
}

Signs NumberProperties::signs(const Component& c, const AbstractState& state) const {
  const AbstractValue& value = state[c.cell];
  if (value.kind == AbstractValue::Kind::typed) {
    const bool positive = std::holds_alternative<ConstantType>(p_.cells[c.cell].type) ||
                          (!value.positive.empty() && value.positive[c.index]);
    return {positive, positive, positive};
  }
  if (value.kind != AbstractValue::Kind::number || value.unknown) return {};
  if (value.given) {
    // (p, 1) or (m, 1) with m >= 1
    const bool positive = c.index == 1 || value.given == GivenCell::Holds::natural;
    return {true, positive, true};
  }
  Signs total{true, false, false};
  for (const Summand& s : value.sums[c.index]) {
    total.nonnegative = total.nonnegative && s.signs.nonnegative;
    total.positive_first = total.positive_first || s.signs.positive_first;
    total.positive_rest = total.positive_rest || s.signs.positive_rest;
  }
  if (!total.nonnegative) {
    // One summand may be positive without the others; a sum is only if all are at least zero.
    const auto& sum = value.sums[c.index];
    return sum.size() == 1 ? sum.front().signs : Signs{};
  }
  return total;
}

bool NumberProperties::nonzero(std::span<const Term> group, const AbstractState& state) const {
  if (std::any_of(group.begin(), group.end(),
                  [&](const Term& t) { return signs(t.component, state).positive(); }))
    return true;
  // A whole cell of a type that is never zero.
  for (const Term& t : group) {
    if (state[t.component.cell].kind != AbstractValue::Kind::typed) continue;
    bool whole = true;
    for (std::uint32_t i = 0; i < size_of(p_.cells[t.component.cell].type); ++i)
      whole = whole && std::any_of(group.begin(), group.end(), [&](const Term& other) {
                return other.component == Component{t.component.cell, i};
              });
    if (whole) return true;
  }
  // Averages over one selection whose sum is positive are not all zero.
  Summand sum;
  for (const Term& t : group) {
    const Summand* part = only_summand(t.component, state);
    if (!part) return false;
    if (sum.form.empty()) {
      sum = *part;
      continue;
    }
    if (!same_average(sum, *part)) return false;
    sum.form.insert(sum.form.end(), part->form.begin(), part->form.end());
  }
  if (!sum.current || !sum.under.empty()) return false;
  sum.form = canonical_form(sum.form);
  prove(sum, state);
  return sum.signs.positive();
}

bool NumberProperties::common(std::span<const Component> group, const AbstractState& state) const {
  std::vector<const Summand*> gated;
  for (const Component& c : group) {
    const AbstractValue& value = state[c.cell];
    if (value.kind != AbstractValue::Kind::number || value.unknown) return false;
    if (value.given) {
      if (value.given != GivenCell::Holds::natural) return false;
      continue;
    }
    const auto& sum = value.sums[c.index];
    if (std::all_of(sum.begin(), sum.end(), [](const Summand& s) { return s.common; })) continue;
    if (sum.size() != 1 || !sum.front().zero_where_first) return false;
    gated.push_back(&sum.front());
  }
  // X at the first token and 0 elsewhere, beside 0 at the first token and X elsewhere.
  while (!gated.empty()) {
    const Summand* one = gated.back();
    gated.pop_back();
    const auto other = std::find_if(gated.begin(), gated.end(), [&](const Summand* s) {
      return s->form == one->form && s->zero_where_first != one->zero_where_first && s->current &&
             one->current;
    });
    if (other == gated.end()) return false;
    gated.erase(other);
  }
  return true;
}

bool NumberProperties::rational_ratio(std::span<const Term> group,
                                      const AbstractState& state) const {
  // The parts of one direction that is rational up to a factor share that factor.
  const CellId first = group.front().component.cell;
  if (state[first].kind == AbstractValue::Kind::typed && state[first].rational &&
      std::all_of(group.begin(), group.end(),
                  [&](const Term& t) { return t.component.cell == first; }))
    return true;
  // Numbers written under one joint norm share it as a factor; all others have none.
  std::optional<std::vector<CellId>> norm;
  const auto share = [&](const std::vector<CellId>& under) {
    if (!norm) norm = under;
    return *norm == under;
  };
  for (const Term& t : group) {
    const AbstractValue& value = state[t.component.cell];
    if (value.kind == AbstractValue::Kind::typed) {
      if (!is_rational_valued(p_.cells[t.component.cell].type) || !share({})) return false;
      continue;
    }
    if (value.kind != AbstractValue::Kind::number || value.unknown) return false;
    if (value.given) {
      if (!share({})) return false;
      continue;
    }
    for (const Summand& s : value.sums[t.component.index])
      if (!s.rational || !share(s.under) || (!s.under.empty() && !s.current)) return false;
  }
  return true;
}

std::optional<Rational> NumberProperties::position_ratio(std::span<const Term> group,
                                                         const AbstractState& state) const {
  if (group.size() != 2 || group[0].component.cell != group[1].component.cell ||
      group[0].component.index != 0 || group[1].component.index != 1)
    return std::nullopt;
  const Rational over = group[1].factor / group[0].factor;  // factors are positive
  if (state[group[0].component.cell].given == GivenCell::Holds::position) return over;
  // Causal averages of [not first] and [first]: of the p + 1 visible tokens p are not the first.
  const Summand* rest = only_summand(group[0].component, state);
  const Summand* first = only_summand(group[1].component, state);
  if (!rest || !first || !same_average(*rest, *first) || !rest->causal || !rest->under.empty() ||
      !std::holds_alternative<SelectAll>(rest->selector))
    return std::nullopt;
  std::optional<Rational> scale;
  for (const FormBounds::TokenClass& tokens : bounds_.classes()) {
    const FormBounds::Interval zero =
        bounds_.range(tokens.first ? rest->form : first->form, tokens, state);
    const FormBounds::Interval one =
        bounds_.range(tokens.first ? first->form : rest->form, tokens, state);
    if (!zero.is_zero() || one.low != one.high) return std::nullopt;
    if (!scale) scale = one.low;
    if (one.low != *scale || scale->sign() <= 0) return std::nullopt;
  }
  return over;
}

}  // namespace logdepth::inline compiler_analysis
