#include "tests/support/token_ranges.hpp"

#include <algorithm>

#include "base/overload.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::support {
namespace {

/// Range of a component of a number cell: the averages that are added to it.
Range range_of_number(const Program& program, const Component& component) {
  Range total{0, 0};
  for (const Statement& statement : program.initial)
    if (const auto* fetch = std::get_if<FetchStatement>(&statement))
      for (const HeadWrite& write : fetch->writes) {
        const auto* sum = std::get_if<SumWrite>(&write);
        if (!sum || !(sum->target == component)) continue;
        for (const Term& term : sum->form) {
          const Range part =
              RangeBuilder::range_of(program.cells[term.component.cell].type, term.component.index);
          const Rational a = part.low * term.factor, b = part.high * term.factor;
          total.low += std::min(a, b);
          total.high += std::max(a, b);
        }
      }
  return total;
}

}  // namespace

void hold(TokenRanges& token, const Model& model, std::uint32_t at, const Range& range) {
  token[at] = range;
  if (model.norm == Norm::layernorm)
    token[at + model.width / 2] = {-range.high, -range.low, range.unbounded_above,
                                   range.unbounded_below};
}

/// Codes: circle(t) with t >= 0
/// has components (1-t^2)/(1+t^2), which is <= 0 from t = 1 on, and 2t/(1+t^2) >= 0; codes take
/// t = p+1, t/2^L in [1, 2) and L+1, all at least 1. (p, L)/sqrt(p^2+L^2) is >= 0, and so is fine,
/// circle at a >= 1 with its first component negated.
Range RangeBuilder::range_of(const CellType& type, std::uint32_t index) {
  const auto code = [&](PositionCode c) {
    const bool falls = c == PositionCode::circle || c == PositionCode::two_circle;
    return falls && index % 2 == 0 ? Range{-1, 0} : Range{0, 1};
  };
  return std::visit(Overload{[](const ConstantType&) {
                               return Range{1, 1};
                             },
                             [](const OneHotType&) {
                               return Range{0, 1};
                             },
                             [&](const KeyType& t) { return code(t.code); },
                             [&](const PointerType& t) { return code(t.code); },
                             [](const auto&) {
                               return Range{-1, 1};
                             }},
                    type);
}

std::vector<Range> RangeBuilder::cell(const Holding& holding, CellId cell) const {
  const CellType& type = p_.cells[cell].type;
  std::vector<Range> ranges(size_of(type));
  if (const auto found = holding.values.find(cell); found != holding.values.end()) {
    const bool flag = std::holds_alternative<FlagType>(type);
    const Rational number = flag && !found->second ? -1 : 1;
    ranges[flag ? 0 : found->second] = {number, number};
  } else if (const auto at = holding.positions.find(cell); at != holding.positions.end()) {
    const auto code = rational_code(held_code(type).value_or(PositionCode::circle), at->second);
    for (std::uint32_t i = 0; i < ranges.size(); ++i) ranges[i] = {code[i], code[i]};
  } else if (holding.filled.contains(cell) || std::holds_alternative<ConstantType>(type)) {
    for (std::uint32_t i = 0; i < ranges.size(); ++i)
      ranges[i] = std::holds_alternative<NumberType>(type) ? range_of_number(p_, {cell, i})
                                                           : range_of(type, i);
  }
  return ranges;
}

TokenRanges RangeBuilder::build(const Holding& holding) const {
  std::vector<std::vector<Range>> cells;
  for (CellId id = 0; id < p_.cells.size(); ++id) cells.push_back(cell(holding, id));
  return place(cells);
}

TokenRanges RangeBuilder::place(const std::vector<std::vector<Range>>& cells) const {
  TokenRanges ranges(model_.width);
  for (CellId id = 0; id < p_.cells.size(); ++id)
    for (std::uint32_t i = 0; i < cells[id].size(); ++i) {
      const std::uint32_t at = model_.cells.at(p_.cells[id].name).coordinates.at(i);
      hold(ranges, model_, at, cells[id][i]);
    }
  return ranges;
}

std::set<CellId> cells_named(const Program& program, const std::set<std::string>& names) {
  std::set<CellId> cells;
  for (const std::string& name : names)
    if (const auto cell = program.find(name)) cells.insert(*cell);
  return cells;
}

}  // namespace logdepth::support
