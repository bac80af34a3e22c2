#pragma once

#include "compiler/program/program.hpp"
#include "compiler/rules/statement_cells.hpp"

namespace logdepth::inline compiler_rules {

/// What every program must obey before it is interpreted or compiled: names and types fit, each
/// selector gets the cells its schema is proved for, lookups are total and single-valued, permanent
/// cells are left alone by the loop, outputs are complete. Errors: ProgramRefused with the block,
/// the statement, the cell and the reason.
void check_program(const Program& program);

}  // namespace logdepth::inline compiler_rules
