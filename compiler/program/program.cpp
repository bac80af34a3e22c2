#include "compiler/program/program.hpp"

#include <algorithm>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"

namespace logdepth { inline namespace compiler_program {
namespace {

std::uint32_t code_size(PositionCode code) {
  return code == PositionCode::two_circle ? 4 : 2;
}
Rational code_norm(PositionCode code) {
  return Rational(code == PositionCode::two_circle ? 2 : 1);
}

}  // namespace

std::uint32_t PrefixState::count() const {
  return states.empty() ? 0 : *std::max_element(states.begin(), states.end()) + 1;
}

bool is_cell_name(const std::string& name) {
  constexpr std::string_view kDigitsAndDot = "0123456789.";
  constexpr std::string_view kAllowed =
      "0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  return name.find_first_not_of(kAllowed) == name.npos && !name.empty() &&
         kDigitsAndDot.find(name[0]) == kDigitsAndDot.npos && name != "under" && name != "from" &&
         name != "label";
}

std::uint32_t size_of(const CellType& type) {
  return std::visit(
      Overload{[](const ConstantType&) { return std::uint32_t{1}; },
               [](const FlagType&) { return std::uint32_t{1}; },
               [](const OneHotType& t) { return static_cast<std::uint32_t>(t.labels.size()); },
               [](const KeyType& t) { return code_size(t.code); },
               [](const PointerType& t) { return code_size(t.code); },
               [](const DirectionType& t) { return t.size; },
               [](const NumberType& t) { return t.size; }},
      type);
}

std::optional<PositionCode> held_code(const CellType& type) {
  if (const auto* key = std::get_if<KeyType>(&type)) return key->code;
  if (const auto* pointer = std::get_if<PointerType>(&type)) return pointer->code;
  return std::nullopt;
}

bool is_phi_code(const CellType& type) {
  const auto code = held_code(type);
  return code && code->kind == PositionCode::Kind::phi;
}

std::optional<Rational> squared_norm(const CellType& type) {
  return std::visit(Overload{[](const KeyType& t) { return std::optional(code_norm(t.code)); },
                             [](const PointerType& t) { return std::optional(code_norm(t.code)); },
                             [](const NumberType&) { return std::optional<Rational>(); },
                             [](const auto&) { return std::optional(Rational(1)); }},
                    type);
}

std::optional<std::uint32_t> value_in(const std::vector<Assignment>& assignments, CellId cell) {
  const auto found = std::ranges::find(assignments, cell, &Assignment::cell);
  return found == assignments.end() ? std::nullopt : std::optional(found->value);
}

bool selects_self(const Selector& selector) {
  const auto* pointed = std::get_if<SelectPointed>(&selector);
  return pointed && pointed->pointer == pointed->key && pointed->back == 0;
}

std::optional<CellId> Program::find(const std::string& cell) const {
  for (CellId id = 0; id < cells.size(); ++id)
    if (cells[id].name == cell) return id;
  return std::nullopt;
}

std::string block_name(Block block) {
  return block == Block::initial ? "initial" : block == Block::repeated ? "repeated" : "final";
}

std::string statement_name(const Program& program, const Statement& statement) {
  const auto list = [&](const std::vector<CellId>& ids) {
    std::string text;
    for (const CellId id : ids) {
      if (text.size() > 40) return text + " ...";
      text += " " + program.cells[id].name;
    }
    return text;
  };
  return std::visit(
      Overload{[](const FetchStatement& s) { return "fetch " + in_quotes(s.name); },
               [](const LookupStatement& s) { return "lookup " + in_quotes(s.name); },
               [&](const MoveStatement& s) {
                 return "move " + program.cells[s.target].name +
                        " := " + program.cells[s.source].name;
               },
               [&](const EraseStatement& s) { return "erase" + list(s.cells); },
               [&](const NormaliseStatement& s) { return "normalise" + list(s.targets); },
               [&](const TestStatement& s) { return "test " + program.cells[s.flag].name; }},
      statement);
}

}}  // namespace logdepth::compiler_program
