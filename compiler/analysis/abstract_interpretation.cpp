#include "compiler/analysis/abstract_interpretation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/overload.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth { inline namespace compiler_analysis {
namespace {

/// A linear form with its terms sorted, repetitions added up and zeros dropped.
LinearForm canonical_form(const LinearForm& form) {
  std::map<std::pair<CellId, std::uint32_t>, Rational> factors;
  for (const Term& t : form) factors[{t.component.cell, t.component.index}] += t.factor;
  LinearForm result;
  for (const auto& [at, factor] : factors)
    if (!factor.is_zero()) result.push_back({{at.first, at.second}, factor});
  return result;
}

/// The averages are of the same form over the same selection, if at different times.
bool same_average_of_same(const Summand& a, const Summand& b) {
  return a.selector == b.selector && a.causal == b.causal && a.under == b.under && a.form == b.form;
}

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

FormBounds::FormBounds(const Program& program) : p_(program) {
  std::vector<std::string> first, rest;
  std::visit(Overload{[&](const WordInput& word) {
                        rest = p_.alphabet;
                        if (word.end) {
                          rest.emplace_back(kEndToken);
                          always_.emplace_back(kEndToken);
                        }
                        first = rest;
                        if (word.begin) first = {kBeginToken};
                      },
                      [&](const CellsInput&) { first = rest = {""}; },
                      [&](const GraphInput& graph) {
                        if (graph.layout == GraphInput::Layout::rows) {
                          first = rest = {kVertexToken};
                          return;
                        }
                        // At least one vertex: the matrix has a first token, source and target
                        // follow.
                        first = {kEdgeToken, kNoEdgeToken};
                        rest = {kEdgeToken, kNoEdgeToken, kPadToken, kSourceToken, kTargetToken};
                        always_ = {kSourceToken, kTargetToken};
                        if (graph.padding == GraphInput::Padding::n3)
                          always_.emplace_back(kPadToken);
                      }},
             p_.input);
  for (const bool is_first : {true, false})
    for (const std::string& kind : is_first ? first : rest) {
      const auto found = p_.embedding.find(kind);
      classes_.push_back({kind, is_first, found == p_.embedding.end() ? nullptr : &found->second});
    }
}

// Each cell adds the interval of its part of the form, so the bound is sound for any dependence
// between cells.
FormBounds::Interval FormBounds::range(const LinearForm& form, const TokenClass& tokens,
                                       const AbstractState& state) const {
  std::map<CellId, std::vector<Rational>> factors;
  for (const Term& term : form) {
    auto& row = factors[term.component.cell];
    row.resize(size_of(p_.cells[term.component.cell].type));
    row[term.component.index] += term.factor;
  }
  Interval sum;
  const auto exactly = [&](const Rational& value) {
    sum.low += value;
    sum.high += value;
  };
  for (const auto& [cell, row] : factors) {
    const CellType& type = p_.cells[cell].type;
    const AbstractValue& known = state[cell];
    const bool flag = std::holds_alternative<FlagType>(type);
    const bool onehot = std::holds_alternative<OneHotType>(type);
    std::optional<std::uint32_t> certain = known.certain;
    if (known.first_flag) certain = tokens.first ? 1 : 0;
    if (!certain && known.from_input && tokens.fills)
      for (const TokenFill& fill : *tokens.fills)
        if (fill.cell == cell) certain = fill.value;
    if (std::holds_alternative<ConstantType>(type)) {
      exactly(row[0]);
    } else if (flag && certain) {
      exactly(*certain ? row[0] : -row[0]);
    } else if (onehot && certain) {
      exactly(row[*certain]);
    } else if (onehot) {
      sum.low += *std::min_element(row.begin(), row.end());
      sum.high += *std::max_element(row.begin(), row.end());
    } else {
      // A flag is +-1; any other cell has squared norm at most 2, so its components are below 2.
      for (const Rational& factor : row) {
        const Rational reach = flag ? factor.abs() : factor.abs() * Rational(2);
        sum.low -= reach;
        sum.high += reach;
      }
    }
  }
  return sum;
}

/// 1 where the literal holds; what it is elsewhere is below: -1 (a flag's sign), or 0 (a label).
FormBounds::Interval FormBounds::truth(const Literal& literal, const TokenClass& tokens,
                                       const AbstractState& state) const {
  if (std::holds_alternative<FlagType>(p_.cells[literal.cell].type))
    return range({{{literal.cell, 0}, Rational(literal.value ? 1 : -1)}}, tokens, state);
  return range({{{literal.cell, literal.value}, Rational(1)}}, tokens, state);
}

bool FormBounds::holds(const Literal& literal, const TokenClass& tokens,
                       const AbstractState& state) const {
  return truth(literal, tokens, state).low.is_one();
}

bool FormBounds::fails(const Literal& literal, const TokenClass& tokens,
                       const AbstractState& state) const {
  const bool flag = std::holds_alternative<FlagType>(p_.cells[literal.cell].type);
  return truth(literal, tokens, state).high == Rational(flag ? -1 : 0);
}

bool FormBounds::vanishes(const LinearForm& form, const AbstractState& state) const {
  return std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
    return range(form, tokens, state).is_zero();
  });
}

/// `holds` at every class of some kind that every input has.
template <class Predicate>
bool FormBounds::at_some_kind(const Predicate& holds) const {
  return std::any_of(always_.begin(), always_.end(), [&](const std::string& kind) {
    return std::all_of(classes_.begin(), classes_.end(), [&](const TokenClass& tokens) {
      return tokens.kind != kind || holds(tokens);
    });
  });
}

bool FormBounds::positive_somewhere(const LinearForm& form, const AbstractState& state) const {
  return at_some_kind(
      [&](const TokenClass& tokens) { return range(form, tokens, state).low.sign() > 0; });
}

bool FormBounds::holds_somewhere(const Literal& literal, const AbstractState& state) const {
  return at_some_kind([&](const TokenClass& tokens) { return holds(literal, tokens, state); });
}

namespace {

/// A loop may carry an average that nothing has added to a number before the first pass: where its
/// form is 0 at every token when the loop is entered, it is there already. Adds to the cell of
/// `entry` what its `end` has of this kind, a sum with the same value; true if something was added.
bool add_vanishing(const FormBounds& bounds, AbstractState& entry, CellId cell,
                   const AbstractValue& end) {
  AbstractValue& begin = entry[cell];
  if (begin.kind != AbstractValue::Kind::number || begin.unknown || end.unknown || begin.given)
    return false;
  bool added = false;
  for (std::size_t i = 0; i < end.sums.size(); ++i)
    for (const Summand& s : end.sums[i]) {
      const auto known = [&](const Summand& t) { return same_average_of_same(s, t); };
      if (!s.current || !bounds.vanishes(s.form, entry) ||
          std::any_of(begin.sums[i].begin(), begin.sums[i].end(), known))
        continue;
      Summand zero = s;
      zero.signs = {true, false, false};
      begin.sums[i].push_back(std::move(zero));
      added = true;
    }
  return added;
}

}  // namespace

AbstractState loop_invariant(const FormBounds& bounds, AbstractState entry,
                             const AbstractPass& pass) {
  for (bool first = true;; first = false) {
    const AbstractState end = pass(entry);
    const AbstractState assumed = entry;
    AbstractState kept = entry;
    for (CellId cell = 0; cell < entry.size(); ++cell)
      // What is added holds when the loop is entered from above; the next pass starts with it and
      // finds out whether it holds at its end.
      kept[cell] = first && add_vanishing(bounds, entry, cell, end[cell])
                       ? entry[cell]
                       : join(entry[cell], end[cell]);
    if (kept == assumed) return kept;
    entry = std::move(kept);
  }
}

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
  const std::vector<Term> group = norm_group(p_, s.under);
  const bool one_norm = common(group, state);
  s.rational = one_norm && rational_ratio(group, state);
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

bool NumberProperties::common(std::span<const Term> group, const AbstractState& state) const {
  std::vector<const Summand*> gated;
  for (const Term& term : group) {
    const Component& c = term.component;
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

AbstractState Transfer::after(std::span<const Statement* const> statements,
                              const AbstractState& before) const {
  AbstractState state = before;
  std::set<CellId> written;
  for (const Statement* statement : statements) {
    std::visit([&](const auto& s) { apply(s, before, state); }, *statement);
    for (const CellId cell : cells_written(*statement)) written.insert(cell);
  }
  forget_averages_of({written.begin(), written.end()}, state);
  return state;
}

// fetch. What attention writes is sound by the contract of the head (head_schema.cpp): the selected
// positions are the ones that the selector names.
//   copy  the value of one position, or of several that agree, so what is known of the source at
//         every token is known of it; not what ties a value to its own token (first, from input).
//   add   an average more: see `add`.
//   set   the written value, at every token.
void Transfer::apply(const FetchStatement& s, const AbstractState& before,
                     AbstractState& state) const {
  for (const HeadWrite& write : s.writes)
    std::visit(Overload{[&](const CopyWrite& w) { state[w.target] = copied(s, w.source, before); },
                        [&](const SumWrite& w) { add(s, w, before, state[w.target.cell]); },
                        [&](const SetWrite& w) {
                          state[w.cell] = AbstractValue::typed();
                          state[w.cell].certain = w.value;
                        }},
               write);
}

AbstractValue Transfer::copied(const FetchStatement& s, CellId source,
                               const AbstractState& before) const {
  // `same A under A`: all selected positions share the unit vector of the token's own group.
  if (!s.under.empty()) return direction_of(norm_group(p_, s.under), before);
  AbstractValue value = AbstractValue::typed();
  value.certain = before[source].certain;
  value.rational = before[source].rational || is_phi_code(p_.cells[source].type);
  value.positive = before[source].positive;
  return value;
}

/// The component is the sum of what it was and of the average; NumberProperties says what holds of
/// that. What the input gave has no summands, so with one more nothing is known.
void Transfer::add(const FetchStatement& s, const SumWrite& write, const AbstractState& before,
                   AbstractValue& target) const {
  if (target.kind == AbstractValue::Kind::blank)
    target = AbstractValue::empty_sum(size_of(p_.cells[write.target.cell].type));
  if (target.given) {
    target.given.reset();
    target.unknown = true;
  }
  if (target.unknown) return;
  numbers_.add(target.sums[write.target.index], numbers_.average(s, write.form, before), before);
  // A sum without summands is zero.
  if (std::all_of(target.sums.begin(), target.sums.end(),
                  [](const auto& summands) { return summands.empty(); }))
    target = AbstractValue{};
}

// lookup. Some rule assigns every target a value of its type; which one is not followed.
void Transfer::apply(const LookupStatement& s, const AbstractState&, AbstractState& state) const {
  for (const Rule& rule : s.rules)
    for (const Assignment& a : rule.then) state[a.cell] = AbstractValue::typed();
}

// move. Token by token the value of the source, which no longer is what the input put there; under
// conditions that of the source or what was there.
void Transfer::apply(const MoveStatement& s, const AbstractState& before,
                     AbstractState& state) const {
  state[s.target] = s.when.empty() ? before[s.source] : join(before[s.source], before[s.target]);
  state[s.target].from_input = false;
}

// erase. Zero.
void Transfer::apply(const EraseStatement& s, const AbstractState&, AbstractState& state) const {
  for (const CellId cell : s.cells) state[cell] = AbstractValue{};
}

// normalise. A group that is not zero (an obligation), divided by its norm.
void Transfer::apply(const NormaliseStatement& s, const AbstractState& before,
                     AbstractState& state) const {
  for (const CellId target : s.targets) state[target] = direction_of(s.group, before);
}

// test. The flag becomes true or false, token by token.
void Transfer::apply(const TestStatement& s, const AbstractState&, AbstractState& state) const {
  state[s.flag] = AbstractValue::typed();
}

/// Dividing by a norm and by factors > 0 keeps signs, and the ratios of components rational.
AbstractValue Transfer::direction_of(std::span<const Term> group,
                                     const AbstractState& before) const {
  AbstractValue value = AbstractValue::typed();
  value.rational = numbers_.rational_ratio(group, before);
  for (const Term& t : group)
    value.positive.push_back(numbers_.signs(t.component, before).positive());
  return value;
}

/// Averages of what was overwritten keep their value, but taken now they would be others: they can
/// no longer be undone.
void Transfer::forget_averages_of(const std::vector<CellId>& written, AbstractState& state) const {
  const auto rewritten = [&](CellId cell) {
    return std::binary_search(written.begin(), written.end(), cell);
  };
  for (AbstractValue& value : state)
    for (auto& sum : value.sums)
      for (Summand& s : sum) {
        const auto selecting = cells_selecting(p_, s.selector);
        if (std::any_of(selecting.begin(), selecting.end(), rewritten) ||
            std::any_of(s.under.begin(), s.under.end(), rewritten) ||
            std::any_of(s.form.begin(), s.form.end(),
                        [&](const Term& t) { return rewritten(t.component.cell); }))
          s.current = false;
      }
}

}}  // namespace logdepth::compiler_analysis
