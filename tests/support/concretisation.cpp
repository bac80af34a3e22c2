#include "tests/support/concretisation.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/overload.hpp"
#include "compiler/meaning/cell_reader.hpp"
#include "compiler/meaning/selected_positions.hpp"

namespace logdepth::support {
namespace {

/// Rational multiples of one number.
bool rational_multiples(const std::vector<Real>& vector) {
  const auto unit =
      std::find_if(vector.begin(), vector.end(), [](const Real& x) { return !x.is_zero(); });
  return std::all_of(vector.begin(), vector.end(), [&](const Real& x) {
    return x.is_zero() || rational_quotient(x, *unit).has_value();
  });
}

Real squared(const std::vector<Real>& vector) {
  Real sum;
  for (const Real& x : vector) sum = sum + x * x;
  return sum;
}

bool all_equal(const std::vector<Real>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Real& x) { return x == values.front(); });
}

Signs both(const Signs& a, const Signs& b) {
  return {a.nonnegative && b.nonnegative, a.positive_first || b.positive_first,
          a.positive_rest || b.positive_rest};
}

}  // namespace

std::string Concretisation::violation(const AbstractState& state, const CellStates& cells) {
  cells_ = &cells;
  violation_.clear();
  for (CellId cell = 0; cell < state.size(); ++cell) check(cell, state[cell]);
  check_read_off(state);
  return violation_;
}

void Concretisation::expect(bool holds, CellId cell, const std::string& property) {
  ++compared_[property];
  if (!holds && violation_.empty()) violation_ = "cell " + p_.cells[cell].name + ": " + property;
}

Concretisation::Values Concretisation::values(const Component& c) const {
  Values all;
  for (std::size_t token = 0; token < cells_->tokens; ++token) all.push_back(cells_->at(token, c));
  return all;
}

std::vector<Real> Concretisation::row(std::size_t token, CellId cell) const {
  std::vector<Real> all;
  for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
    all.push_back(cells_->at(token, {cell, i}));
  return all;
}

void Concretisation::check(CellId cell, const AbstractValue& value) {
  switch (value.kind) {
    case AbstractValue::Kind::blank:
      for (std::size_t token = 0; token < cells_->tokens; ++token)
        expect(squared(row(token, cell)).is_zero(), cell, "blank");
      return;
    case AbstractValue::Kind::typed:
      check_type(cell);
      return check_typed(cell, value);
    case AbstractValue::Kind::number:
      return check_number(cell, value);
  }
}

// --- values of their types -----------------------------------------------------------------------

void Concretisation::check_type(CellId cell) {
  for (std::size_t token = 0; token < cells_->tokens; ++token) {
    const std::vector<Real> value = row(token, cell);
    const bool fits = std::visit(
        Overload{[&](const ConstantType&) { return value[0] == Real(1); },
                 [&](const FlagType&) { return value[0] == Real(1) || value[0] == Real(-1); },
                 [&](const OneHotType&) {
                   const auto ones = std::count(value.begin(), value.end(), Real(1));
                   const auto zeros = std::count(value.begin(), value.end(), Real());
                   return ones == 1 && static_cast<std::size_t>(zeros) + 1 == value.size();
                 },
                 [&](const KeyType& t) { return value == code_of(t.code, token); },
                 [&](const PointerType& t) {
                   for (std::size_t e = 0; e <= token; ++e)
                     if (value == code_of(t.code, e)) return true;
                   return false;
                 },
                 [&](const DirectionType&) { return squared(value) == Real(1); },
                 [](const NumberType&) { return false; }},
        p_.cells[cell].type);
    expect(fits, cell, "a value of its type");
  }
}

void Concretisation::check_typed(CellId cell, const AbstractValue& value) {
  const bool flag = std::holds_alternative<FlagType>(p_.cells[cell].type);
  for (std::size_t token = 0; token < cells_->tokens; ++token) {
    const std::vector<Real> own = row(token, cell);
    if (value.first_flag)
      expect(own[0] == Real(token == 0 ? 1 : -1), cell, "true at the first token only");
    if (value.from_input)
      for (std::uint32_t i = 0; i < own.size(); ++i)
        expect(own[i] == start_.at(token, {cell, i}), cell, "still what the input put there");
    if (value.certain)
      expect(flag ? own[0] == Real(*value.certain ? 1 : -1) : own[*value.certain] == Real(1), cell,
             "certain");
    if (value.rational) expect(rational_multiples(own), cell, "rational up to a factor");
    for (std::size_t i = 0; i < value.positive.size(); ++i)
      if (value.positive[i]) expect(own[i].sign() > 0, cell, "a positive component");
  }
}

// --- numbers -------------------------------------------------------------------------------------

void Concretisation::check_number(CellId cell, const AbstractValue& value) {
  if (value.given)
    for (std::size_t token = 0; token < cells_->tokens; ++token) {
      const std::vector<Real> own = row(token, cell);
      const bool position = *value.given == GivenCell::Holds::position;
      const Real expected =
          position ? Real(static_cast<std::int64_t>(token)) : cells_->at(0, {cell, 0});
      expect(own[0] == expected && own[1] == Real(1) && (position || own[0].sign() > 0), cell,
             "as it was given");
    }
  if (value.given || value.unknown) return;
  for (std::uint32_t i = 0; i < value.sums.size(); ++i) check_sum({cell, i}, value.sums[i]);
}

/// The component is the sum of the averages. One that is current is taken again; of what remains, a
/// single one must have its properties, and several what the properties of all imply.
void Concretisation::check_sum(const Component& c, const std::vector<Summand>& sum) {
  Values rest = values(c);
  std::vector<const Summand*> earlier;
  for (const Summand& s : sum) {
    if (!s.current) {
      earlier.push_back(&s);
      continue;
    }
    const Values now = taken_now(c, s);
    check_summand(c.cell, s, now);
    for (std::size_t token = 0; token < rest.size(); ++token)
      rest[token] = rest[token] - now[token];
  }
  if (earlier.empty()) {
    for (const Real& x : rest) expect(x.is_zero(), c.cell, "the sum of its averages");
  } else if (earlier.size() == 1) {
    check_summand(c.cell, *earlier.front(), rest);
  } else {
    Summand all = *earlier.front();
    all.under.clear();
    all.zero_where_first.reset();
    for (const Summand* s : earlier) {
      all.signs = both(all.signs, s->signs);
      all.rational = all.rational && s->rational && s->under.empty();
      all.common = all.common && s->common;
    }
    if (!all.signs.nonnegative) all.signs = {};
    check_summand(c.cell, all, rest);
  }
}

/// One number per token, of which `s` states properties.
void Concretisation::check_summand(CellId cell, const Summand& s, const Values& values) {
  for (std::size_t token = 0; token < values.size(); ++token) {
    const Real& x = values[token];
    if (s.signs.nonnegative) expect(x.sign() >= 0, cell, "an average of at least 0");
    if (token == 0 ? s.signs.positive_first : s.signs.positive_rest)
      expect(x.sign() > 0, cell, "a positive average");
    if (s.rational && s.under.empty()) expect(x.is_rational(), cell, "a rational average");
    if (s.zero_where_first && (token == 0) == *s.zero_where_first)
      expect(x.is_zero(), cell, "an average of zero behind a gate");
  }
  if (s.rational)
    expect(rational_multiples(values), cell, "averages that are rational up to one factor");
  if (s.common) expect(all_equal(values), cell, "an average common to all tokens");
  if (s.zero_where_first && !*s.zero_where_first) return;  // one token lets it through
  if (s.zero_where_first && values.size() > 1)
    expect(all_equal({values.begin() + 1, values.end()}), cell, "a common average behind a gate");
}

/// The average, taken of what the cells hold now.
Concretisation::Values Concretisation::taken_now(const Component& target, const Summand& s) const {
  const Statement again =
      FetchStatement{"again", s.causal, s.selector, s.under, {SumWrite{target, s.form}}};
  const Statement* const one = &again;
  CellStates after = *cells_;
  step(p_, std::span(&one, 1), after);
  Values average;
  for (std::size_t token = 0; token < after.tokens; ++token)
    average.push_back(after.at(token, target) - cells_->at(token, target));
  return average;
}

// --- what is read off ----------------------------------------------------------------------------

/// Signs of every component; the other questions for every cell and every two cells.
void Concretisation::check_read_off(const AbstractState& state) {
  std::vector<CellId> filled;
  for (CellId cell = 0; cell < state.size(); ++cell) {
    if (state[cell].kind == AbstractValue::Kind::blank) continue;
    filled.push_back(cell);
    for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i) {
      const Signs signs = numbers_.signs({cell, i}, state);
      for (std::size_t token = 0; token < cells_->tokens; ++token) {
        const int sign = cells_->at(token, {cell, i}).sign();
        if (signs.nonnegative) expect(sign >= 0, cell, "read off: at least 0");
        if (token == 0 ? signs.positive_first : signs.positive_rest)
          expect(sign > 0, cell, "read off: positive");
      }
    }
  }
  for (std::size_t a = 0; a < filled.size(); ++a) {
    check_group({filled[a]}, state);
    for (std::size_t b = a + 1; b < filled.size(); ++b) check_group({filled[a], filled[b]}, state);
  }
}

void Concretisation::check_group(const std::vector<CellId>& group, const AbstractState& state) {
  std::vector<Component> components;
  std::vector<Term> terms;
  for (const CellId cell : group)
    for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i) {
      components.push_back({cell, i});
      terms.push_back({{cell, i}, Rational(1)});
    }
  const bool nonzero = numbers_.nonzero(terms, state), common = numbers_.common(components, state),
             rational = numbers_.rational_ratio(terms, state);
  const auto position = numbers_.position_ratio(terms, state);
  if (!nonzero && !common && !rational && !position) return;
  Values norms;
  for (std::size_t token = 0; token < cells_->tokens; ++token) {
    std::vector<Real> vector;
    for (const Component& c : components) vector.push_back(cells_->at(token, c));
    norms.push_back(squared(vector));
    if (nonzero) expect(!norms.back().is_zero(), group.front(), "read off: not zero");
    if (rational)
      expect(rational_multiples(vector), group.front(), "read off: rational up to a factor");
    if (position)
      expect(
          vector[1].sign() > 0 && vector[0].scaled(*position) ==
                                      vector[1].scaled(Rational(static_cast<std::int64_t>(token))),
          group.front(), "read off: a multiple of (p, L)");
  }
  if (common) expect(all_equal(norms), group.front(), "read off: one norm at all tokens");
}

}  // namespace logdepth::support
