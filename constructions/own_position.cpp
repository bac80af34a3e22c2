#include "constructions/own_position.hpp"

#include <algorithm>

#include "runtime/file/hypotheses.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace constructions {

const char* positions_name(ScanPositions positions) {
  switch (positions) {
    case ScanPositions::two_circle:
      return kTwoCircle;
    case ScanPositions::circle:
      return kCircle;
    case ScanPositions::fine:
      return kFine;
    case ScanPositions::first_flag:
      break;
  }
  return kFirstFlag;
}

Option positions_option(const std::vector<ScanPositions>& possible) {
  ChoiceOption choice;
  for (const ScanPositions positions : possible)
    choice.words.emplace_back(positions_name(positions));
  choice.otherwise = choice.words.front();
  return {"positions", choice, "position encoding"};
}

ScanPositions positions_of(const Values& values) {
  return *std::ranges::find(kScanPositions, word_of(values, "positions"), positions_name);
}

OwnPosition declare_own_position(cells::Program& program, ScanPositions positions,
                                 std::uint32_t parameter) {
  const cells::Constant one = program.constant();
  if (positions == ScanPositions::first_flag) {
    program.hypothesis(clause(Assumption::first_flag));
    const cells::Flag first = program.flag("fst");
    const cells::Number ratio = program.number("a", 2);
    program.position(first);
    const PositionCode code = PositionCode::phi_over(parameter);
    return {code, one, first, ratio, program.key("I", code)};
  }
  const PositionCode code = positions == ScanPositions::circle ? PositionCode::circle
                            : positions == ScanPositions::fine ? PositionCode::fine(parameter)
                                                               : PositionCode::two_circle;
  program.hypothesis(clause(Assumption::position_encoding, positions_name(positions)));
  program.deviation(
      "a position encoding beyond the paper's minimal one replaces the initial layer");
  const cells::Key I = program.key("I", code);
  program.position(I);
  return {code, one, std::nullopt, std::nullopt, I};
}

cells::Statements own_position(const OwnPosition& position, const cells::CellList& pointers) {
  using namespace cells;
  if (!position.first) return {};
  const Form one = position.one, first = *position.first;
  const Number& a = *position.ratio;
  return {
      fetch("count").causal(uniform()).add(a[0], (one - first) / 2).add(a[1], (one + first) / 2),
      normalise(position.I, pointers).from(a[0], Fraction(position.code.parameter) * a[1])};
}

}}  // namespace logdepth::constructions
