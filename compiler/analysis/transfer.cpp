#include "compiler/analysis/transfer.hpp"

#include <algorithm>
#include <set>

#include "base/overload.hpp"
#include "compiler/rules/statement_cells.hpp"

namespace logdepth::inline compiler_analysis {

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
  if (!s.under.empty()) return direction_of(norm_group(p_, s), before);
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

// move. Token by token the value of the source, which no longer is what the input put there.
void Transfer::apply(const MoveStatement& s, const AbstractState& before,
                     AbstractState& state) const {
  state[s.target] = before[s.source];
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

}  // namespace logdepth::inline compiler_analysis
