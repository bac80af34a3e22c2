#pragma once

#include "compiler/program.hpp"

namespace logdepth {

/// What every program must obey before it is interpreted or compiled: names and types fit, each
/// selector gets the cells its schema is proved for, lookups are total and single-valued, permanent
/// cells are left alone by the loop, outputs are complete. Errors: ProgramRefused with the block,
/// the statement, the cell and the reason.
void check_program(const Program& program);

/// The cells a statement reads, those it overwrites included (an overwrite reads the old value),
/// and the cells it writes. Sorted, without repetition. `constant` is the program's constant cell.
std::vector<CellId> cells_read(const Program& program, const Statement& statement);
std::vector<CellId> cells_written(const Statement& statement);
bool is_attention(const Statement& statement);
/// The point that a label names: a decimal number without leading zeros, below 2^20.
std::optional<std::uint32_t> point_number(const std::string& label);
/// The cell of ConstantType, if the program has one.
std::optional<CellId> constant_cell(const Program& program);

}  // namespace logdepth
