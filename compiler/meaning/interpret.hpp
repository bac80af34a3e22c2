#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "compiler/program/program.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace compiler_meaning {

/// The cells of every token at one moment of a program.
struct CellStates {
  std::size_t tokens = 0;
  std::vector<std::size_t> first;  ///< per cell: offset of its component 0 in a row
  std::size_t row_size = 0;
  std::vector<Real> values;  ///< tokens x row_size
  /// N of DirectionType::integers: the number of tokens, or the largest given natural number if
  /// that is larger.
  Rational size;

  Real& at(std::size_t token, const Component& c) {
    return values[token * row_size + first[c.cell] + c.index];
  }
  const Real& at(std::size_t token, const Component& c) const {
    return values[token * row_size + first[c.cell] + c.index];
  }
};

/// The program broke what one of its own statements says while it was interpreted: a pointer that
/// codes no visible position, a lookup without exactly one rule, a write to an occupied cell,
/// something to find that is not there.
class BrokenProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The code of a position, component by component.
std::vector<Real> code_of(PositionCode code, std::uint64_t position);

// The meaning of programs: slow, direct, without scores, matrices, masks or layers. Positions are
// found by what cells say, tables by looking rows up, directions by dividing by the norm.

/// The cells after embedding and position encoding. Errors: InputError for a token that the program
/// does not know, for given values that are not what the program says of its input, and for more
/// tokens than its table of positions has rows.
CellStates start_states(const Program& program, const Tokens& tokens);

/// Runs statements at all tokens at once: each reads `states` as it was, writes are added up.
/// One statement at a time is the meaning of a program; several at a time is a sublayer.
/// Errors: BrokenProgram.
void step(const Program& program, std::span<const Statement* const> statements, CellStates& states);

/// The cells after the last statement: every block, the repeated one as often as `unroll` says.
CellStates interpret(const Program& program, const Tokens& tokens);

/// Value of an output at one token.
Real output_value(const CellStates& states, const OutputRow& row, std::size_t token);

}}  // namespace logdepth::compiler_meaning
