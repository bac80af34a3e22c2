#include "compiler/passes/proof_obligations.hpp"

#include <algorithm>
#include <span>

#include "base/overload.hpp"
#include "compiler/rules/statement_cells.hpp"

namespace logdepth::inline compiler_passes {
namespace {

/// What to do about a cell that is zero where it is read.
const std::string kFill = ": fill it before, by a statement or for all tokens from the beginning";

}  // namespace

std::string ProofObligations::describe(const AbstractValue& value) {
  return value.kind == AbstractValue::Kind::blank   ? "zero"
         : value.kind == AbstractValue::Kind::typed ? "a value of its type"
                                                    : "a number of unknown norm";
}

class ProofObligations::AtStatement {
 public:
  AtStatement(const Program& program, const NumberProperties& numbers, const Statement& statement,
              const AbstractState& before, const StatementPlace& place)
      : p_(program), numbers_(numbers), statement_(statement), before_(before), place_(place) {}

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
      check_nonzero(norm_group(p_, s), s.under.front());
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

 private:
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
    if (!s.under.empty()) return check_direction(norm_group(p_, s), copy.target, s.under.front());
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
      refuse("cell " + name(witness) +
             " and its group are not proved to be non-zero at every token");
  }

  const Program& p_;
  const NumberProperties& numbers_;
  const Statement& statement_;
  const AbstractState& before_;
  const StatementPlace& place_;
};

void ProofObligations::check_uses(const Statement& statement, const AbstractState& before,
                                  const StatementPlace& place) const {
  const AtStatement at(p_, numbers_, statement, before, place);
  for (const UsedCell& used : cell_uses(p_, statement)) at.check(used);
}

void ProofObligations::check_proofs(const Statement& statement, const AbstractState& before,
                                    const StatementPlace& place) const {
  const AtStatement at(p_, numbers_, statement, before, place);
  std::visit([&](const auto& s) { at.check(s); }, statement);
}

}  // namespace logdepth::inline compiler_passes
