#include "compiler/rules/cell_content.hpp"

#include <algorithm>

namespace logdepth {
namespace {

using Kind = CellContent::Kind;

/// What is true of an average whether it was taken at the one time or at the other.
Summand either(const Summand& a, const Summand& b) {
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

}  // namespace

bool same_average_of_same(const Summand& a, const Summand& b) {
  return a.selector == b.selector && a.causal == b.causal && a.under == b.under && a.form == b.form;
}

CellContents initial_contents(const Program& program) {
  CellContents contents(program.cells.size());
  const auto fill = [&](CellId cell) {
    contents[cell].kind = Kind::typed;
    contents[cell].from_input = true;
  };
  for (CellId cell = 0; cell < program.cells.size(); ++cell)
    if (std::holds_alternative<ConstantType>(program.cells[cell].type)) fill(cell);
  for (const PositionFill& f : program.position) {
    fill(f.cell);
    contents[f.cell].first_flag = std::holds_alternative<FlagType>(program.cells[f.cell].type);
  }
  if (!program.table.empty())
    for (const TableFill& f : program.table.front()) {
      fill(f.cell);
      contents[f.cell].rational = true;  // circle codes
    }
  for (const GivenCell& given : program.given) {
    fill(given.cell);
    if (given.holds == GivenCell::Holds::value) continue;
    if (given.holds == GivenCell::Holds::ratio) {
      contents[given.cell].rational = true;
      contents[given.cell].positive = {false, true};
      continue;
    }
    contents[given.cell].kind = Kind::number;
    contents[given.cell].given = given.holds;
  }
  if (!program.embedding.empty())
    for (const TokenFill& f : program.embedding.begin()->second) {
      fill(f.cell);
      const auto fills_alike = [&](const auto& kind) {
        return std::find(kind.second.begin(), kind.second.end(), f) != kind.second.end();
      };
      if (std::all_of(program.embedding.begin(), program.embedding.end(), fills_alike))
        contents[f.cell].certain = f.value;
    }
  return contents;
}

CellContent either(const CellContent& a, const CellContent& b) {
  if (a == b) return a;
  CellContent result;
  result.kind = a.kind;
  result.first_flag = a.first_flag && b.first_flag;
  result.from_input = a.from_input && b.from_input;
  if (a.certain == b.certain) result.certain = a.certain;
  result.rational = a.rational && b.rational;
  if (a.positive.size() == b.positive.size())
    for (std::size_t i = 0; i < a.positive.size(); ++i)
      result.positive.push_back(a.positive[i] && b.positive[i]);
  if (a.given == b.given) result.given = a.given;
  if (a.kind != Kind::number) return result;
  result.unknown = a.unknown || b.unknown || a.sums.size() != b.sums.size();
  for (std::size_t i = 0; !result.unknown && i < a.sums.size(); ++i) {
    auto& joint = result.sums.emplace_back();
    for (const Summand& s : a.sums[i]) {
      const auto other = std::find_if(b.sums[i].begin(), b.sums[i].end(),
                                      [&](const Summand& t) { return same_average_of_same(s, t); });
      if (other != b.sums[i].end()) joint.push_back(either(s, *other));
    }
    result.unknown = joint.size() != a.sums[i].size() || joint.size() != b.sums[i].size();
  }
  if (result.unknown) result.sums.clear();
  return result;
}

}  // namespace logdepth
