#include "compiler/passes/norm_types.hpp"

#include <algorithm>
#include <set>

#include "compiler/passes/number_facts.hpp"
#include "compiler/rules/statement_cells.hpp"
#include "objects/overload.hpp"

namespace logdepth {
namespace {

class Typing {
 public:
  Typing(const Program& program, const Schedule& schedule)
      : p_(program), schedule_(schedule), facts_(program), one_(constant_cell(program)) {}

  MaskTypes run() {
    MaskTypes types;
    contents_ = initial_contents(p_);
    types.initial = run_block(Block::initial);
    if (!p_.repeated.empty()) types.repeated = run_loop();
    types.final = run_block(Block::final);
    block_ = Block::final;
    const auto read_at_the_end = [&](const std::string& reader, CellId cell) {
      if (contents_[cell].kind == CellContent::Kind::blank)
        refuse_block(reader + " reads cell " + name(cell) + ", which is zero at the end");
    };
    for (const OutputRow& row : p_.outputs)
      for (const Term& term : row.form) read_at_the_end("output " + row.name, term.component.cell);
    if (const auto* element = std::get_if<PrefixElement>(&p_.prefix))
      read_at_the_end("prefix", element->cell);
    if (const auto* points = std::get_if<PrefixPoints>(&p_.prefix))
      for (const PointReadout& point : points->points)
        if (point.cell) read_at_the_end("prefix", *point.cell);
    return types;
  }

 private:
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }
  static std::string describe(const CellContent& content) {
    return content.kind == CellContent::Kind::blank   ? "zero"
           : content.kind == CellContent::Kind::typed ? "a value of its type"
                                                      : "a number of unknown norm";
  }
  [[noreturn]] void refuse_block(const std::string& reason) const {
    throw ProgramRefused(block_name(block_) + " block: " + reason);
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw ProgramRefused(block_name(block_) + " block, layer " + std::to_string(layer_ + 1) + ", " +
                         (attention_ ? "attention" : "feed-forward") + ", " +
                         statement_name(p_, *statement_) + ": " + reason);
  }

  /// Types the repeated block from what holds when it is entered, from above or from its own end:
  /// whatever one pass does not keep is given up, until nothing changes.
  std::vector<LayerMasks> run_loop() {
    block_ = Block::repeated;
    for (CellId cell = 0; cell < p_.cells.size(); ++cell)
      if (p_.cells[cell].lifetime == Lifetime::scratch &&
          contents_[cell].kind != CellContent::Kind::blank)
        refuse_block("scratch cell " + name(cell) + " is not zero when the loop begins");
    CellContents entry = contents_;
    for (bool first = true;; first = false) {
      contents_ = entry;
      std::vector<LayerMasks> masks = run_block(Block::repeated);
      const CellContents assumed = entry;
      CellContents kept = entry;
      for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
        if (p_.cells[cell].lifetime == Lifetime::scratch &&
            contents_[cell].kind != CellContent::Kind::blank)
          refuse_block("scratch cell " + name(cell) + " is not zero at the end of the block");
        if (contents_[cell].kind != entry[cell].kind)
          refuse_block("cell " + name(cell) + " is " + describe(entry[cell]) +
                       " when the loop begins and " + describe(contents_[cell]) +
                       " when it ends: a second loop would read it differently");
        // What is added holds when the loop is entered from above; the next pass starts with it and
        // finds out whether it holds at its end.
        kept[cell] = first && add_vanishing(entry, cell) ? entry[cell]
                                                         : either(entry[cell], contents_[cell]);
      }
      if (kept == assumed) {
        contents_ = kept;
        return masks;
      }
      entry = std::move(kept);
    }
  }

  /// A loop may carry an average that nothing has added to a number before the first pass: where
  /// its form is 0 at every token when the loop is entered, it is there already. True if something
  /// was added.
  bool add_vanishing(CellContents& entry, CellId cell) const {
    const CellContent& end = contents_[cell];
    CellContent& begin = entry[cell];
    if (begin.kind != CellContent::Kind::number || begin.unknown || end.unknown || begin.given)
      return false;
    bool added = false;
    for (std::size_t i = 0; i < end.sums.size(); ++i)
      for (const Summand& s : end.sums[i]) {
        const auto known = [&](const Summand& t) { return same_average_of_same(s, t); };
        if (!s.current || !facts_.vanishes(s.form, entry) ||
            std::any_of(begin.sums[i].begin(), begin.sums[i].end(), known))
          continue;
        Summand zero = s;
        zero.signs = {true, false, false};
        begin.sums[i].push_back(std::move(zero));
        added = true;
      }
    return added;
  }

  std::vector<LayerMasks> run_block(Block block) {
    block_ = block;
    std::vector<LayerMasks> masks;
    for (layer_ = 0; layer_ < schedule_.block(block).size(); ++layer_) {
      const ScheduledLayer& layer = schedule_.block(block)[layer_];
      LayerMasks plan;
      attention_ = true;
      plan.attention = plan_mask(layer.attention, plan.reset);
      apply(layer.attention);
      attention_ = false;
      plan.feedforward = plan_mask(layer.feedforward, plan.overwritten);
      apply(layer.feedforward);
      masks.push_back(std::move(plan));
    }
    return masks;
  }

  // --- what a sublayer reads ------------------------------------------------------------------

  void need(std::set<CellId>& exact, CellId cell) const {
    if (contents_[cell].kind != CellContent::Kind::typed)
      refuse("cell " + name(cell) + " is " + describe(contents_[cell]) +
             " here, so the mask has no constant norm");
    exact.insert(cell);
  }
  void blank_target(CellId cell) const {
    if (contents_[cell].kind != CellContent::Kind::blank)
      refuse("cell " + name(cell) + " is " + describe(contents_[cell]) +
             " here; erase it before it is written again");
  }
  void overwrite(std::set<CellId>& exact, CellId cell, std::vector<CellId>& overwritten) const {
    if (contents_[cell].kind == CellContent::Kind::blank) return;
    need(exact, cell);
    overwritten.push_back(cell);
  }

  /// Adds the cells whose exact value the statement needs; blank targets are left out.
  void collect(const FetchStatement& s, std::set<CellId>& exact, std::vector<CellId>& overwritten) {
    for (const CellId cell : s.under)
      if (contents_[cell].kind == CellContent::Kind::blank)
        refuse("cell " + name(cell) + " is zero here and cannot be read under a norm");
    if (s.under.empty())
      for (const CellId cell : cells_selecting(p_, s.selector)) need(exact, cell);
    for (const HeadWrite& write : s.writes)
      std::visit(Overload{[&](const CopyWrite& w) {
                            if (s.under.empty()) need(exact, w.source);
                            blank_target(w.target);
                          },
                          [&](const SumWrite& w) {
                            if (s.under.empty())
                              for (const Term& term : w.form) need(exact, term.component.cell);
                          },
                          [&](const SetWrite& w) {
                            need(exact, *one_);
                            overwrite(exact, w.cell, overwritten);
                          }},
                 write);
  }
  void collect(const LookupStatement& s, std::set<CellId>& exact,
               std::vector<CellId>& overwritten) {
    for (const Rule& rule : s.rules)
      for (const Literal& literal : rule.when) need(exact, literal.cell);
    for (const CellId cell : cells_written(*statement_)) overwrite(exact, cell, overwritten);
    const auto reads = cells_read(p_, *statement_);
    if (one_ && std::binary_search(reads.begin(), reads.end(), *one_)) need(exact, *one_);
  }
  void collect(const MoveStatement& s, std::set<CellId>& exact, std::vector<CellId>& overwritten) {
    need(exact, s.source);
    overwrite(exact, s.target, overwritten);
  }
  void collect(const EraseStatement& s, std::set<CellId>& exact, std::vector<CellId>& overwritten) {
    for (const CellId cell : s.cells) {
      if (contents_[cell].kind == CellContent::Kind::blank)
        refuse("cell " + name(cell) + " is already zero");
      overwrite(exact, cell, overwritten);
    }
  }
  void collect(const NormaliseStatement& s, std::set<CellId>&, std::vector<CellId>&) {
    for (const CellId cell : s.targets) blank_target(cell);
  }
  void collect(const TestStatement& s, std::set<CellId>&, std::vector<CellId>&) {
    if (contents_[s.number.cell].kind != CellContent::Kind::number)
      refuse("cell " + name(s.number.cell) + " is " + describe(contents_[s.number.cell]) +
             " here and has no sign to test");
  }

  MaskPlan plan_mask(const SublayerStatements& statements, std::vector<CellId>& overwritten) {
    std::set<CellId> exact;
    std::vector<Term> group;
    for (const Statement* statement : statements) {
      statement_ = statement;
      std::visit([&](const auto& s) { collect(s, exact, overwritten); }, *statement);
      group = mask_group(p_, *statement);
    }
    MaskPlan plan;
    plan.contents = contents_;
    if (!group.empty()) {
      if (!exact.empty()) {
        // The schedule separates the two needs.
        refuse("cell " + name(*exact.begin()) + " would be read in the same mask as the group of " +
               name(group.front().component.cell));
      }
      std::vector<Component> components;
      for (const Term& t : group) components.push_back(t.component);
      plan.type = attention_ && facts_.common(components, contents_) ? MaskPlan::Type::common
                                                                     : MaskPlan::Type::direction;
      plan.components = std::move(group);
      return plan;
    }
    if (exact.empty()) return plan;
    plan.type = MaskPlan::Type::constant;
    Rational norm;
    bool constant = false;
    for (const CellId cell : exact) {
      if (one_ && cell == *one_) {
        constant = true;
        continue;
      }
      norm += *squared_norm(p_.cells[cell].type);
      for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
        plan.components.push_back({{cell, i}, Rational(1)});
    }
    complete_square(norm, constant, plan);
    return plan;
  }

  /// Perfect-square padding. With K the squared norm of the other cells, the constant cell gets a
  /// mask weight w with K + w^2 = S^2 rational: w = (K-1)/2, S = (K+1)/2 in general (then
  /// S^2 - w^2 = K), w = 1 for K = 0 and w = 3/4 for K = 1, where that would be zero or negative.
  void complete_square(const Rational& norm, bool constant, MaskPlan& plan) const {
    if (!constant) {
      if (const auto root = norm.square_root()) {
        plan.root = *root;
        return;
      }
      if (!one_)
        refuse("the mask has squared norm " + norm.text() +
               ", not a square; declare a constant cell to complete it");
    }
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

  // --- what a sublayer leaves -----------------------------------------------------------------

  void apply(const SublayerStatements& statements) {
    const CellContents before = contents_;
    std::set<CellId> written;
    for (const Statement* statement : statements) {
      statement_ = statement;
      std::visit([&](const auto& s) { apply_one(s, before); }, *statement);
      for (const CellId cell : cells_written(*statement)) written.insert(cell);
    }
    // Averages of what was overwritten can no longer be taken again, so not undone either.
    const auto rewritten = [&](CellId cell) { return written.contains(cell); };
    for (CellContent& content : contents_)
      for (auto& sum : content.sums)
        for (Summand& s : sum) {
          const auto selecting = cells_selecting(p_, s.selector);
          if (std::any_of(selecting.begin(), selecting.end(), rewritten) ||
              std::any_of(s.under.begin(), s.under.end(), rewritten) ||
              std::any_of(s.form.begin(), s.form.end(),
                          [&](const Term& t) { return rewritten(t.component.cell); }))
            s.current = false;
        }
  }

  static CellContent typed() {
    CellContent content;
    content.kind = CellContent::Kind::typed;
    return content;
  }

  void apply_one(const FetchStatement& s, const CellContents& before) {
    if (std::holds_alternative<SelectPointed>(s.selector) && !s.causal && !selects_self(s.selector))
      refuse("a pointer is proved to be visible under the causal mask only");
    // A zero query would select every position.
    if (!s.under.empty() && std::holds_alternative<SelectSame>(s.selector))
      check_nonzero(mask_group(p_, *statement_), s.under.front(), before);
    if (const auto* nearest = std::get_if<SelectNearest>(&s.selector))
      check_nearest(*nearest, before);
    if (const auto* found = std::get_if<SelectFound>(&s.selector); found && found->prefer) {
      const Component& margin = found->prefer->margin.component;
      if (!facts_.signs(margin, before).positive())
        refuse("the margin in cell " + name(margin.cell) + " is not proved to be positive");
    }
    for (const HeadWrite& write : s.writes)
      std::visit(Overload{[&](const CopyWrite& w) { apply_copy(s, w, before); },
                          [&](const SumWrite& w) { apply_sum(s, w, before); },
                          [&](const SetWrite& w) {
                            contents_[w.cell] = typed();
                            contents_[w.cell].certain = w.value;
                          }},
                 write);
  }

  /// The proof in head_schema.cpp asks for a rational target with a positive denominator.
  void check_nearest(const SelectNearest& s, const CellContents& before) const {
    const auto rational = [&](const LinearForm& form) {
      return std::all_of(form.begin(), form.end(), [&](const Term& t) {
        return t.component.cell == form.front().component.cell &&
               (before[t.component.cell].rational || phi_code(t.component.cell));
      });
    };
    const LinearForm& denominator = s.target.denominator;
    if (denominator.empty() || !rational(s.target.numerator) || !rational(denominator) ||
        (!s.target.numerator.empty() &&
         s.target.numerator.front().component.cell != denominator.front().component.cell))
      refuse("the target of 'nearest' is not proved to be a rational number");
    for (const Term& t : denominator)
      if (t.factor.sign() <= 0 || !(facts_.signs(t.component, before).positive() ||
                                    (phi_code(t.component.cell) && t.component.index == 1)))
        refuse("the denominator of the target of 'nearest' is not proved to be positive");
  }
  bool phi_code(CellId cell) const {
    const CellType& type = p_.cells[cell].type;
    if (const auto* key = std::get_if<KeyType>(&type)) return key->code == PositionCode::phi;
    const auto* pointer = std::get_if<PointerType>(&type);
    return pointer && pointer->code == PositionCode::phi;
  }

  void apply_copy(const FetchStatement& s, const CopyWrite& copy, const CellContents& before) {
    const CellType& target = p_.cells[copy.target].type;
    if (!s.under.empty()) {
      // The unit vector of the token's own group, which all selected positions share.
      contents_[copy.target] =
          direction_of(mask_group(p_, *statement_), copy.target, s.under.front(), before);
      return;
    }
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
                           std::holds_alternative<FlagType>(p_.cells[copy.source].type);
    if (!one_position && !shared && !preferred)
      refuse("cell " + name(copy.source) +
             " may differ between the selected positions; average it into a number cell");
    if (std::holds_alternative<KeyType>(target) && !selects_self(s.selector))
      refuse("cell " + name(copy.target) + " is a key: it cannot take another position's code");
    if (std::holds_alternative<PointerType>(target) && !s.causal)
      refuse("cell " + name(copy.target) +
             " is a pointer: without the causal mask it could point to the right");
    contents_[copy.target] = typed();
    contents_[copy.target].certain = before[copy.source].certain;
    contents_[copy.target].rational = before[copy.source].rational || phi_code(copy.source);
    contents_[copy.target].positive = before[copy.source].positive;
  }

  void apply_sum(const FetchStatement& s, const SumWrite& sum, const CellContents& before) {
    CellContent& target = contents_[sum.target.cell];
    if (target.kind == CellContent::Kind::blank) {
      target = CellContent{};
      target.kind = CellContent::Kind::number;
      target.sums.resize(size_of(p_.cells[sum.target.cell].type));
    }
    if (target.given) {  // the input's number is no longer alone
      target.given.reset();
      target.unknown = true;
    }
    if (target.unknown) return;
    facts_.add(target.sums[sum.target.index], facts_.average(s, sum.form, before), before);
    if (std::all_of(target.sums.begin(), target.sums.end(),
                    [](const auto& summands) { return summands.empty(); }))
      target = CellContent{};
  }

  void apply_one(const LookupStatement&, const CellContents&) {
    for (const CellId cell : cells_written(*statement_)) contents_[cell] = typed();
  }
  void apply_one(const MoveStatement& s, const CellContents& before) {
    contents_[s.target] = before[s.source];
    contents_[s.target].from_input = false;
  }
  void apply_one(const EraseStatement& s, const CellContents&) {
    for (const CellId cell : s.cells) contents_[cell] = CellContent{};
  }
  void apply_one(const NormaliseStatement& s, const CellContents& before) {
    for (const CellId target : s.targets)
      contents_[target] = direction_of(s.group, target, s.group.front().component.cell, before);
  }
  void apply_one(const TestStatement& s, const CellContents& before) {
    const bool zero = s.kind == TestStatement::Kind::zero;
    if (before[s.flag].kind != CellContent::Kind::typed ||
        before[s.flag].certain != (zero ? 1u : 0u))
      refuse("cell " + name(s.flag) + " is not proved to be " + (zero ? "true" : "false") +
             " at every token before the test");
    contents_[s.flag] = typed();
  }

  void check_nonzero(const std::vector<Term>& group, CellId witness,
                     const CellContents& before) const {
    if (!facts_.position_ratio(group, before) && !facts_.nonzero(group, before))
      refuse("cell " + name(witness) +
             " and its group are not proved to be non-zero at every token");
  }

  /// The content of a cell that takes the direction of a group.
  CellContent direction_of(const std::vector<Term>& group, CellId target, CellId witness,
                           const CellContents& before) const {
    const bool ratio = facts_.position_ratio(group, before);
    if (!std::holds_alternative<DirectionType>(p_.cells[target].type) && !ratio)
      refuse("cell " + name(target) +
             " holds a position code, and the group is not proved to be "
             "a positive multiple of (p, 1)");
    check_nonzero(group, witness, before);
    CellContent content = typed();
    content.rational = facts_.rational_ratio(group, before);
    for (const Term& t : group)
      content.positive.push_back(facts_.signs(t.component, before).positive());
    return content;
  }

  const Program& p_;
  const Schedule& schedule_;
  const NumberFacts facts_;
  std::optional<CellId> one_;
  CellContents contents_;
  Block block_ = Block::initial;
  std::size_t layer_ = 0;
  bool attention_ = true;
  const Statement* statement_ = nullptr;
};

}  // namespace

MaskTypes type_masks(const Program& program, const Schedule& schedule) {
  return Typing(program, schedule).run();
}

}  // namespace logdepth
