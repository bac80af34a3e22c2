#pragma once

#include <span>

#include "compiler/meaning/cell_states.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline compiler_meaning {

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

}  // namespace logdepth::inline compiler_meaning
