#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "compiler/rules/program_rules.hpp"
#include "compiler/rules/rule_base.hpp"

namespace logdepth::inline compiler_rules {
namespace {

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
    if (x.flags.empty()) refuse("'rightmost' needs a flag to look for");
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

}  // namespace

void check_fetch(const Program& program, const FetchStatement& fetch, const std::string& where) {
  FetchRules(program, fetch, where).check();
}

}  // namespace logdepth::inline compiler_rules
