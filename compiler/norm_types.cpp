#include "compiler/norm_types.hpp"

#include <algorithm>
#include <set>

#include "compiler/program_rules.hpp"
#include "objects/overload.hpp"

namespace logdepth {
namespace {

using Contents = std::vector<CellContent>;
using Kind = CellContent::Kind;

CellContent typed() {
  CellContent content;
  content.kind = Kind::typed;
  return content;
}

/// What the embedding and the position encoding leave in the cells.
Contents initial_contents(const Program& program) {
  Contents contents(program.cells.size());
  for (CellId cell = 0; cell < program.cells.size(); ++cell)
    if (std::holds_alternative<ConstantType>(program.cells[cell].type)) contents[cell] = typed();
  for (const PositionFill& fill : program.position) {
    contents[fill.cell] = typed();
    contents[fill.cell].first_flag =
        std::holds_alternative<FlagType>(program.cells[fill.cell].type);
  }
  if (!program.embedding.empty())
    for (const TokenFill& fill : program.embedding.begin()->second) contents[fill.cell] = typed();
  return contents;
}

/// The least value a linear form of typed cells can take: flags are +-1, a one-hot cell picks one
/// of its components, and everything else is a component of a vector of squared norm at most 2.
Rational least_value(const Program& program, const LinearForm& form) {
  std::map<CellId, std::vector<Rational>> factors;
  for (const Term& term : form) {
    auto& row = factors[term.component.cell];
    row.resize(size_of(program.cells[term.component.cell].type));
    row[term.component.index] += term.factor;
  }
  Rational least;
  for (const auto& [cell, row] : factors) {
    const CellType& type = program.cells[cell].type;
    if (std::holds_alternative<ConstantType>(type)) {
      least += row[0];
    } else if (std::holds_alternative<OneHotType>(type)) {
      least += *std::min_element(row.begin(), row.end());
    } else {
      for (const Rational& factor : row) least -= factor.abs() * Rational(2);
      if (std::holds_alternative<FlagType>(type)) least += row[0].abs();
    }
  }
  return least;
}

class Typing {
 public:
  Typing(const Program& program, const Schedule& schedule)
      : p_(program), schedule_(schedule), one_(constant_cell(program)) {}

  MaskTypes run() {
    MaskTypes types;
    contents_ = initial_contents(p_);
    types.initial = run_block(Block::initial);
    const Contents entry = contents_;
    if (!p_.repeated.empty()) {
      block_ = Block::repeated;
      for (CellId cell = 0; cell < p_.cells.size(); ++cell)
        if (p_.cells[cell].lifetime == Lifetime::scratch && entry[cell].kind != Kind::blank)
          refuse_block("scratch cell " + name(cell) + " is not zero when the loop begins");
      types.repeated = run_block(Block::repeated);
      for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
        if (p_.cells[cell].lifetime == Lifetime::scratch && contents_[cell].kind != Kind::blank)
          refuse_block("scratch cell " + name(cell) + " is not zero at the end of the block");
        if (!(contents_[cell] == entry[cell]))
          refuse_block(
              "cell " + name(cell) + " is " + describe(entry[cell]) + " when the loop begins and " +
              describe(contents_[cell]) + " when it ends" +
              (entry[cell].kind == contents_[cell].kind
                   ? ", but what is proved about it at the beginning (first flag, position "
                     "ratio, sign, same at all tokens) is not proved at the end"
                   : ": a second loop would read it differently"));
      }
    }
    types.final = run_block(Block::final);
    block_ = Block::final;
    const auto read_at_the_end = [&](const std::string& reader, CellId cell) {
      if (contents_[cell].kind == Kind::blank)
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
    return content.kind == Kind::blank   ? "zero"
           : content.kind == Kind::typed ? "a value of its type"
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

  std::vector<LayerMasks> run_block(Block block) {
    block_ = block;
    std::vector<LayerMasks> masks;
    for (layer_ = 0; layer_ < schedule_.block(block).size(); ++layer_) {
      const ScheduledLayer& layer = schedule_.block(block)[layer_];
      LayerMasks plan;
      attention_ = true;
      plan.attention = plan_mask(layer.attention, plan.overwritten);
      apply(layer.attention);
      attention_ = false;
      plan.feedforward = plan_mask(layer.feedforward, plan.overwritten);
      apply(layer.feedforward);
      masks.push_back(std::move(plan));
    }
    return masks;
  }

  /// Cells whose value the statement needs, blank targets of overwrites left out.
  void collect(const Statement& statement, std::set<CellId>& exact, std::set<CellId>& group,
               std::vector<CellId>& overwritten) {
    statement_ = &statement;
    const auto need = [&](CellId cell) {
      if (contents_[cell].kind != Kind::typed)
        refuse("cell " + name(cell) + " is " + describe(contents_[cell]) +
               " here, so the mask has no constant norm");
      exact.insert(cell);
    };
    const auto blank_target = [&](CellId cell) {
      if (contents_[cell].kind != Kind::blank)
        refuse("cell " + name(cell) + " is " + describe(contents_[cell]) +
               " here; erase it before it is written again");
    };
    const auto overwrite = [&](CellId cell) {
      if (contents_[cell].kind == Kind::blank) return;
      need(cell);
      overwritten.push_back(cell);
    };
    std::visit(Overload{[&](const FetchStatement& s) {
                          std::visit(Overload{[](const SelectAll&) {},
                                              [&](const SelectPointed& x) {
                                                need(x.pointer);
                                                need(x.key);
                                              },
                                              [&](const SelectSame& x) {
                                                for (const CellId cell : x.cells) need(cell);
                                              },
                                              [&](const SelectRightmost& x) {
                                                need(x.flag.cell);
                                                need(x.key);
                                                need(*one_);
                                              }},
                                     s.selector);
                          for (const CellId cell : s.under) {
                            if (contents_[cell].kind == Kind::blank)
                              refuse("cell " + name(cell) +
                                     " is zero here and cannot be read under a norm");
                            group.insert(cell);
                          }
                          for (const HeadWrite& write : s.writes) {
                            if (const auto* copy = std::get_if<CopyWrite>(&write)) {
                              need(copy->source);
                              blank_target(copy->target);
                            } else if (s.under.empty()) {
                              for (const Term& term : std::get<SumWrite>(write).form)
                                need(term.component.cell);
                            }
                          }
                        },
                        [&](const LookupStatement& s) {
                          for (const Rule& rule : s.rules)
                            for (const Literal& literal : rule.when) need(literal.cell);
                          for (const CellId cell : cells_written(statement)) overwrite(cell);
                          const auto reads = cells_read(p_, statement);
                          if (one_ && std::binary_search(reads.begin(), reads.end(), *one_))
                            need(*one_);
                        },
                        [&](const MoveStatement& s) {
                          need(s.source);
                          overwrite(s.target);
                        },
                        [&](const EraseStatement& s) {
                          for (const CellId cell : s.cells) {
                            if (contents_[cell].kind == Kind::blank)
                              refuse("cell " + name(cell) + " is already zero");
                            overwrite(cell);
                          }
                        },
                        [&](const NormaliseStatement& s) {
                          for (const CellId cell : s.targets) blank_target(cell);
                          for (const Component& c : s.group) group.insert(c.cell);
                        }},
               statement);
  }

  MaskPlan plan_mask(const SublayerStatements& statements, std::vector<CellId>& overwritten) {
    std::set<CellId> exact, group;
    for (const Statement* statement : statements) collect(*statement, exact, group, overwritten);
    MaskPlan plan;
    if (!group.empty()) {
      if (!exact.empty()) {
        // The schedule separates the two needs, except for selectors that read typed cells.
        refuse("cell " + name(*exact.begin()) + " would be read in the same mask as the group of " +
               name(*group.begin()));
      }
      plan.type = MaskPlan::Type::direction;
      if (attention_ && std::all_of(group.begin(), group.end(),
                                    [&](CellId cell) { return contents_[cell].common; }))
        plan.type = MaskPlan::Type::common;
      if (const auto* normalise = std::get_if<NormaliseStatement>(statements.front())) {
        plan.components = normalise->group;
      } else {
        for (const CellId cell : std::get<FetchStatement>(*statements.front()).under)
          for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
            plan.components.push_back({cell, i});
      }
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
        plan.components.push_back({cell, i});
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

  void apply(const SublayerStatements& statements) {
    const Contents before = contents_;
    for (const Statement* statement : statements) {
      statement_ = statement;
      std::visit([&](const auto& s) { apply_one(s, before); }, *statement);
    }
  }

  void apply_one(const FetchStatement& s, const Contents& before) {
    const bool pointed = std::holds_alternative<SelectPointed>(s.selector);
    const bool one_position = pointed || std::holds_alternative<SelectRightmost>(s.selector);
    if (pointed && !s.causal)
      refuse("a pointer is proved to be visible under the causal mask only");
    // Another head of the same sublayer may have written the cell already, so "blank" is asked of
    // the contents as this statement finds them.
    std::set<CellId> fresh;
    for (const CellId cell : cells_written(*statement_))
      if (contents_[cell].kind == Kind::blank) fresh.insert(cell);
    for (const HeadWrite& write : s.writes) {
      if (const auto* copy = std::get_if<CopyWrite>(&write)) {
        const auto* same = std::get_if<SelectSame>(&s.selector);
        if (!one_position && !(same && std::find(same->cells.begin(), same->cells.end(),
                                                 copy->source) != same->cells.end()))
          refuse("cell " + name(copy->source) +
                 " may differ between the selected positions; average it into a number cell");
        const CellType& target = p_.cells[copy->target].type;
        if (std::holds_alternative<KeyType>(target))
          refuse("cell " + name(copy->target) +
                 " is a key: it cannot take another position's code");
        if (std::holds_alternative<PointerType>(target) && !s.causal)
          refuse("cell " + name(copy->target) +
                 " is a pointer: without the causal mask it could point to the right");
        contents_[copy->target] = typed();
        continue;
      }
      const auto& sum = std::get<SumWrite>(write);
      CellContent& target = contents_[sum.target.cell];
      const std::uint32_t size = size_of(p_.cells[sum.target.cell].type);
      if (target.kind == Kind::blank) {
        target = CellContent{};
        target.kind = Kind::number;
        target.common = !s.causal && std::holds_alternative<SelectAll>(s.selector);
        target.positive.assign(size, false);
      } else {
        target.common = target.common && !s.causal && std::holds_alternative<SelectAll>(s.selector);
      }
      target.position_ratio = false;
      // An average of values that are all at least c > 0 is positive; adding may only spoil that.
      const bool alone = fresh.contains(sum.target.cell) && writes_once(s, sum.target);
      target.positive[sum.target.index] =
          alone && s.under.empty() && least_value(p_, sum.form).sign() > 0;
    }
    if (s.writes.size() == 2 && fresh.size() == 1) mark_position_ratio(s, before);
  }

  static bool writes_once(const FetchStatement& s, const Component& target) {
    return std::count_if(s.writes.begin(), s.writes.end(), [&](const HeadWrite& write) {
             const auto* sum = std::get_if<SumWrite>(&write);
             return sum && sum->target == target;
           }) == 1;
  }

  /// A causal uniform head that averages [not first] into one component and [first] into the other
  /// leaves (p, 1) / (p + 1): p of the p + 1 visible tokens are not the first, one is.
  void mark_position_ratio(const FetchStatement& s, const Contents& before) {
    if (!s.causal || !std::holds_alternative<SelectAll>(s.selector) || !one_) return;
    const auto* rest = std::get_if<SumWrite>(&s.writes[0]);
    const auto* first = std::get_if<SumWrite>(&s.writes[1]);
    if (!rest || !first || rest->target.cell != first->target.cell || rest->target.index != 0 ||
        first->target.index != 1 || size_of(p_.cells[rest->target.cell].type) != 2)
      return;
    const auto indicator = [&](const LinearForm& form, bool of_first) {
      Rational constant, flag;
      for (const Term& term : form) {
        if (term.component.cell == *one_) {
          constant += term.factor;
        } else if (before[term.component.cell].first_flag) {
          flag += term.factor;
        } else {
          return Rational(0);
        }
      }
      return flag == (of_first ? constant : -constant) ? constant : Rational(0);
    };
    const Rational scale = indicator(rest->form, false);
    if (scale.sign() > 0 && indicator(first->form, true) == scale)
      contents_[rest->target.cell].position_ratio = true;
  }

  void apply_one(const LookupStatement&, const Contents&) {
    for (const CellId cell : cells_written(*statement_)) contents_[cell] = typed();
  }
  void apply_one(const MoveStatement& s, const Contents& before) {
    contents_[s.target] = before[s.source];
  }
  void apply_one(const EraseStatement& s, const Contents&) {
    for (const CellId cell : s.cells) contents_[cell] = CellContent{};
  }
  void apply_one(const NormaliseStatement& s, const Contents& before) {
    const bool ratio = s.group.size() == 2 && s.group[0].cell == s.group[1].cell &&
                       s.group[0].index == 0 && s.group[1].index == 1 &&
                       before[s.group[0].cell].position_ratio;
    for (const CellId target : s.targets) {
      const CellType& type = p_.cells[target].type;
      if (!std::holds_alternative<DirectionType>(type) && !ratio)
        refuse("cell " + name(target) +
               " holds a position code, and the group is not proved to be "
               "a positive multiple of (p, 1)");
      contents_[target] = typed();
    }
    if (ratio) return;
    const bool nonzero = std::any_of(s.group.begin(), s.group.end(), [&](const Component& c) {
      const CellContent& content = before[c.cell];
      return content.kind == Kind::number && content.positive[c.index];
    });
    if (!nonzero && !holds_whole_typed_cell(s, before))
      refuse("cell " + name(s.group.front().cell) +
             " and its group are not proved to be non-zero at every token");
  }

  bool holds_whole_typed_cell(const NormaliseStatement& s, const Contents& before) const {
    return std::any_of(s.group.begin(), s.group.end(), [&](const Component& c) {
      if (before[c.cell].kind != Kind::typed) return false;
      for (std::uint32_t i = 0; i < size_of(p_.cells[c.cell].type); ++i)
        if (std::find(s.group.begin(), s.group.end(), Component{c.cell, i}) == s.group.end())
          return false;
      return true;
    });
  }

  const Program& p_;
  const Schedule& schedule_;
  std::optional<CellId> one_;
  Contents contents_;
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
