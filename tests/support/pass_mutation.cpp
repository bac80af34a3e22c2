#include <algorithm>
#include <utility>
#include <vector>

#include "base/overload.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/passes/layout.hpp"
#include "compiler/passes/norm_types.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/rules/program_rules.hpp"
#include "runtime/file/derived.hpp"
#include "tests/support/mutation.hpp"

namespace logdepth::support {
namespace {

class PassMutation {
 public:
  PassMutation(const MutationSubject& subject, std::mt19937_64& random)
      : s_(subject), p_(subject.program), random_(random) {}

  std::optional<Mutant> draw() {
    const std::size_t which = below(10);
    const bool in_program = which < 4, in_schedule = which == 4 || which == 5,
               in_masks = which > 5 && which < 9;
    if (in_program && (!change_program() || p_ == s_.program)) return std::nullopt;
    std::string pass;
    try {
      pass = "program rules";
      check_program(p_);
      pass = "schedule";
      Schedule schedule = schedule_layers(p_);
      if (in_schedule && !change_schedule(schedule)) return std::nullopt;
      check_schedule(p_, schedule);
      pass = "norm typing";
      MaskTypes masks = type_masks(p_, schedule);
      if (in_masks && !change_masks(masks, schedule)) return std::nullopt;
      pass = "layout";
      Layout layout = allocate_cells(p_, schedule, s_.options.norm, s_.options.strict);
      if (which == 9 && !change_layout(layout)) return std::nullopt;
      pass = "emission";
      mutant_.model = emit_weights(p_, schedule, masks, layout);
      if (s_.options.unroll) {
        const PrecisionFacts unknown = no_facts(mutant_.model);
        mutant_.model = unroll({std::move(mutant_.model), p_, unknown}, *s_.options.unroll).model;
      }
    } catch (const ProgramRefused& error) {
      mutant_.refused_by = pass;
      mutant_.refusal = error.what();
    } catch (const std::logic_error& error) {
      mutant_.refused_by = pass;
      mutant_.refusal = error.what();
    }
    return std::move(mutant_);
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  template <class T>
  T& pick(std::vector<T>& from) {
    return from[below(from.size())];
  }
  bool describe(const std::string& place, const std::string& edit, const std::string& what) {
    mutant_.place = place;
    mutant_.edit = edit;
    mutant_.what = what;
    return true;
  }
  const std::string& name(CellId cell) const { return p_.cells[cell].name; }
  CellId other_cell(CellId cell) {
    return static_cast<CellId>((cell + 1 + below(p_.cells.size() - 1)) % p_.cells.size());
  }
  /// Another cell with values of the same type, when there is one.
  CellId like(CellId cell) {
    std::vector<CellId> found;
    for (CellId id = 0; id < p_.cells.size(); ++id)
      if (id != cell && size_of(p_.cells[id].type) == size_of(p_.cells[cell].type))
        found.push_back(id);
    return found.empty() ? other_cell(cell) : pick(found);
  }
  std::uint32_t values(CellId cell) const {
    return std::holds_alternative<FlagType>(p_.cells[cell].type) ? 2 : size_of(p_.cells[cell].type);
  }
  std::uint32_t other_value(CellId cell, std::uint32_t value) {
    const std::uint32_t count = values(cell);
    if (count < 2) return value;
    return static_cast<std::uint32_t>((value + 1 + below(count - 1)) % count);
  }

  // --- the program -------------------------------------------------------------------------------

  bool change_program() {
    switch (below(8)) {
      case 0:
        return change_inputs();
      case 1:
        return change_outputs();
      case 2:
        return change_unrolling();
      default:
        break;
    }
    std::vector<Statement>& block =
        p_.repeated.empty() || (!p_.initial.empty() && below(3) == 0) ? p_.initial : p_.repeated;
    const std::size_t index = below(block.size());
    const std::string where = statement_name(p_, block[index]);
    if (below(6) == 0) {
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(index));
      return describe("program", "a statement dropped", where);
    }
    if (below(10) == 0) {
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(index), block[index]);
      return describe("program", "a statement doubled", where);
    }
    return std::visit([&](auto& s) { return change(s, where); }, block[index]);
  }

  bool change_inputs() {
    if (!p_.position.empty() && below(3) == 0) {
      PositionFill& fill = pick(p_.position);
      const bool further = below(2) || fill.back == 0;
      fill.back += further ? 1u : ~0u;
      return describe("program inputs", further ? "one further back" : "one less back",
                      "position of " + name(fill.cell));
    }
    auto kind = p_.embedding.begin();
    std::advance(kind, below(p_.embedding.size()));
    if (kind->second.empty()) return false;
    if (below(4) == 0) {
      kind->second.pop_back();
      return describe("program inputs", "a token fill dropped", "token " + kind->first);
    }
    TokenFill& fill = pick(kind->second);
    fill.value = other_value(fill.cell, fill.value);
    return describe("program inputs", "another value", kind->first + ", cell " + name(fill.cell));
  }

  bool change_outputs() {
    const std::size_t row = below(p_.outputs.size());
    LinearForm& form = p_.outputs[row].form;
    auto* points = std::get_if<PrefixPoints>(&p_.prefix);
    auto* element = std::get_if<PrefixElement>(&p_.prefix);
    const std::string where = "output " + p_.outputs[row].name;
    switch (below(5)) {
      case 0:
        if (form.empty()) return false;
        form.erase(form.begin() + static_cast<std::ptrdiff_t>(below(form.size())));
        return describe("program outputs", "a term dropped", where);
      case 1: {
        if (form.empty()) return false;
        Term& term = pick(form);
        term.factor *= std::vector<Rational>{-1, 2, Rational(1, 2)}[below(3)];
        return describe("program outputs", "another factor",
                        where + ", " + name(term.component.cell));
      }
      case 2: {
        if (form.empty()) return false;
        const std::size_t i = below(form.size());
        p_.outputs[1 - row].form.push_back(form[i]);
        form.erase(form.begin() + static_cast<std::ptrdiff_t>(i));
        return describe("program outputs", "a term moved to the other row", where);
      }
      case 3: {
        if (form.empty()) return false;
        Component& component = pick(form).component;
        component.index = other_value(component.cell, component.index);
        return size_of(p_.cells[component.cell].type) > 1 &&
               describe("program outputs", "another component", where);
      }
      default:
        if (element) {
          std::swap(pick(element->elements), pick(element->elements));
          return describe("program outputs", "two elements exchanged", "prefix");
        }
        if (!points || points->points.size() < 2) return false;
        std::swap(points->points.front(), points->points.back());
        return describe("program outputs", "two points exchanged", "prefix");
    }
  }

  bool change_unrolling() {
    if (p_.repeated.empty()) return false;
    if (below(2)) {
      p_.unroll.minus = 1;
      return describe("program", "unroll minus one", "ceil(log2(n - 1))");
    }
    p_.unroll.kind = Unroll::Kind::fixed;
    p_.unroll.base = 2;
    p_.unroll.loops = static_cast<std::uint32_t>(below(3));
    return describe("program", "unroll fixed", std::to_string(p_.unroll.loops) + " loops");
  }

  bool change(FetchStatement& s, const std::string& where) {
    const std::size_t which = below(4);
    if (which == 0) {
      s.causal = !s.causal;
      return describe("program fetch", "causal flag flipped", where);
    }
    if (which == 1)
      return std::visit(
          Overload{[&](SelectAll&) { return false; },
                   [&](SelectPointed& x) {
                     if (below(3) == 0) {
                       std::swap(x.pointer, x.key);
                       return describe("program fetch", "pointer and key exchanged", where);
                     }
                     const bool further = below(2) || x.back == 0;
                     x.back += further ? 1u : ~0u;
                     return describe("program fetch",
                                     further ? "one further back" : "one less back", where);
                   },
                   [&](SelectSame& x) {
                     pick(x.cells) = other_cell(x.cells.front());
                     return describe("program fetch", "another cell matched", where);
                   },
                   [&](SelectRightmost& x) {
                     Literal& flag = pick(x.flags);
                     flag.value = other_value(flag.cell, flag.value);
                     return describe("program fetch", "another flag", where);
                   },
                   [&](SelectNearest& x) {
                     std::swap(x.target.numerator, x.target.denominator);
                     return describe("program fetch", "a ratio turned over", where);
                   },
                   [&](SelectFlagged& x) {
                     if (x.when && below(2)) {
                       x.when.reset();
                       return describe("program fetch", "a condition dropped", where);
                     }
                     x.flag.value = other_value(x.flag.cell, x.flag.value);
                     return describe("program fetch", "another flag", where);
                   },
                   [&](SelectFound& x) {
                     if (x.prefer && below(2)) {
                       x.prefer.reset();
                       return describe("program fetch", "a preference dropped", where);
                     }
                     Ratio& wanted = pick(x.terms).wanted;
                     std::swap(wanted.numerator, wanted.denominator);
                     return describe("program fetch", "a ratio turned over", where);
                   },
                   [&](SelectRelated& x) {
                     std::swap(x.flags.front(), x.flags.back());
                     return describe("program fetch", "two flags exchanged", where);
                   }},
          s.selector);
    const std::size_t index = below(s.writes.size());
    if (which == 2 && below(2)) {
      s.writes.erase(s.writes.begin() + static_cast<std::ptrdiff_t>(index));
      return describe("program fetch", "a write dropped", where);
    }
    return std::visit(Overload{[&](CopyWrite& copy) {
                                 if (below(3) == 0) {
                                   std::swap(copy.target, copy.source);
                                   return describe("program fetch", "source and target exchanged",
                                                   where + ", " + name(copy.source));
                                 }
                                 CellId& cell = below(2) ? copy.target : copy.source;
                                 cell = like(cell);
                                 return describe("program fetch", "another source or target",
                                                 where + ", now " + name(cell));
                               },
                               [&](SumWrite& sum) {
                                 Term& term = pick(sum.form);
                                 term.factor *= Rational(below(2) ? -1 : 2);
                                 return describe("program fetch", "another factor", where);
                               },
                               [&](SetWrite& set) {
                                 set.value = other_value(set.cell, set.value);
                                 return describe("program fetch", "another value", where);
                               }},
                      s.writes[index]);
  }

  bool change(LookupStatement& s, const std::string& where) {
    const std::size_t index = below(s.rules.size());
    Rule& rule = s.rules[index];
    const std::string what = where + ", rule " + std::to_string(index);
    switch (below(6)) {
      case 0: {
        Literal& literal = pick(rule.when);
        literal.value = other_value(literal.cell, literal.value);
        return describe("program lookup", "another condition", what);
      }
      case 1:
        s.rules.erase(s.rules.begin() + static_cast<std::ptrdiff_t>(index));
        return describe("program lookup", "a rule dropped", what);
      case 2:
        rule.when.pop_back();
        return describe("program lookup", "a condition dropped", what);
      default: {
        Assignment& assignment = pick(rule.then);
        assignment.value = other_value(assignment.cell, assignment.value);
        return describe("program lookup", "another result", what);
      }
    }
  }
  bool change(MoveStatement& s, const std::string& where) {
    (below(2) ? s.target : s.source) = like(s.target);
    return describe("program move", "another source or target", where);
  }
  bool change(EraseStatement& s, const std::string& where) {
    if (below(2)) {
      pick(s.cells) = other_cell(s.cells.front());
      return describe("program erase", "another cell", where);
    }
    s.cells.erase(s.cells.begin() + static_cast<std::ptrdiff_t>(below(s.cells.size())));
    return describe("program erase", "a cell dropped", where);
  }
  bool change(NormaliseStatement& s, const std::string& where) {
    if (below(2)) {
      std::swap(s.group.front(), s.group.back());
      return describe("program normalise", "two components exchanged", where);
    }
    s.targets.pop_back();
    return describe("program normalise", "a target dropped", where);
  }
  bool change(TestStatement& s, const std::string& where) {
    const bool zero = s.kind == TestStatement::Kind::zero;
    s.kind = zero ? TestStatement::Kind::positive : TestStatement::Kind::zero;
    return describe("program test", "the other kind", where);
  }

  // --- the schedule ------------------------------------------------------------------------------

  std::vector<ScheduledLayer>& some_block(Schedule& schedule) {
    return schedule.repeated.empty() || (!schedule.initial.empty() && below(3) == 0)
               ? schedule.initial
               : schedule.repeated;
  }

  bool change_schedule(Schedule& schedule) {
    std::vector<ScheduledLayer>& block = some_block(schedule);
    const std::size_t layer = below(block.size());
    const bool attention = below(3) == 0;
    const auto part = [&](std::size_t l, bool first) -> SublayerStatements& {
      return first ? block[l].attention : block[l].feedforward;
    };
    SublayerStatements& from = part(layer, attention);
    if (from.empty()) return false;
    const std::size_t index = below(from.size());
    const Statement* const statement = from[index];
    const std::string where =
        "layer " + std::to_string(layer) + ", " + statement_name(p_, *statement);
    switch (below(6)) {
      case 0:
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
        return describe("schedule", "a statement dropped", where);
      case 1:
        from.push_back(statement);
        return describe("schedule", "a statement doubled", where);
      case 2:
        if (from.size() < 2) return false;
        std::swap(from.front(), from.back());
        return describe("schedule", "two statements exchanged in a sublayer", where);
      case 3:  // to the other sublayer
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
        part(layer, !attention).push_back(statement);
        return describe("schedule", "a statement in the other sublayer", where);
      case 4:
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
        if (layer + 1 == block.size()) block.emplace_back();
        part(layer + 1, attention).push_back(statement);
        return describe("schedule", "a statement one layer later", where);
      default:
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
        if (layer == 0) {
          block.insert(block.begin(), ScheduledLayer{});
          part(0, attention).push_back(statement);
        } else {
          part(layer - 1, attention).push_back(statement);
        }
        return describe("schedule", "a statement one layer earlier", where);
    }
  }

  // --- mask types --------------------------------------------------------------------------------

  bool change_masks(MaskTypes& types, const Schedule& schedule) {
    const bool initial = types.repeated.empty() || (!types.initial.empty() && below(3) == 0);
    std::vector<LayerMasks>& block = initial ? types.initial : types.repeated;
    const std::size_t layer = below(block.size());
    LayerMasks& masks = block[layer];
    const bool attention = below(2);
    MaskPlan& plan = attention ? masks.attention : masks.feedforward;
    const std::string where = std::string(initial ? "initial" : "repeated") + " layer " +
                              std::to_string(layer) + (attention ? " attention" : " feed-forward");
    const auto& statements =
        attention ? schedule.block(initial ? Block::initial : Block::repeated)[layer].attention
                  : schedule.block(initial ? Block::initial : Block::repeated)[layer].feedforward;
    if (statements.empty()) return false;
    switch (below(8)) {
      case 0: {
        if (plan.components.empty()) return false;
        const CellId cell = pick(plan.components).component.cell;
        std::erase_if(plan.components, [&](const Term& t) { return t.component.cell == cell; });
        return describe("mask types", "a cell dropped from a mask", where + ", " + name(cell));
      }
      case 1: {
        const auto cell = static_cast<CellId>(below(p_.cells.size()));
        if (std::holds_alternative<ConstantType>(p_.cells[cell].type)) return false;
        for (const Term& t : plan.components)
          if (t.component.cell == cell) return false;
        for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
          plan.components.push_back({{cell, i}, Rational(1)});
        return describe("mask types", "a cell added to a mask", where + ", " + name(cell));
      }
      case 2:
        if (plan.components.empty()) return false;
        plan.components.erase(plan.components.begin() +
                              static_cast<std::ptrdiff_t>(below(plan.components.size())));
        return describe("mask types", "a component dropped from a mask", where);
      case 3:
        plan.root = below(2) ? plan.root + Rational(1) : plan.root + plan.root;
        return describe("mask types", "another root", where);
      case 4:
        if (plan.constant_weight.is_zero()) return false;
        plan.constant_weight =
            below(2) ? plan.constant_weight + Rational(1) : plan.constant_weight * Rational(1, 2);
        return describe("mask types", "another constant weight", where);
      case 5:
        if (masks.overwritten.empty()) return false;
        masks.overwritten.erase(masks.overwritten.begin() +
                                static_cast<std::ptrdiff_t>(below(masks.overwritten.size())));
        return describe("mask types", "an overwritten cell forgotten", where);
      case 6:
        if (masks.overwritten.empty()) return false;
        masks.overwritten.push_back(pick(masks.overwritten));
        return describe("mask types", "an overwritten cell doubled", where);
      default: {
        const bool constant = plan.type == MaskPlan::Type::constant;
        plan.type = constant ? MaskPlan::Type::direction : MaskPlan::Type::constant;
        return describe("mask types", "another type", where);
      }
    }
  }

  // --- the layout --------------------------------------------------------------------------------

  bool change_layout(Layout& layout) {
    const auto cell = static_cast<CellId>(below(p_.cells.size()));
    std::uint32_t& first = layout.first[cell];
    switch (below(5)) {
      case 0: {
        const CellId other = other_cell(cell);
        first = layout.first[other];
        return describe("layout", "two cells overlap", name(cell) + " on " + name(other));
      }
      case 1:
        first += below(2) || first == 0 ? 1u : ~0u;
        return describe("layout", "a cell shifted by one", name(cell));
      case 2: {
        const CellId other = like(cell);
        std::swap(first, layout.first[other]);
        return describe("layout", "two cells exchanged", name(cell) + " and " + name(other));
      }
      case 3:
        layout.root += below(2) ? 1u : ~0u;
        return describe("layout", "another root", std::to_string(layout.root));
      default:
        layout.width += below(2) ? 2u : ~0u - 1u;
        return describe("layout", "another width", std::to_string(layout.width));
    }
  }

  const MutationSubject& s_;
  Program p_;
  std::mt19937_64& random_;
  Mutant mutant_;
};

}  // namespace

std::optional<Mutant> mutate_passes(const MutationSubject& subject, std::mt19937_64& random) {
  return PassMutation(subject, random).draw();
}

}  // namespace logdepth::support
