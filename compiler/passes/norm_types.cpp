#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "compiler/passes/compile.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth { inline namespace compiler_passes {
namespace {

/// Where in a schedule a program is refused, and how the sentence begins.
struct StatementPlace {
  const Program& program;
  Block block = Block::initial;
  std::size_t layer = 0;
  bool attention = true;

  /// "initial block, layer 1, attention, fetch 'f': reason"
  [[noreturn]] void refuse(const Statement& statement, const std::string& reason) const {
    throw ProgramRefused(fmt::format("{} block, layer {}, {}, {}: {}", block_name(block), layer + 1,
                                     attention ? "attention" : "feed-forward",
                                     statement_name(program, statement), reason));
  }

  /// "initial block: reason"
  [[noreturn]] void refuse_block(const std::string& reason) const {
    throw ProgramRefused(block_name(block) + " block: " + reason);
  }
};

bool takes_away(const UsedCell& used, const AbstractState& before) {
  return (used.use == CellUse::overwritten || used.use == CellUse::erased) &&
         before[used.cell].kind != AbstractValue::Kind::blank;
}

/// The cells whose exact value the statements need; blank targets are left out.
std::set<CellId> cells_read_exactly(const Program& program, const SublayerStatements& statements,
                                    const AbstractState& before) {
  std::set<CellId> exact;
  for (const Statement* statement : statements)
    for (const UsedCell& used : cell_uses(program, *statement))
      if (used.use == CellUse::read || takes_away(used, before)) exact.insert(used.cell);
  return exact;
}

/// Perfect-square padding. With K the squared norm of the other cells, the constant cell gets a
/// mask weight w with K + w^2 = S^2 rational: w = (K-1)/2, S = (K+1)/2 in general (then
/// S^2 - w^2 = K), w = 1 for K = 0 and w = 3/4 for K = 1, where that would be zero or negative.
void complete_square(const Rational& norm, MaskPlan& plan) {
  if (norm.is_zero()) {
    plan.constant_weight = plan.root = 1;
  } else if (norm.is_one()) {
    plan.constant_weight = Rational(3, 4);
    plan.root = Rational(5, 4);
  } else {
    plan.constant_weight = (norm - Rational(1)) * Rational(1, 2);
    plan.root = (norm + Rational(1)) * Rational(1, 2);
  }
}

/// The cells whose old value a sublayer has to take away: overwritten or erased, and not blank.
std::vector<CellId> overwritten_cells(const Program& program, const SublayerStatements& statements,
                                      const AbstractState& before) {
  std::vector<CellId> overwritten;
  for (const Statement* statement : statements)
    for (const UsedCell& used : cell_uses(program, *statement))
      if (takes_away(used, before)) overwritten.push_back(used.cell);
  return overwritten;
}

/// The mask of a sublayer whose statements obey ProofObligations::check_uses. Errors:
/// ProgramRefused, if one mask cannot serve them all or its norm cannot be made a square.
MaskPlan plan_mask(const NumberProperties& numbers, const SublayerStatements& statements,
                   const AbstractState& before, const StatementPlace& place) {
  const Program& program = place.program;
  MaskPlan plan;
  plan.before = before;
  if (statements.empty()) return plan;
  const Statement& last = *statements.back();
  const std::set<CellId> exact = cells_read_exactly(program, statements, before);
  // The statements of a sublayer agree on the group.
  std::vector<Term> group = mask_group(program, last);
  if (!group.empty()) {
    // The schedule separates the two needs.
    if (!exact.empty())
      place.refuse(last, "cell " + program.cells[*exact.begin()].name +
                             " would be read in the same mask as the group of " +
                             program.cells[group.front().component.cell].name);
    plan.type = place.attention && numbers.common(group, before) ? MaskPlan::Type::common
                                                                 : MaskPlan::Type::direction;
    plan.components = std::move(group);
    return plan;
  }
  if (exact.empty()) return plan;
  plan.type = MaskPlan::Type::constant;
  const std::optional<CellId> one = constant_cell(program);
  Rational norm;
  for (const CellId cell : exact) {
    if (cell == one) continue;
    norm += *squared_norm(program.cells[cell].type);
    for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i)
      plan.components.push_back({{cell, i}, Rational(1)});
  }
  if (!one || !exact.contains(*one)) {
    if (const auto root = norm.square_root()) {
      plan.root = *root;
      return plan;
    }
    if (!one)
      place.refuse(
          last,
          "the mask has squared norm " + norm.text() +
              ", not a square; declare a constant cell to complete it, as in 'cell one constant'");
  }
  complete_square(norm, plan);
  return plan;
}

/// What to do about a cell that is zero where it is read.
const std::string kFill = ": fill it before, by a statement or for all tokens from the beginning";

/// "zero", "a value of its type", "a number of unknown norm".
std::string describe(const AbstractValue& value) {
  return value.kind == AbstractValue::Kind::blank   ? "zero"
         : value.kind == AbstractValue::Kind::typed ? "a value of its type"
                                                    : "a number of unknown norm";
}

/// What a statement demands of the cells before it. What the abstract state does not prove is
/// refused with block, layer, sublayer, statement, cell and reason (ProgramRefused), also where it
/// happens to hold for the inputs at hand.
class ProofObligations {
 public:
  ProofObligations(const Program& program, const NumberProperties& numbers,
                   const Statement& statement, const AbstractState& before,
                   const StatementPlace& place)
      : p_(program), numbers_(numbers), statement_(statement), before_(before), place_(place) {}

  /// Memory: every cell holds what its use needs (CellUse), so a mask can read it and nothing is
  /// silently added to an occupied cell.
  void check_uses() const {
    for (const UsedCell& used : cell_uses(p_, statement_)) check(used);
  }
  /// What the head's schema, a copy, a direction and a test take for granted.
  void check_proofs() const {
    std::visit([&](const auto& s) { check(s); }, statement_);
  }

 private:
  // --- memory ----------------------------------------------------------------------------------

  void check(const UsedCell& used) const {
    switch (used.use) {
      case CellUse::read:
        return check_typed(used.cell);
      case CellUse::erased:
        if (blank(used.cell)) refuse("cell " + name(used.cell) + " is already zero");
        return check_typed(used.cell);
      case CellUse::overwritten:
        if (!blank(used.cell)) check_typed(used.cell);
        return;
      case CellUse::filled:
        if (!blank(used.cell))
          refuse("cell " + holding(used.cell) + " here; erase it before it is written again");
        return;
      case CellUse::divided:
        if (blank(used.cell))
          refuse("cell " + name(used.cell) + " is zero here and cannot be read under a norm" +
                 kFill);
        return;
      case CellUse::tested:
        if (before_[used.cell].kind != AbstractValue::Kind::number)
          refuse("cell " + holding(used.cell) + " here and has no sign to test" +
                 (blank(used.cell) ? ": add to it in a fetch before" : ""));
        return;
    }
  }

  // --- proofs ----------------------------------------------------------------------------------

  void check(const FetchStatement& s) const {
    if (std::holds_alternative<SelectPointed>(s.selector) && !s.causal && !selects_self(s.selector))
      refuse("a pointer is proved to be visible under the causal mask only");
    // A zero query would select every position.
    if (!s.under.empty() && std::holds_alternative<SelectSame>(s.selector))
      check_nonzero(norm_group(p_, s.under), s.under.front());
    if (const auto* nearest = std::get_if<SelectNearest>(&s.selector)) check_nearest(*nearest);
    if (const auto* found = std::get_if<SelectFound>(&s.selector); found && found->prefer) {
      const Component& margin = found->prefer->margin.component;
      if (!numbers_.signs(margin, before_).positive())
        refuse("the margin in cell " + name(margin.cell) + " is not proved to be positive");
    }
    for (const HeadWrite& write : s.writes)
      if (const auto* copy = std::get_if<CopyWrite>(&write)) check_copy(s, *copy);
  }
  void check(const LookupStatement&) const {}
  void check(const MoveStatement&) const {}
  void check(const EraseStatement&) const {}
  void check(const NormaliseStatement& s) const {
    for (const CellId target : s.targets)
      check_direction(s.group, target, s.group.front().component.cell);
  }
  void check(const TestStatement& s) const {
    const bool zero = s.kind == TestStatement::Kind::zero;
    if (before_[s.flag].kind != AbstractValue::Kind::typed ||
        before_[s.flag].certain != (zero ? 1u : 0u))
      refuse("cell " + name(s.flag) + " is not proved to be " + (zero ? "true" : "false") +
             " at every token before the test: fill it so, with " + name(s.flag) +
             (zero ? "=true" : "=false") + " for each of them");
  }

  [[noreturn]] void refuse(const std::string& reason) const { place_.refuse(statement_, reason); }
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }
  const CellType& type(CellId cell) const { return p_.cells[cell].type; }
  bool blank(CellId cell) const { return before_[cell].kind == AbstractValue::Kind::blank; }
  /// A code of two components: rational up to a factor, the second one positive.
  bool plane_code(CellId cell) const { return held_code(type(cell)) && size_of(type(cell)) == 2; }
  std::string holding(CellId cell) const { return name(cell) + " is " + describe(before_[cell]); }

  void check_typed(CellId cell) const {
    if (before_[cell].kind != AbstractValue::Kind::typed)
      refuse("cell " + holding(cell) + " here, so the mask has no constant norm" +
             (blank(cell) ? kFill : ""));
  }

  /// The proof in head_schema.cpp asks for a rational target with a positive denominator.
  void check_nearest(const SelectNearest& s) const {
    const auto rational = [&](const LinearForm& form) {
      return std::all_of(form.begin(), form.end(), [&](const Term& t) {
        return t.component.cell == form.front().component.cell &&
               (before_[t.component.cell].rational || plane_code(t.component.cell));
      });
    };
    const LinearForm& denominator = s.target.denominator;
    if (denominator.empty() || !rational(s.target.numerator) || !rational(denominator) ||
        (!s.target.numerator.empty() &&
         s.target.numerator.front().component.cell != denominator.front().component.cell))
      refuse("the target of 'nearest' is not proved to be a rational number");
    for (const Term& t : denominator)
      if (t.factor.sign() <= 0 || !(numbers_.signs(t.component, before_).positive() ||
                                    (plane_code(t.component.cell) && t.component.index == 1)))
        refuse("the denominator of the target of 'nearest' is not proved to be positive");
  }

  void check_copy(const FetchStatement& s, const CopyWrite& copy) const {
    if (!s.under.empty())
      return check_direction(norm_group(p_, s.under), copy.target, s.under.front());
    const auto* same = std::get_if<SelectSame>(&s.selector);
    const auto* found = std::get_if<SelectFound>(&s.selector);
    const bool one_position = std::holds_alternative<SelectPointed>(s.selector) ||
                              std::holds_alternative<SelectRightmost>(s.selector) ||
                              std::holds_alternative<SelectNearest>(s.selector) ||
                              (found && found->one);
    const bool shared =
        same && std::find(same->cells.begin(), same->cells.end(), copy.source) != same->cells.end();
    const auto* related = std::get_if<SelectRelated>(&s.selector);
    const Literal* prefer = related                  ? &related->prefer
                            : found && found->prefer ? &found->prefer->flag
                                                     : nullptr;
    const bool preferred = prefer && prefer->cell == copy.source &&
                           std::holds_alternative<FlagType>(type(copy.source));
    if (!one_position && !shared && !preferred)
      refuse("cell " + name(copy.source) +
             " may differ between the selected positions; average it into a number cell, with add");
    if (std::holds_alternative<KeyType>(type(copy.target)) && !selects_self(s.selector))
      refuse("cell " + name(copy.target) + " is a key: it cannot take another position's code");
    if (std::holds_alternative<PointerType>(type(copy.target)) && !s.causal)
      refuse("cell " + name(copy.target) +
             " is a pointer: without the causal mask it could point to the right");
  }

  /// `target` takes the direction of a group; `witness` stands for the group in the sentence.
  void check_direction(std::span<const Term> group, CellId target, CellId witness) const {
    if (const auto code = held_code(type(target))) {
      const auto over = numbers_.position_ratio(group, before_);
      const Rational declared(code->parameter);
      if (!over)
        refuse("cell " + name(target) +
               " holds a position code, and the group is not proved to be "
               "a positive multiple of (p, 1)");
      if (*over != declared)
        refuse("cell " + name(target) + " holds the direction of (p, " + declared.text() +
               "), and the group is a multiple of (p, " + over->text() + ")");
    }
    check_nonzero(group, witness);
  }

  void check_nonzero(std::span<const Term> group, CellId witness) const {
    if (!numbers_.position_ratio(group, before_) && !numbers_.nonzero(group, before_))
      refuse(
          "cell " + name(witness) +
          " and its group are not proved to be non-zero at every token: add a component that is, "
          "such as a number to which a uniform head adds the constant cell");
  }

  const Program& p_;
  const NumberProperties& numbers_;
  const Statement& statement_;
  const AbstractState& before_;
  const StatementPlace& place_;
};

/// One sublayer after the other: what its statements owe is checked against the state before it
/// (ProofObligations), its mask is planned from that state (plan_mask), and the state after it is
/// the transfer of that state (compiler/analysis).
class NormTyping {
 public:
  NormTyping(const Program& program, const Schedule& schedule)
      : p_(program),
        schedule_(schedule),
        numbers_(program),
        transfer_(program, numbers_),
        state_(initial_state(program)),
        place_{program} {}

  MaskTypes run() {
    MaskTypes types;
    types.initial = run_block(Block::initial);
    if (!p_.repeated.empty()) types.repeated = run_loop();
    types.final = run_block(Block::final);
    check_readers_at_the_end();
    for (CellId cell = 0; cell < p_.cells.size(); ++cell)
      if (is_zero(state_[cell])) types.zero_at_end.push_back(cell);
    return types;
  }

 private:
  MaskPlan run_sublayer(const SublayerStatements& statements, std::vector<CellId>& overwritten) {
    for (const Statement* statement : statements)
      ProofObligations(p_, numbers_, *statement, state_, place_).check_uses();
    MaskPlan plan = plan_mask(numbers_, statements, state_, place_);
    overwritten = overwritten_cells(p_, statements, state_);
    for (const Statement* statement : statements)
      ProofObligations(p_, numbers_, *statement, state_, place_).check_proofs();
    state_ = transfer_.after(statements, state_);
    return plan;
  }

  std::vector<LayerMasks> run_block(Block block) {
    place_.block = block;
    std::vector<LayerMasks> masks;
    for (const ScheduledLayer& layer : schedule_.block(block)) {
      place_.layer = masks.size();
      LayerMasks plan;
      place_.attention = true;
      plan.attention = run_sublayer(layer.attention, plan.reset);
      place_.attention = false;
      plan.feedforward = run_sublayer(layer.feedforward, plan.overwritten);
      masks.push_back(std::move(plan));
    }
    return masks;
  }

  /// The masks of a pass that begins in the loop's invariant serve every pass.
  std::vector<LayerMasks> run_loop() {
    place_.block = Block::repeated;
    check_scratch("when the loop begins");
    std::vector<LayerMasks> masks;
    state_ = loop_invariant(numbers_.bounds(), state_, [&](const AbstractState& entry) {
      state_ = entry;
      masks = run_block(Block::repeated);
      for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
        check_scratch(cell, "at the end of the block: erase it");
        if (state_[cell].kind != entry[cell].kind)
          place_.refuse_block("cell " + p_.cells[cell].name + " is " + describe(entry[cell]) +
                              " when the loop begins and " + describe(state_[cell]) +
                              " when it ends: a second loop would read it differently");
      }
      return state_;
    });
    return masks;
  }
  void check_scratch(CellId cell, const std::string& when) const {
    if (p_.cells[cell].lifetime == Lifetime::scratch &&
        state_[cell].kind != AbstractValue::Kind::blank)
      place_.refuse_block("scratch cell " + p_.cells[cell].name + " is not zero " + when);
  }
  void check_scratch(const std::string& when) const {
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) check_scratch(cell, when);
  }

  /// Blank, or a number of which every part has been taken away again.
  static bool is_zero(const AbstractValue& value) {
    if (value.kind == AbstractValue::Kind::blank) return true;
    return value.kind == AbstractValue::Kind::number && !value.unknown && !value.given &&
           std::ranges::all_of(value.sums, [](const auto& sum) { return sum.empty(); });
  }

  void check_readers_at_the_end() const {
    const auto check = [&](const std::string& reader, CellId cell) {
      if (state_[cell].kind == AbstractValue::Kind::blank)
        place_.refuse_block(reader + " reads cell " + p_.cells[cell].name +
                            ", which is zero at the end: write it before, or leave it out");
    };
    for (const OutputRow& row : p_.outputs)
      for (const Term& term : row.form) check("output " + row.name, term.component.cell);
    if (const auto* element = std::get_if<PrefixElement>(&p_.prefix))
      check("prefix", element->cell);
    if (const auto* prefix = std::get_if<PrefixState>(&p_.prefix)) check("prefix", prefix->cell);
    if (const auto* points = std::get_if<PrefixPoints>(&p_.prefix))
      for (const PointReadout& point : points->points)
        if (point.cell) check("prefix", *point.cell);
  }

  const Program& p_;
  const Schedule& schedule_;
  const NumberProperties numbers_;
  const Transfer transfer_;
  AbstractState state_;
  StatementPlace place_;
};

}  // namespace

MaskTypes type_masks(const Program& program, const Schedule& schedule) {
  return NormTyping(program, schedule).run();
}

}}  // namespace logdepth::compiler_passes
