#include "compiler/rules/program_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/quoted_text.hpp"
#include "compiler/rules/lookup_partition.hpp"
#include "compiler/rules/rule_base.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline compiler_rules {
namespace {

class Rules : private RuleBase {
 public:
  explicit Rules(const Program& program) : RuleBase(program, "") {}

  void check() {
    check_cells();
    check_inputs(p_);
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      for (const Statement& statement : p_.block(block)) {
        where_ = block_name(block) + " block, " + statement_name(p_, statement) + ": ";
        std::visit([&](const auto& s) { check_statement(s); }, statement);
        if (block == Block::repeated)
          for (const CellId cell : cells_written(statement))
            if (lifetime(cell) == Lifetime::permanent)
              refuse("cell " + name(cell) +
                     " is permanent and may not be written in the repeated block: declare it as "
                     "state, "
                     "or as scratch");
        for (const CellId cell : cells_written(statement))
          if (holds<ConstantType>(cell)) refuse("the constant " + name(cell) + " is written");
      }
    where_.clear();
    check_outputs();
  }

 private:
  Lifetime lifetime(CellId cell) const { return p_.cells[cell].lifetime; }

  void check_cells() {
    std::set<std::string> names;
    std::size_t constants = 0;
    for (const Cell& cell : p_.cells) {
      if (!is_cell_name(cell.name)) refuse(in_quotes(cell.name) + " is not a name for a cell");
      if (!names.insert(cell.name).second) refuse("cell " + cell.name + " is declared twice");
      const auto* direction = std::get_if<DirectionType>(&cell.type);
      if (direction && direction->integers == 0u)
        refuse("cell " + cell.name + " declares integers that are all 0, which have no direction");
      if (const auto held = held_code(cell.type); held && !held->is_valid())
        refuse(fmt::format("the code of cell {} has no parameter {}", cell.name, held->parameter));
      if (!std::holds_alternative<ConstantType>(cell.type)) continue;
      if (cell.lifetime != Lifetime::permanent)
        refuse("the constant " + cell.name + " cannot be state or scratch");
      if (++constants > 1) refuse("cell " + cell.name + " is a second constant");
    }
  }

  void check_statement(const FetchStatement& s) { check_fetch(p_, s, where_); }

  void check_statement(const LookupStatement& s) {
    if (s.rules.empty()) refuse("the lookup has no rules");
    for (const Rule& rule : s.rules) {
      std::set<CellId> conditions, targets;
      for (const Literal& literal : rule.when) {
        expect_finite(literal.cell);
        if (!conditions.insert(literal.cell).second)
          refuse("a rule has two conditions on cell " + name(literal.cell));
      }
      for (const Assignment& a : rule.then) {
        expect_finite(a.cell);
        if (!targets.insert(a.cell).second)
          refuse("a rule assigns cell " + name(a.cell) + " twice");
      }
    }
    if (!constant_cell(p_)) {
      for (const Rule& rule : s.rules)
        if (rule.when.size() != 1 || holds<FlagType>(rule.when[0].cell))
          refuse(
              "a rule with several conditions or a flag needs a constant cell, as in "
              "'cell one constant'");
    }
    if (const auto gap = partition_violation(p_, s)) refuse(*gap);
  }

  void check_statement(const MoveStatement& s) {
    if (!squared_norm(type(s.source)))
      refuse("cell " + name(s.source) + " is a number; move cells of constant norm");
    expect_fit(s.target, s.source);
    if (s.target == s.source) refuse("a cell is moved onto itself");
  }

  void check_statement(const EraseStatement& s) {
    refuse_repetition(s.cells);
    for (const CellId cell : s.cells)
      if (!squared_norm(type(cell)))
        refuse("cell " + name(cell) +
               " is a number: no mask reads it exactly, so it cannot be erased");
  }

  void check_statement(const NormaliseStatement& s) {
    if (s.group.empty()) refuse("the group is empty");
    refuse_repetition(s.targets);
    for (auto term = s.group.begin(); term != s.group.end(); ++term) {
      const Component& c = term->component;
      if (std::any_of(s.group.begin(), term, [&](const Term& t) { return t.component == c; }))
        refuse("duplicate component of cell " + name(c.cell) + " in the group");
      if (term->factor.sign() <= 0)
        refuse("cell " + name(c.cell) + " has a factor in the group that is not positive");
    }
    for (const CellId target : s.targets) {
      if (finite(target) || holds<NumberType>(target) || holds<ConstantType>(target))
        refuse("cell " + name(target) + " cannot hold a direction");
      if (code(target) && !is_phi_code(type(target)))
        refuse("cell " + name(target) + " holds a code that is not a direction");
      if (size_of(type(target)) != s.group.size())
        refuse("cell " + name(target) + " has another size than the group");
    }
  }

  void check_statement(const TestStatement& s) {
    if (!holds<FlagType>(s.flag)) refuse("cell " + name(s.flag) + " is not a flag");
    if (!holds<NumberType>(s.number.cell))
      refuse("cell " + name(s.number.cell) + " is not a number to test");
  }

  void check_relation() {
    const std::uint32_t size = *std::get<GraphInput>(p_.input).size;
    bool vertices = p_.outputs.size() == size;
    for (std::size_t j = 0; j < p_.outputs.size(); ++j)
      vertices = vertices && p_.outputs[j].name == std::to_string(j);
    if (!vertices)
      refuse(fmt::format("the outputs of a relation are the vertices 0 to {}, in order", size - 1));
  }

  void check_outputs() {
    std::set<std::string> names;
    for (const OutputRow& row : p_.outputs)
      if (!names.insert(row.name).second) refuse("duplicate output " + row.name);
    if (names.empty())
      refuse("the program has no output: expected outputs accept and reject, or others");
    if (p_.relation) check_relation();
    const bool decides = names.contains("accept") || names.contains("reject");
    if (decides && names != std::set<std::string>{"accept", "reject"})
      refuse(
          "a program with output accept has exactly the outputs accept and reject; one "
          "without terms is 0");
    if (!std::holds_alternative<std::monostate>(p_.prefix) && !decides)
      refuse("prefixes are read from programs that accept and reject");
    if (!std::holds_alternative<std::monostate>(p_.prefix) &&
        !std::holds_alternative<WordInput>(p_.input))
      refuse("prefixes are read from words");
    if (const auto* element = std::get_if<PrefixElement>(&p_.prefix)) {
      if (!holds<OneHotType>(element->cell))
        refuse("prefix element: cell " + name(element->cell) + " is not one-hot");
      if (element->elements.size() != size_of(type(element->cell)))
        refuse("prefix element: expected one list of images per label of " + name(element->cell));
    }
    if (const auto* prefix = std::get_if<PrefixState>(&p_.prefix)) {
      if (!holds<OneHotType>(prefix->cell))
        refuse("prefix state: cell " + name(prefix->cell) + " is not one-hot");
      if (prefix->states.size() != size_of(type(prefix->cell)))
        refuse("prefix state: expected the number of one state per label of " + name(prefix->cell));
      for (const std::uint32_t state : prefix->states)
        if (state > kMaxWidth)
          refuse(fmt::format("prefix state: expected states up to {}, found {}", kMaxWidth, state));
    }
    if (const auto* points = std::get_if<PrefixPoints>(&p_.prefix))
      for (const PointReadout& point : points->points) {
        if (!point.cell) continue;
        const auto* onehot = std::get_if<OneHotType>(&type(*point.cell));
        if (!onehot) refuse("prefix points: cell " + name(*point.cell) + " is not one-hot");
        for (const std::string& label : onehot->labels)
          if (!point_number(label))
            refuse("prefix points: label " + label + " of cell " + name(*point.cell) +
                   " is not the number of a point");
      }
  }
};

}  // namespace

void check_program(const Program& program) {
  Rules(program).check();
}

}  // namespace logdepth::inline compiler_rules
