#include "compiler/analysis/abstract_value.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace logdepth::inline compiler_analysis {
namespace {

/// What is true of an average whether it was taken at the one time or at the other.
Summand join(const Summand& a, const Summand& b) {
  Summand result = a;
  result.current = a.current && b.current;
  result.signs.nonnegative = a.signs.nonnegative && b.signs.nonnegative;
  result.signs.positive_first = a.signs.positive_first && b.signs.positive_first;
  result.signs.positive_rest = a.signs.positive_rest && b.signs.positive_rest;
  result.rational = a.rational && b.rational;
  result.common = a.common && b.common;
  if (a.zero_where_first != b.zero_where_first) result.zero_where_first.reset();
  return result;
}

/// One to one: the same average may have been taken twice, at different times. Absent where a
/// summand of one side is none of the other.
std::optional<std::vector<Summand>> join(const std::vector<Summand>& a, std::vector<Summand> b) {
  std::vector<Summand> joint;
  for (const Summand& s : a) {
    const auto other = std::find_if(b.begin(), b.end(),
                                    [&](const Summand& t) { return same_average_of_same(s, t); });
    if (other == b.end()) return std::nullopt;
    joint.push_back(join(s, *other));
    b.erase(other);
  }
  if (!b.empty()) return std::nullopt;
  return joint;
}

}  // namespace

AbstractValue AbstractValue::typed() {
  AbstractValue value;
  value.kind = Kind::typed;
  return value;
}

AbstractValue AbstractValue::empty_sum(std::uint32_t size) {
  AbstractValue value;
  value.kind = Kind::number;
  value.sums.resize(size);
  return value;
}

LinearForm canonical_form(const LinearForm& form) {
  std::map<std::pair<CellId, std::uint32_t>, Rational> factors;
  for (const Term& t : form) factors[{t.component.cell, t.component.index}] += t.factor;
  LinearForm result;
  for (const auto& [at, factor] : factors)
    if (!factor.is_zero()) result.push_back({{at.first, at.second}, factor});
  return result;
}

bool same_average_of_same(const Summand& a, const Summand& b) {
  return a.selector == b.selector && a.causal == b.causal && a.under == b.under && a.form == b.form;
}

AbstractState initial_state(const Program& program) {
  AbstractState state(program.cells.size());
  const auto fill = [&](CellId cell) {
    state[cell].kind = AbstractValue::Kind::typed;
    state[cell].from_input = true;
  };
  for (CellId cell = 0; cell < program.cells.size(); ++cell)
    if (std::holds_alternative<ConstantType>(program.cells[cell].type)) fill(cell);
  for (const PositionFill& f : program.position) {
    fill(f.cell);
    state[f.cell].first_flag =
        !f.parity && std::holds_alternative<FlagType>(program.cells[f.cell].type);
  }
  if (!program.table.empty())
    for (const TableFill& f : program.table.front()) {
      fill(f.cell);
      state[f.cell].rational = true;  // circle codes
    }
  for (const GivenCell& given : program.given) {
    fill(given.cell);
    if (given.holds == GivenCell::Holds::value) continue;
    if (given.holds == GivenCell::Holds::ratio) {
      state[given.cell].rational = true;
      state[given.cell].positive = {false, true};
      continue;
    }
    state[given.cell].kind = AbstractValue::Kind::number;
    state[given.cell].given = given.holds;
  }
  if (!program.embedding.empty())
    for (const TokenFill& f : program.embedding.begin()->second) {
      fill(f.cell);
      const auto fills_alike = [&](const auto& kind) {
        return std::find(kind.second.begin(), kind.second.end(), f) != kind.second.end();
      };
      if (std::all_of(program.embedding.begin(), program.embedding.end(), fills_alike))
        state[f.cell].certain = f.value;
    }
  return state;
}

AbstractValue join(const AbstractValue& a, const AbstractValue& b) {
  if (a == b) return a;
  AbstractValue result;
  result.kind = a.kind;
  result.first_flag = a.first_flag && b.first_flag;
  result.from_input = a.from_input && b.from_input;
  if (a.certain == b.certain) result.certain = a.certain;
  result.rational = a.rational && b.rational;
  if (a.positive.size() == b.positive.size())
    for (std::size_t i = 0; i < a.positive.size(); ++i)
      result.positive.push_back(a.positive[i] && b.positive[i]);
  if (a.given == b.given) result.given = a.given;
  if (a.kind != AbstractValue::Kind::number) return result;
  result.unknown = a.unknown || b.unknown || a.sums.size() != b.sums.size();
  for (std::size_t i = 0; !result.unknown && i < a.sums.size(); ++i) {
    const auto joint = join(a.sums[i], b.sums[i]);
    result.unknown = !joint;
    if (joint) result.sums.push_back(*joint);
  }
  if (result.unknown) result.sums.clear();
  return result;
}

}  // namespace logdepth::inline compiler_analysis
