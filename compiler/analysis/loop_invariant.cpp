#include "compiler/analysis/loop_invariant.hpp"

#include <algorithm>

namespace logdepth::inline compiler_analysis {
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

}  // namespace logdepth::inline compiler_analysis
