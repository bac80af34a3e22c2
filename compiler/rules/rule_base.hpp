#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_rules {

/// What all rules of check_program (program_rules.hpp) ask of cells, and how they refuse. The rules
/// are in input_rules.cpp, fetch_rules.cpp and program_rules.cpp, in this order of asking.
class RuleBase {
 public:
  /// `where` stands before every reason: block and statement, or nothing.
  RuleBase(const Program& program, std::string where) : p_(program), where_(std::move(where)) {}

 protected:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw ProgramRefused(where_ + reason);
  }
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }
  const CellType& type(CellId cell) const { return p_.cells[cell].type; }
  template <class T>
  bool holds(CellId cell) const {
    return std::holds_alternative<T>(type(cell));
  }
  bool finite(CellId cell) const { return holds<FlagType>(cell) || holds<OneHotType>(cell); }
  void expect_finite(CellId cell) const {
    if (!finite(cell)) refuse("cell " + name(cell) + " is neither a flag nor one-hot");
  }
  std::optional<PositionCode> code(CellId cell) const { return held_code(type(cell)); }
  /// A value of `source` is a value of `target`: equal types, an own code read as a pointer, or a
  /// direction of integers where as large ones or any direction may stand.
  void expect_fit(CellId target, CellId source) const {
    if (type(target) == type(source)) return;
    if (holds<PointerType>(target) && holds<KeyType>(source) && code(target) == code(source))
      return;
    const auto* to = std::get_if<DirectionType>(&type(target));
    const auto* from = std::get_if<DirectionType>(&type(source));
    if (!to || !from || to->size != from->size)
      refuse("cells " + name(target) + " and " + name(source) + " have different types");
    if (to->integers && (!from->integers || *from->integers > *to->integers))
      refuse(fmt::format("cell {} declares integers up to {} N, cell {} {}", name(target),
                         *to->integers, name(source),
                         from->integers ? fmt::format("up to {} N", *from->integers) : "does not"));
  }

  /// One statement writes or reads each cell of a list once; twice would be added up.
  void refuse_repetition(const std::vector<CellId>& cells) const {
    for (auto cell = cells.begin(); cell != cells.end(); ++cell)
      for (auto before = cells.begin(); before != cell; ++before)
        if (*before == *cell) refuse("duplicate cell " + name(*cell));
  }

  const Program& p_;
  std::string where_;
};

/// Alphabet, token kinds, given cells, position encoding, unrolling: each cell is filled once, in
/// a way that its type allows.
void check_inputs(const Program& program);

/// The selector gets the cells that its schema is proved for; the writes fit their targets.
void check_fetch(const Program& program, const FetchStatement& fetch, const std::string& where);

}  // namespace logdepth::inline compiler_rules
