#include "constructions/own_position.hpp"

#include <string>

namespace logdepth {

const char* positions_name(ScanPositions positions) {
  return positions == ScanPositions::two_circle ? kTwoCircle
         : positions == ScanPositions::circle   ? kCircle
                                                : kFirstFlag;
}

OwnPosition declare_own_position(Program& program, ScanPositions positions) {
  OwnPosition position;
  const auto declare = [&](const char* name, CellType type) {
    program.cells.push_back({name, std::move(type), Lifetime::permanent});
    return static_cast<CellId>(program.cells.size() - 1);
  };
  position.one = declare("one", ConstantType{});
  if (positions == ScanPositions::first_flag) {
    position.code = PositionCode::phi;
    position.first = declare("fst", FlagType{});
    position.ratio = declare("a", NumberType{2});
    program.hypotheses.push_back("the position encoding only separates the first position");
  } else {
    const bool circle = positions == ScanPositions::circle;
    position.code = circle ? PositionCode::circle : PositionCode::two_circle;
    program.hypotheses.push_back(std::string("rational position encoding: ") +
                                 positions_name(positions));
    program.deviations.push_back(
        "a position encoding beyond the paper's minimal one buys the initial layer");
  }
  position.key = declare("I", KeyType{position.code});
  program.position.push_back({position.first.value_or(position.key), 0});
  return position;
}

void compute_own_position(Program& program, const OwnPosition& position,
                          const std::vector<CellId>& pointers) {
  // Position from the first-flag (MS25 Lemma A.6, k = 0): the causal averages of [not first] and
  // [first] are (p, 1)/(p+1); their direction is phi(p).
  const Rational half(1, 2);
  const Component one{position.one, 0}, first{*position.first, 0};
  const Component rest_share{position.ratio, 0}, first_share{position.ratio, 1};
  FetchStatement count;
  count.name = "count";
  count.selector = SelectAll{};
  count.writes = {SumWrite{rest_share, {{one, half}, {first, -half}}},
                  SumWrite{first_share, {{one, half}, {first, half}}}};
  program.initial.push_back(std::move(count));
  std::vector<CellId> targets = {position.key};
  targets.insert(targets.end(), pointers.begin(), pointers.end());
  program.initial.push_back(NormaliseStatement{
      std::move(targets), {{rest_share, Rational(1)}, {first_share, Rational(1)}}});
}

}  // namespace logdepth
