#include "compiler/program_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/lookup_partition.hpp"
#include "objects/overload.hpp"

namespace logdepth {
namespace {

class Rules {
 public:
  explicit Rules(const Program& program) : p_(program) {}

  void check() {
    check_cells();
    check_inputs();
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      for (const Statement& statement : p_.block(block)) {
        where_ = block_name(block) + " block, " + statement_name(p_, statement) + ": ";
        std::visit([&](const auto& s) { check_statement(s); }, statement);
        if (block == Block::repeated)
          for (const CellId cell : cells_written(statement))
            if (type_lifetime(cell) == Lifetime::permanent)
              refuse("cell " + name(cell) +
                     " is permanent and may not be written in the repeated block");
        for (const CellId cell : cells_written(statement))
          if (holds<ConstantType>(cell)) refuse("the constant " + name(cell) + " is written");
      }
    where_.clear();
    check_outputs();
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw ProgramRefused(where_ + reason);
  }
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }
  Lifetime type_lifetime(CellId cell) const { return p_.cells[cell].lifetime; }
  const CellType& type(CellId cell) const { return p_.cells[cell].type; }
  template <class T>
  bool holds(CellId cell) const {
    return std::holds_alternative<T>(type(cell));
  }
  bool finite(CellId cell) const { return holds<FlagType>(cell) || holds<OneHotType>(cell); }
  std::optional<PositionCode> code(CellId cell) const {
    if (const auto* key = std::get_if<KeyType>(&type(cell))) return key->code;
    if (const auto* pointer = std::get_if<PointerType>(&type(cell))) return pointer->code;
    return std::nullopt;
  }
  /// A value of `source` is a value of `target`: equal types, or an own code read as a pointer.
  bool fits(CellId target, CellId source) const {
    if (type(target) == type(source)) return true;
    return holds<PointerType>(target) && holds<KeyType>(source) && code(target) == code(source);
  }

  /// One statement writes or reads each cell of a list once; twice would be added up.
  void refuse_repetition(const std::vector<CellId>& cells) const {
    for (auto cell = cells.begin(); cell != cells.end(); ++cell)
      if (std::find(cells.begin(), cell, *cell) != cell)
        refuse("cell " + name(*cell) + " stands twice");
  }

  void check_cells() {
    std::set<std::string> names;
    std::size_t constants = 0;
    for (const Cell& cell : p_.cells) {
      if (!is_cell_name(cell.name)) refuse("'" + cell.name + "' is not a name for a cell");
      if (!names.insert(cell.name).second) refuse("cell " + cell.name + " is declared twice");
      if (!std::holds_alternative<ConstantType>(cell.type)) continue;
      if (cell.lifetime != Lifetime::permanent)
        refuse("the constant " + cell.name + " cannot be state or scratch");
      if (++constants > 1) refuse("cell " + cell.name + " is a second constant");
    }
  }

  void check_inputs() {
    const std::set<std::string> letters(p_.alphabet.begin(), p_.alphabet.end());
    if (letters.size() != p_.alphabet.size()) refuse("a letter stands twice in the alphabet");
    std::set<std::string> kinds = letters;
    if (p_.begin && !kinds.insert(kBeginToken).second)
      refuse(std::string(kBeginToken) + " is a letter and the beginning token");
    std::map<CellId, std::size_t> filled;
    for (const auto& [kind, fills] : p_.embedding) {
      if (!kinds.contains(kind)) refuse("token " + kind + " is not in the alphabet");
      std::set<CellId> here;
      for (const TokenFill& fill : fills) {
        if (!finite(fill.cell))
          refuse("token " + kind + " fills cell " + name(fill.cell) +
                 ", which is neither a flag nor one-hot");
        if (!here.insert(fill.cell).second)
          refuse("token " + kind + " fills cell " + name(fill.cell) + " twice");
        ++filled[fill.cell];
      }
    }
    for (const std::string& kind : kinds)
      if (!p_.embedding.contains(kind)) refuse("token " + kind + " is not described");
    for (const auto& [cell, count] : filled)
      if (count != kinds.size())
        refuse("cell " + name(cell) + " is filled for some tokens and not for others");
    bool flags = false;
    std::set<PositionCode> codes;
    std::set<CellId> placed;
    for (const PositionFill& fill : p_.position) {
      if (filled.contains(fill.cell) || !placed.insert(fill.cell).second)
        refuse("cell " + name(fill.cell) + " is filled twice");
      if (holds<FlagType>(fill.cell)) {
        flags = true;
        if (fill.back) refuse("flag " + name(fill.cell) + " marks the first position, not 'back'");
        continue;
      }
      const auto c = code(fill.cell);
      if (!c) refuse("cell " + name(fill.cell) + " is neither a flag nor a position code");
      if (*c == PositionCode::phi)
        refuse("cell " + name(fill.cell) +
               " holds phi, which is irrational and cannot be a position encoding");
      if (holds<KeyType>(fill.cell) && fill.back)
        refuse("key " + name(fill.cell) + " is the token's own position, not 'back'");
      codes.insert(*c);
    }
    if (codes.size() + (flags ? 1 : 0) > 1)
      refuse("the position encoding is first-flag, circle or two-circle, not several of them");
  }

  void check_statement(const FetchStatement& s) {
    std::visit(Overload{[](const SelectAll&) {},
                        [&](const SelectPointed& x) {
                          if (!holds<PointerType>(x.pointer) && !holds<KeyType>(x.pointer))
                            refuse("cell " + name(x.pointer) + " is not a pointer");
                          if (!holds<KeyType>(x.key))
                            refuse("cell " + name(x.key) + " is not a key");
                          if (code(x.pointer) != code(x.key))
                            refuse("cells " + name(x.pointer) + " and " + name(x.key) +
                                   " hold different codes");
                          if (x.back && code(x.key) != PositionCode::phi)
                            refuse("'back' needs the phi code: other codes have no linear shift");
                        },
                        [&](const SelectSame& x) {
                          for (const CellId cell : x.cells)
                            if (!squared_norm(type(cell)))
                              refuse("cell " + name(cell) + " has no constant norm to match on");
                        },
                        [&](const SelectRightmost& x) {
                          if (!finite(x.flag.cell))
                            refuse("cell " + name(x.flag.cell) + " is neither a flag nor one-hot");
                          if (!holds<KeyType>(x.key))
                            refuse("cell " + name(x.key) + " is not a key");
                          if (code(x.key) == PositionCode::two_circle)
                            refuse(
                                "the two-circle code has no increasing component; 'rightmost' "
                                "needs phi or circle");
                          if (!constant_cell(p_)) refuse("'rightmost' needs a constant cell");
                        }},
               s.selector);
    refuse_repetition(s.under);
    std::vector<CellId> copied;
    for (const HeadWrite& write : s.writes)
      if (const auto* copy = std::get_if<CopyWrite>(&write)) copied.push_back(copy->target);
    refuse_repetition(copied);
    for (const HeadWrite& write : s.writes) {
      if (const auto* copy = std::get_if<CopyWrite>(&write)) {
        if (!s.under.empty()) refuse("a copy cannot be read under a joint norm");
        if (!squared_norm(type(copy->source)))
          refuse("cell " + name(copy->source) + " is a number; copy cells of constant norm");
        if (!fits(copy->target, copy->source))
          refuse("cells " + name(copy->target) + " and " + name(copy->source) +
                 " have different types");
        continue;
      }
      const auto& sum = std::get<SumWrite>(write);
      if (!holds<NumberType>(sum.target.cell))
        refuse("an average goes to a number cell and " + name(sum.target.cell) + " is not one");
      for (const Term& term : sum.form) {
        const CellId cell = term.component.cell;
        const bool grouped = std::find(s.under.begin(), s.under.end(), cell) != s.under.end();
        if (!s.under.empty() && !grouped)
          refuse("cell " + name(cell) + " is read but not listed after 'under'");
        if (s.under.empty() && !squared_norm(type(cell)))
          refuse("cell " + name(cell) + " is a number and can only be read 'under' its norm");
      }
    }
    if (!s.under.empty() && !std::holds_alternative<SelectAll>(s.selector))
      refuse("'under' goes with a uniform head");
  }

  void check_statement(const LookupStatement& s) {
    if (s.rules.empty()) refuse("the lookup has no rules");
    for (const Rule& rule : s.rules) {
      std::set<CellId> conditions, targets;
      for (const Literal& literal : rule.when) {
        if (!finite(literal.cell))
          refuse("cell " + name(literal.cell) + " is neither a flag nor one-hot");
        if (!conditions.insert(literal.cell).second)
          refuse("a rule has two conditions on cell " + name(literal.cell));
      }
      for (const Assignment& a : rule.then) {
        if (!finite(a.cell)) refuse("cell " + name(a.cell) + " is neither a flag nor one-hot");
        if (!targets.insert(a.cell).second)
          refuse("a rule assigns cell " + name(a.cell) + " twice");
      }
    }
    if (!constant_cell(p_)) {
      for (const Rule& rule : s.rules)
        if (rule.when.size() != 1 || holds<FlagType>(rule.when[0].cell))
          refuse("a rule with several conditions or a flag needs a constant cell");
    }
    if (const auto gap = partition_violation(p_, s)) refuse(*gap);
  }

  void check_statement(const MoveStatement& s) {
    if (!squared_norm(type(s.source)))
      refuse("cell " + name(s.source) + " is a number; move cells of constant norm");
    if (!fits(s.target, s.source))
      refuse("cells " + name(s.target) + " and " + name(s.source) + " have different types");
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
    for (auto c = s.group.begin(); c != s.group.end(); ++c)
      if (std::find(s.group.begin(), c, *c) != c)
        refuse("cell " + name(c->cell) + " stands twice in the group with one component");
    for (const CellId target : s.targets) {
      if (finite(target) || holds<NumberType>(target) || holds<ConstantType>(target))
        refuse("cell " + name(target) + " cannot hold a direction");
      if (code(target) && code(target) != PositionCode::phi)
        refuse("cell " + name(target) + " holds a code that is not a direction");
      if (size_of(type(target)) != s.group.size())
        refuse("cell " + name(target) + " has another size than the group");
    }
  }

  void check_outputs() {
    std::set<std::string> names;
    for (const OutputRow& row : p_.outputs)
      if (!names.insert(row.name).second) refuse("output " + row.name + " stands twice");
    if (names.empty()) refuse("the program has no output");
    const bool decides = names.contains("accept") || names.contains("reject");
    if (decides && names != std::set<std::string>{"accept", "reject"})
      refuse("a program with output accept has exactly the outputs accept and reject");
    if (!std::holds_alternative<std::monostate>(p_.prefix) && !decides)
      refuse("prefixes are read from programs that accept and reject");
    if (const auto* element = std::get_if<PrefixElement>(&p_.prefix)) {
      if (!holds<OneHotType>(element->cell))
        refuse("prefix element: cell " + name(element->cell) + " is not one-hot");
      if (element->elements.size() != size_of(type(element->cell)))
        refuse("prefix element: expected one list of images per label of " + name(element->cell));
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

  const Program& p_;
  std::string where_;
};

}  // namespace

void check_program(const Program& program) {
  Rules(program).check();
}

}  // namespace logdepth
