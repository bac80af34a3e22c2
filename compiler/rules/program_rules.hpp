#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth { inline namespace compiler_rules {

/// The cells a statement reads, those it overwrites included (an overwrite reads the old value),
/// and the cells it writes. Sorted, without repetition. `constant` is the program's constant cell.
std::vector<CellId> cells_read(const Program& program, const Statement& statement);
std::vector<CellId> cells_written(const Statement& statement);
bool is_attention(const Statement& statement);
/// The point that a label names: a decimal number without leading zeros, below 2^20.
std::optional<std::uint32_t> point_number(const std::string& label);
/// The cell of ConstantType, if the program has one.
std::optional<CellId> constant_cell(const Program& program);
/// The cells that a selector's query and key read, the constant included. Sorted.
std::vector<CellId> cells_selecting(const Program& program, const Selector& selector);

/// What a sublayer's mask has to be for a statement: empty for "typed cells, exactly", else the
/// weighted group whose direction is read. Statements share a sublayer only if they agree.
std::vector<Term> mask_group(const Program& program, const Statement& statement);
/// The group of a fetch under the norm of these cells: their components.
std::vector<Term> norm_group(const Program& program, const std::vector<CellId>& under);

/// What a statement does with a cell, and so what the cell has to hold before it.
enum class CellUse {
  read,         ///< its value exactly, through a mask of constant norm
  overwritten,  ///< the old value is read and subtracted, unless the cell is blank
  erased,       ///< overwritten, and not blank
  filled,       ///< added to, so it has to be blank
  divided,      ///< read divided by the norm of a group, so not blank
  tested        ///< a number: its sign is read
};
struct UsedCell {
  CellId cell = 0;
  CellUse use = CellUse::read;
};
/// All uses of cells but for the group that a statement normalises, in the order in which they are
/// checked. A cell may have several.
std::vector<UsedCell> cell_uses(const Program& program, const Statement& statement);

/// A lookup is a function iff, for each assigned cell, the conditions of the rules that assign it
/// partition the value space of the condition cells: every combination of values satisfies exactly
/// one of them. Decided by splitting on a shared cell until one unconditional rule is left, so the
/// cost is near the number of rules when they form a decision tree. Returns the first combination
/// that no rule, or two rules, cover; absent when the lookup is a function.
std::optional<std::string> partition_violation(const Program& program,
                                               const LookupStatement& lookup);

/// What every program must obey before it is interpreted or compiled: names and types fit, each
/// selector gets the cells its schema is proved for, lookups are total and single-valued, permanent
/// cells are left alone by the loop, outputs are complete. Errors: ProgramRefused with the block,
/// the statement, the cell and the reason.
void check_program(const Program& program);

}}  // namespace logdepth::compiler_rules
