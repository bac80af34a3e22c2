#include "compiler/rules/program_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/quoted_text.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth { inline namespace compiler_rules {
namespace {

/// What all rules of check_program ask of cells, and how they refuse. The rules are below in the order of
/// asking: of inputs, of fetches, of everything else.
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

class Partition {
 public:
  Partition(const Program& program, CellId assigned, bool otherwise)
      : p_(program), assigned_(assigned), otherwise_(otherwise) {}

  /// `rules`: those still compatible with the literals fixed so far.
  std::optional<std::string> check(const std::vector<const Rule*>& rules) {
    if (rules.empty() && otherwise_) return std::nullopt;
    if (rules.empty()) return "no rule assigns cell " + name(assigned_) + " when " + path();
    const auto split = most_shared_cell(rules);
    if (!split) {
      if (rules.size() == 1) return std::nullopt;
      return fmt::format("{} rules assign cell {} when {}", rules.size(), name(assigned_), path());
    }
    // Rules without a condition on the cell hold in every branch.
    std::map<std::uint32_t, std::vector<const Rule*>> branches;
    std::vector<const Rule*> everywhere;
    for (const Rule* rule : rules) {
      if (const auto value = condition(*rule, *split)) {
        branches[*value].push_back(rule);
      } else {
        everywhere.push_back(rule);
      }
    }
    for (std::uint32_t value = 0; value < values(*split); ++value) {
      std::vector<const Rule*> branch = std::move(branches[value]);
      branch.insert(branch.end(), everywhere.begin(), everywhere.end());
      fixed_.push_back({*split, value});
      if (auto violation = check(branch)) return violation;
      fixed_.pop_back();
    }
    return std::nullopt;
  }

 private:
  std::uint32_t values(CellId cell) const {
    const auto* onehot = std::get_if<OneHotType>(&p_.cells[cell].type);
    return onehot ? static_cast<std::uint32_t>(onehot->labels.size()) : 2;
  }
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }

  bool is_fixed(CellId cell) const {
    return std::any_of(fixed_.begin(), fixed_.end(),
                       [&](const Literal& literal) { return literal.cell == cell; });
  }
  static std::optional<std::uint32_t> condition(const Rule& rule, CellId cell) {
    for (const Literal& literal : rule.when)
      if (literal.cell == cell) return literal.value;
    return std::nullopt;
  }
  /// The unfixed cell most rules have a condition on; absent when no condition is left.
  std::optional<CellId> most_shared_cell(const std::vector<const Rule*>& rules) const {
    std::unordered_map<CellId, std::size_t> uses;
    for (const Rule* rule : rules)
      for (const Literal& literal : rule->when)
        if (!is_fixed(literal.cell)) ++uses[literal.cell];
    std::optional<CellId> best;
    for (const auto& [cell, count] : uses)
      if (!best || count > uses[*best] || (count == uses[*best] && cell < *best)) best = cell;
    return best;
  }
  std::string path() const {
    if (fixed_.empty()) return "nothing is required";
    std::string text;
    for (const Literal& literal : fixed_) {
      const auto* onehot = std::get_if<OneHotType>(&p_.cells[literal.cell].type);
      text += (text.empty() ? "" : ", ") + name(literal.cell) + "=" +
              (onehot          ? onehot->labels[literal.value]
               : literal.value ? "true"
                               : "false");
    }
    return text;
  }

  const Program& p_;
  CellId assigned_;
  bool otherwise_;  ///< gaps are filled
  std::vector<Literal> fixed_;
};

}  // namespace

std::optional<std::string> partition_violation(const Program& program,
                                               const LookupStatement& lookup) {
  std::map<CellId, std::vector<const Rule*>> assigning;
  for (const Rule& rule : lookup.rules)
    for (const Assignment& assignment : rule.then) assigning[assignment.cell].push_back(&rule);
  for (const auto& [cell, rules] : assigning)
    if (auto violation =
            Partition(program, cell, value_in(lookup.otherwise, cell).has_value()).check(rules))
      return violation;
  return std::nullopt;
}

namespace {

/// Alphabet, token kinds, given cells, position encoding, unrolling: each cell is filled once, in
/// a way that its type allows.
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

/// The selector gets the cells that its schema is proved for; the writes fit their targets.
class FetchRules : private RuleBase {
 public:
  FetchRules(const Program& program, const FetchStatement& fetch, const std::string& where)
      : RuleBase(program, where), s_(fetch) {}

  void check() {
    std::visit([&](const auto& selector) { check_selector(selector); }, s_.selector);
    refuse_repetition(s_.under);
    std::vector<CellId> overwritten;
    for (const HeadWrite& write : s_.writes) {
      if (const auto* copy = std::get_if<CopyWrite>(&write)) overwritten.push_back(copy->target);
      if (const auto* set = std::get_if<SetWrite>(&write)) overwritten.push_back(set->cell);
    }
    refuse_repetition(overwritten);
    for (const HeadWrite& write : s_.writes)
      std::visit([&](const auto& w) { check_write(w); }, write);
    check_under();
    if (s_.writes.empty())
      refuse(
          "the head writes nothing: expected a copy, add or set; in C++ and Python each of them "
          "returns a new head, which has to be used");
  }

 private:
  // --- selectors -----------------------------------------------------------------------------

  void expect_key(CellId cell) const {
    if (!holds<KeyType>(cell)) refuse("cell " + name(cell) + " is not a key");
  }
  void expect_constant(const char* selector) const {
    if (!constant_cell(p_))
      refuse(std::string("'") + selector + "' needs a constant cell, as in 'cell one constant'");
  }

  void check_selector(const SelectAll&) const {}

  void check_selector(const SelectPointed& x) const {
    if (!holds<PointerType>(x.pointer) && !holds<KeyType>(x.pointer))
      refuse("cell " + name(x.pointer) + " is not a pointer");
    expect_key(x.key);
    if (code(x.pointer) != code(x.key))
      refuse("cells " + name(x.pointer) + " and " + name(x.key) + " hold different codes");
    if (x.back && code(x.key)->kind != PositionCode::Kind::phi)
      refuse("'back' needs the phi code: other codes have no linear shift");
  }

  void check_selector(const SelectSame& x) const {
    for (const CellId cell : x.cells)
      if (!squared_norm(type(cell)) && s_.under.empty())
        refuse("cell " + name(cell) + " has no constant norm to match on");
  }

  void check_selector(const SelectRightmost& x) const {
    if (x.flags.empty() && !x.shared)
      refuse("'rightmost' needs a flag to look for, or a label with 'same'");
    if (x.shared) {
      const auto* own = std::get_if<OneHotType>(&type(x.shared->own));
      const auto* there = std::get_if<OneHotType>(&type(x.shared->there));
      if (!own || !there || own->labels != there->labels)
        refuse("cells " + name(x.shared->own) + " and " + name(x.shared->there) +
               " are not one-hot cells of the same labels, which 'same' compares");
    }
    std::vector<CellId> cells;
    for (const Literal& flag : x.flags) {
      expect_finite(flag.cell);
      cells.push_back(flag.cell);
    }
    refuse_repetition(cells);
    expect_key(x.key);
    if (code(x.key) == PositionCode::two_circle)
      refuse(
          "the two-circle code has no increasing component; 'rightmost' needs phi, circle or fine");
    expect_constant("rightmost");
  }

  void check_ratio(const Ratio& ratio) const {
    if (ratio.numerator.empty() && ratio.denominator.empty())
      refuse("numerator and denominator are both empty");
    for (const LinearForm* form : {&ratio.numerator, &ratio.denominator})
      for (const Term& term : *form)
        if (!squared_norm(type(term.component.cell)))
          refuse("cell " + name(term.component.cell) +
                 " is a number; a ratio is read from cells of constant norm");
  }

  void check_selector(const SelectNearest& x) const {
    check_ratio(x.target);
    if (x.target.denominator.empty()) refuse("'nearest' needs a positive denominator");
    expect_key(x.key);
    const PositionCode::Kind kind = code(x.key)->kind;
    if (kind != PositionCode::Kind::phi && kind != PositionCode::Kind::fine)
      refuse("cell " + name(x.key) + " is not a key of a phi or fine code, which 'nearest' needs");
  }

  void check_selector(const SelectFlagged& x) const {
    expect_finite(x.flag.cell);
    if (x.when) expect_finite(x.when->cell);
    expect_constant("flagged");
  }

  void check_selector(const SelectFound& x) const {
    if (x.terms.empty()) refuse("'find' needs a key to match");
    for (const FindTerm& term : x.terms) {
      check_ratio(term.wanted);
      if ((!code(term.key) && !holds<DirectionType>(term.key)) || size_of(type(term.key)) != 2)
        refuse("cell " + name(term.key) + " is not a direction or code of two components");
    }
    if (!x.prefer) return;
    expect_finite(x.prefer->flag.cell);
    const CellId margin = x.prefer->margin.component.cell;
    if (finite(margin) || holds<NumberType>(margin))
      refuse("the margin " + name(margin) +
             " is not a component of the constant, a direction or a code");
    if (x.prefer->margin.factor.sign() <= 0) refuse("the factor of the margin is not positive");
  }

  void check_selector(const SelectRelated& x) const {
    if (!holds<OneHotType>(x.label)) refuse("cell " + name(x.label) + " is not one-hot");
    if (x.flags.size() != size_of(type(x.label)))
      refuse(fmt::format("'related' needs one flag per label of {}, {} and not {}", name(x.label),
                         size_of(type(x.label)), x.flags.size()));
    refuse_repetition(x.flags);
    for (const CellId flag : x.flags)
      if (!holds<FlagType>(flag)) refuse("cell " + name(flag) + " is not a flag");
    expect_finite(x.prefer.cell);
    expect_constant("related");
  }

  // --- writes --------------------------------------------------------------------------------

  /// `same X` under X, which hands over the unit direction of X.
  bool reads_direction_of(CellId source) const {
    const auto* same = std::get_if<SelectSame>(&s_.selector);
    return same && s_.under == std::vector<CellId>{source} && same->cells == s_.under;
  }

  void check_write(const CopyWrite& copy) const {
    if (!s_.under.empty()) {
      if (!reads_direction_of(copy.source))
        refuse("a copy cannot be read under a joint norm, only 'same' the one cell under its own");
      const bool direction = holds<DirectionType>(copy.target) || is_phi_code(type(copy.target));
      if (!direction || size_of(type(copy.target)) != size_of(type(copy.source)))
        refuse("cell " + name(copy.target) + " cannot hold the direction of " + name(copy.source));
      return;
    }
    if (!squared_norm(type(copy.source)))
      refuse("cell " + name(copy.source) + " is a number; copy cells of constant norm");
    expect_fit(copy.target, copy.source);
  }

  void check_write(const SumWrite& sum) const {
    if (!holds<NumberType>(sum.target.cell))
      refuse("an average goes to a number cell and " + name(sum.target.cell) +
             " is not one: declare one, as in 'cell n number 1'");
    for (const Term& term : sum.form) {
      const CellId cell = term.component.cell;
      const bool grouped = std::find(s_.under.begin(), s_.under.end(), cell) != s_.under.end();
      if (!s_.under.empty() && !grouped)
        refuse("cell " + name(cell) + " is read but not listed after 'under'");
      if (s_.under.empty() && !squared_norm(type(cell)))
        refuse("cell " + name(cell) + " is a number and can only be read 'under' its norm");
    }
  }

  void check_write(const SetWrite& set) const {
    if (!selects_self(s_.selector))
      refuse("'set' overwrites, which needs the token itself: its own key as the pointer");
    expect_finite(set.cell);
    expect_constant("set");
  }

  void check_under() const {
    if (s_.under.empty() || std::holds_alternative<SelectAll>(s_.selector)) return;
    const auto* same = std::get_if<SelectSame>(&s_.selector);
    const auto cells = [](const std::vector<CellId>& list) {
      return std::set<CellId>(list.begin(), list.end());
    };
    if (!same || cells(same->cells) != cells(s_.under))
      refuse("'under' requires a uniform head, or 'same' over exactly its cells");
  }

  const FetchStatement& s_;
};

class Rules : private RuleBase {
 public:
  explicit Rules(const Program& program) : RuleBase(program, "") {}

  void check() {
    check_cells();
    InputRules(p_).check();
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

  void check_statement(const FetchStatement& s) { FetchRules(p_, s, where_).check(); }

  void check_conditions(const std::vector<Literal>& literals, const std::string& of) {
    std::set<CellId> conditions;
    for (const Literal& literal : literals) {
      expect_finite(literal.cell);
      if (!conditions.insert(literal.cell).second)
        refuse(of + " has two conditions on cell " + name(literal.cell));
    }
  }

  void check_statement(const LookupStatement& s) {
    if (s.rules.empty()) refuse("the lookup has no rules");
    for (const Rule& rule : s.rules) {
      check_conditions(rule.when, "a rule");
      std::set<CellId> targets;
      for (const Assignment& a : rule.then) {
        expect_finite(a.cell);
        if (!targets.insert(a.cell).second)
          refuse("a rule assigns cell " + name(a.cell) + " twice");
      }
    }
    std::set<CellId> others;
    for (const Assignment& a : s.otherwise) {
      if (!others.insert(a.cell).second) refuse("'else' assigns cell " + name(a.cell) + " twice");
      if (std::ranges::none_of(
              s.rules, [&](const Rule& rule) { return value_in(rule.then, a.cell).has_value(); }))
        refuse("'else' assigns cell " + name(a.cell) + ", which no rule assigns");
    }
    if (!constant_cell(p_)) {
      if (!s.otherwise.empty()) refuse("'else' needs a constant cell, as in 'cell one constant'");
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
    check_conditions(s.when, "a move");
    if (!s.when.empty() && !constant_cell(p_))
      refuse("a move with a condition needs a constant cell, as in 'cell one constant'");
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

}}  // namespace logdepth::compiler_rules
