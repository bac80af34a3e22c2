#include <fmt/core.h>

#include <map>
#include <set>

#include "compiler/rules/rule_base.hpp"
#include "compiler/rules/statement_cells.hpp"

namespace logdepth::inline compiler_rules {
namespace {

class InputRules : private RuleBase {
 public:
  explicit InputRules(const Program& program) : RuleBase(program, "") {}

  void check() {
    check_kind();
    check_tokens();
    check_given();
    check_positions();
    check_table();
  }

 private:
  const GraphInput* graph() const { return std::get_if<GraphInput>(&p_.input); }
  const GraphInput* rows() const {
    return graph() && graph()->layout == GraphInput::Layout::rows ? graph() : nullptr;
  }
  bool words() const { return std::holds_alternative<WordInput>(p_.input); }

  void check_kind() const {
    if (!words() && !p_.alphabet.empty()) refuse("only words have an alphabet");
    if (graph() && graph()->size == 0u) refuse("a graph has at least one vertex");
    if (rows() && !graph()->size) refuse("the rows of a graph need its size");
    if (p_.relation && !rows()) refuse("a relation is read from the rows of a graph");
    if (words() && p_.unroll.kind == Unroll::Kind::ceil_log2_vertices)
      refuse("a word has letters, not vertices, to unroll by");
    if (graph() && p_.unroll.kind == Unroll::Kind::ceil_log2_letters)
      refuse("a graph has vertices, not letters, to unroll by");
    if (std::holds_alternative<CellsInput>(p_.input) && p_.unroll.kind != Unroll::Kind::fixed)
      refuse("raw cells have neither letters nor vertices to unroll by: expected 'unroll fixed'");
    if (p_.unroll.base < 2) refuse("the base of the logarithm to unroll by is at least 2");
  }

  bool plane(CellId cell) const {
    const auto* direction = std::get_if<DirectionType>(&type(cell));
    return direction && direction->size == 2;
  }

  void fill(CellId cell) {
    if (!filled_.insert(cell).second) refuse("cell " + name(cell) + " is filled twice");
    const auto* direction = std::get_if<DirectionType>(&type(cell));
    if (direction && direction->integers)
      refuse("cell " + name(cell) + " declares integers and is filled with any direction");
    if (holds<ConstantType>(cell)) refuse("the constant " + name(cell) + " is filled by itself");
  }

  void check_tokens() {
    std::set<std::string> kinds(p_.alphabet.begin(), p_.alphabet.end());
    if (kinds.size() != p_.alphabet.size()) refuse("duplicate letter in the alphabet");
    for (const std::string& kind : extra_kinds(p_.input))
      if (!kinds.insert(kind).second)
        refuse(kind + " is a letter and the " + (kind == kEndToken ? "end" : "beginning") +
               " token");
    std::map<CellId, std::size_t> count;
    for (const auto& [kind, fills] : p_.embedding) {
      if (!kinds.contains(kind))
        refuse("token " + kind + (words() ? " is not in the alphabet" : " is not in this input"));
      std::set<CellId> here;
      for (const TokenFill& fill : fills) {
        if (!finite(fill.cell))
          refuse("token " + kind + " fills cell " + name(fill.cell) +
                 ", which is neither a flag nor one-hot");
        if (!here.insert(fill.cell).second)
          refuse("token " + kind + " fills cell " + name(fill.cell) + " twice");
        ++count[fill.cell];
      }
    }
    for (const std::string& kind : kinds)
      if (!p_.embedding.contains(kind))
        refuse("token " + kind + " is not described: expected a line 'token " + kind + " ...'");
    for (const auto& [cell, times] : count) {
      if (times != kinds.size())
        refuse("cell " + name(cell) + " is filled for some tokens and not for others");
      fill(cell);
    }
  }

  void check_given() {
    if (!p_.given.empty() && !rows() && !std::holds_alternative<CellsInput>(p_.input))
      refuse("cells are given with raw cells and with the rows of a graph only");
    for (const GivenCell& given : p_.given) {
      fill(given.cell);
      if (given.holds == GivenCell::Holds::ratio) {
        if (!plane(given.cell))
          refuse("cell " + name(given.cell) + " is not a direction of two components, (x, 1)");
      } else if (given.holds == GivenCell::Holds::value) {
        if (holds<NumberType>(given.cell))
          refuse("cell " + name(given.cell) +
                 " is a number: expected 'position' or 'natural' after it");
      } else if (type(given.cell) != CellType(NumberType{2})) {
        refuse("cell " + name(given.cell) + " is not a number of two components, (value, 1)");
      }
    }
    if (!rows()) return;
    bool flags = p_.given.size() == *rows()->size;
    for (const GivenCell& given : p_.given)
      flags = flags && holds<FlagType>(given.cell) && given.holds == GivenCell::Holds::value;
    if (!flags)
      refuse(fmt::format("a row of the graph is {} given flags, one per vertex", *rows()->size));
  }

  void check_positions() {
    bool flags = false, parity = false;
    std::set<PositionCode> codes;
    for (const PositionFill& position : p_.position) {
      fill(position.cell);
      if (position.parity) {
        parity = true;
        if (!holds<FlagType>(position.cell) || position.back)
          refuse("cell " + name(position.cell) + " is no flag that is true where p is even");
        continue;
      }
      if (holds<FlagType>(position.cell)) {
        flags = true;
        if (position.back)
          refuse("flag " + name(position.cell) + " marks the first position, not 'back'");
        continue;
      }
      const auto c = code(position.cell);
      if (!c) refuse("cell " + name(position.cell) + " is neither a flag nor a position code");
      if (is_phi_code(type(position.cell)))
        refuse("cell " + name(position.cell) +
               " holds phi, which is irrational and cannot be a position encoding: take circle or "
               "fine, or "
               "normalise a group that is a multiple of (p, 1)");
      if (holds<KeyType>(position.cell) && position.back)
        refuse("key " + name(position.cell) + " is the token's own position, not 'back'");
      codes.insert(*c);
    }
    // The constant of raw cells comes with the position encoding, which codes leave no room for.
    if (!codes.empty() && std::holds_alternative<CellsInput>(p_.input) && constant_cell(p_))
      refuse("raw cells with a constant need the first-flag or a table of positions, not codes");
    if (codes.size() + (flags ? 1 : 0) > 1)
      refuse(
          "the position encoding is first-flag, circle, two-circle or fine, not several of them");
    if (parity && codes.empty())
      refuse("the parity of a position requires its code: fill a key or pointer as well");
  }

  void check_table() {
    if (p_.table.empty()) return;
    if (!p_.position.empty()) refuse("a table of positions is not allowed with 'position' lines");
    std::set<CellId> first;
    for (std::size_t row = 0; row < p_.table.size(); ++row) {
      const std::string position = fmt::format("position {}", row);
      std::set<CellId> here;
      for (const TableFill& entry : p_.table[row]) {
        const bool own = type(entry.cell) == CellType(KeyType{PositionCode::circle});
        if (!finite(entry.cell) && !plane(entry.cell) && !own)
          refuse("cell " + name(entry.cell) +
                 " is neither a flag nor one-hot nor a code of two components");
        if (own && entry.value != row)
          refuse(fmt::format("key {} is the token's own position, so {} in row {}",
                             name(entry.cell), row, row));
        if (!here.insert(entry.cell).second)
          refuse(position + " fills cell " + name(entry.cell) + " twice");
      }
      if (row == 0) first = here;
      if (here != first) refuse(position + " fills other cells than position 0");
    }
    for (const CellId cell : first) fill(cell);
  }

  std::set<CellId> filled_;
};

}  // namespace

void check_inputs(const Program& program) {
  InputRules(program).check();
}

}  // namespace logdepth::inline compiler_rules
