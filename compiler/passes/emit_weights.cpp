#include <algorithm>
#include <utility>

#include "base/overload.hpp"
#include "compiler/lemmas/head_schema.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/passes/emit_ends.hpp"
#include "compiler/passes/sparse_builder.hpp"
#include "compiler/rules/statement_cells.hpp"
#include "runtime/file/cell_lifetimes.hpp"

namespace logdepth::inline compiler_passes {
namespace {

std::string type_text(const CellType& type) {
  return std::visit(
      Overload{[](const ConstantType&) { return "constant"; },
               [](const FlagType&) { return "flag"; }, [](const OneHotType&) { return "onehot"; },
               [](const NumberType&) { return "scratch"; },
               [](const auto&) { return "direction"; }},
      type);
}

class Emitter {
 public:
  Emitter(const Program& program, const Schedule& schedule, const MaskTypes& masks,
          const Layout& layout)
      : p_(program),
        schedule_(schedule),
        masks_(masks),
        layout_(layout),
        one_(constant_cell(program)) {}

  Model emit() {
    Model model;
    model.name = p_.name;
    model.construction = p_.construction;
    model.source = p_.source;
    model.hypotheses = p_.hypotheses;
    model.deviations = p_.deviations;
    model.parameters = {p_.parameters.begin(), p_.parameters.end()};
    model.alphabet = p_.alphabet;
    model.norm = layout_.norm;
    model.width = layout_.width;
    model.unroll = p_.unroll;
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      for (std::size_t i = 0; i < schedule_.block(block).size(); ++i)
        model.layers.push_back(
            emit_layer(block, schedule_.block(block)[i], masks_.block(block)[i]));
    model.shape = {static_cast<std::uint32_t>(schedule_.initial.size()),
                   static_cast<std::uint32_t>(schedule_.repeated.size()),
                   static_cast<std::uint32_t>(schedule_.final.size())};
    emit_ends(p_, layout_, model);
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      CellIndex& index = model.cells[p_.cells[cell].name];
      index.type = type_text(p_.cells[cell].type);
      index.lifetime = lifetime_text(cell);
      for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
        index.coordinates.push_back(layout_.at({cell, i}));
    }
    return model;
  }

 private:
  const char* lifetime_text(CellId cell) const {
    const Lifetime lifetime = p_.cells[cell].lifetime;
    if (lifetime == Lifetime::state) return kStateLifetime;
    if (lifetime == Lifetime::scratch) return kScratchLifetime;
    return std::ranges::count(masks_.zero_at_end, cell) > 0 ? kErasedLifetime : kPermanentLifetime;
  }

  // --- reading -------------------------------------------------------------------------------

  /// The sublayer sees z = root * (mask h) / S (constant) or root * (mask h) / ||mask h||
  /// (direction, common), where root^2 is the logical width. This is what turns z back into the
  /// component (constant), or into the component of the unit vector.
  Rational read_factor(const MaskPlan& plan, const Component& c) const {
    if (plan.type != MaskPlan::Type::constant) return Rational(1, layout_.root);
    Rational factor = plan.root / Rational(layout_.root);
    if (one_ && c.cell == *one_) return factor / plan.constant_weight;
    return factor;
  }

  SparseVector emit_mask(const MaskPlan& plan) const {
    std::map<std::uint32_t, Rational> mask;
    const auto keep = [&](std::uint32_t coordinate, const Rational& weight) {
      mask[coordinate] = weight;
      if (const auto mirror = layout_.mirror(coordinate)) mask[*mirror] = weight;
    };
    for (const Term& t : plan.components) keep(layout_.at(t.component), t.factor);
    if (!plan.constant_weight.is_zero()) keep(layout_.at({*one_, 0}), plan.constant_weight);
    return to_sparse(mask);
  }

  void write(MatrixBuilder& matrix, const Component& target, std::uint32_t column,
             const Rational& value) const {
    const std::uint32_t coordinate = layout_.at(target);
    matrix.add(coordinate, column, value);
    if (const auto mirror = layout_.mirror(coordinate)) matrix.add(*mirror, column, -value);
  }

  // --- attention -----------------------------------------------------------------------------

  Head emit_head(const FetchStatement& fetch, const LayerMasks& masks) const {
    const MaskPlan& plan = masks.attention;
    Head head;
    head.causal = fetch.causal;
    const HeadSchema schema = head_schema(p_, fetch.selector);
    const auto rows = layout_.head_dimension.value_or(
        static_cast<std::uint32_t>(std::max<std::size_t>(schema.query.size(), 1)));
    // Queries and keys are read up to one positive factor, so z is taken as it is, but for the mask
    // weight of the constant cell in a constant mask.
    const bool weighted = plan.type == MaskPlan::Type::constant;
    const auto project = [&](const std::vector<LinearForm>& forms) {
      MatrixBuilder matrix;
      for (std::uint32_t row = 0; row < forms.size(); ++row)
        for (const Term& t : forms[row]) {
          const bool constant = weighted && one_ && t.component.cell == *one_;
          matrix.add(row, layout_.at(t.component),
                     constant ? t.factor / plan.constant_weight : t.factor);
        }
      return matrix.finish(rows, layout_.width);
    };
    head.query = project(schema.query);
    head.key = project(schema.key);

    MatrixBuilder value, output;
    std::uint32_t row = 0;
    const auto read = [&](const Component& c, const Rational& factor) {
      value.add(row, layout_.at(c), factor * read_factor(plan, c));
    };
    for (const HeadWrite& head_write : fetch.writes)
      std::visit(
          Overload{[&](const CopyWrite& copy) {
                     for (std::uint32_t i = 0; i < size_of(p_.cells[copy.source].type); ++i) {
                       read({copy.source, i}, Rational(1));
                       write(output, {copy.target, i}, row++, Rational(1));
                     }
                   },
                   [&](const SumWrite& sum) {
                     for (const Term& t : sum.form) read(t.component, t.factor);
                     write(output, sum.target, row++, Rational(1));
                   },
                   [&](const SetWrite& set) {
                     // The new value minus what stood there; the head selects the token itself.
                     const bool reset = std::find(masks.reset.begin(), masks.reset.end(),
                                                  set.cell) != masks.reset.end();
                     const bool flag = std::holds_alternative<FlagType>(p_.cells[set.cell].type);
                     for (std::uint32_t i = 0; i < size_of(p_.cells[set.cell].type); ++i) {
                       if (flag || i == set.value)
                         read({*one_, 0}, Rational(flag && !set.value ? -1 : 1));
                       if (reset) read({set.cell, i}, Rational(-1));
                       write(output, {set.cell, i}, row++, Rational(1));
                     }
                   }},
          head_write);
    const std::uint32_t values = layout_.head_dimension.value_or(row);
    head.value = value.finish(values, layout_.width);
    head.output = output.finish(layout_.width, values);
    head.contract = emit_contract(fetch.selector);
    return head;
  }

  Contract emit_contract(const Selector& selector) const {
    // Positive exactly where the literal holds.
    const auto add_literal = [&](std::map<std::uint32_t, Rational>& form, const Literal& literal) {
      const bool flag = std::holds_alternative<FlagType>(p_.cells[literal.cell].type);
      form[layout_.at({literal.cell, flag ? 0 : literal.value})] +=
          Rational(flag && !literal.value ? -1 : 1, flag ? 2 : 1);
    };
    const auto vector = [&](const Literal& literal) {
      std::map<std::uint32_t, Rational> form;
      add_literal(form, literal);
      return to_sparse(form);
    };
    return std::visit(
        Overload{
            [](const SelectAll&) -> Contract { return UniformContract{}; },
            [](const SelectPointed&) -> Contract { return MatchContract{true}; },
            [](const SelectSame&) -> Contract { return MatchContract{false}; },
            [](const SelectNearest&) -> Contract { return MatchContract{true}; },
            [&](const SelectRightmost& s) -> Contract {
              std::map<std::uint32_t, Rational> form;
              for (const Literal& flag : s.flags) add_literal(form, flag);
              return RightmostContract{to_sparse(form)};
            },
            [&](const SelectFlagged& s) -> Contract {
              FlaggedContract contract{vector(s.flag), std::nullopt};
              if (s.when) contract.when = vector(*s.when);
              return contract;
            },
            [](const SelectFound& s) -> Contract {
              return FindContract{static_cast<std::uint32_t>(s.terms.size()), s.prefer.has_value(),
                                  s.one};
            },
            [&](const SelectRelated& s) -> Contract {
              RelatedContract contract;
              for (std::uint32_t l = 0; l < s.flags.size(); ++l)
                contract.pairs.push_back({layout_.at({s.flags[l], 0}), layout_.at({s.label, l})});
              contract.prefer = vector(s.prefer);
              return contract;
            }},
        selector);
  }

  // --- feed-forward --------------------------------------------------------------------------

  /// Units under construction. Linear effects on one signed component share a unit.
  struct Units {
    MatrixBuilder in, out;
    std::uint32_t count = 0;
    std::map<std::pair<std::uint32_t, int>, std::uint32_t> linear;  // (coordinate, sign) -> unit
  };

  /// target += factor * source, through ReLU(x) - ReLU(-x); one-hot components are never negative.
  void add_linear(Units& units, const MaskPlan& plan, const Component& source,
                  const Component& target, std::int64_t factor) const {
    const bool signless = plan.type == MaskPlan::Type::constant &&
                          std::holds_alternative<OneHotType>(p_.cells[source.cell].type);
    for (const int sign : {1, -1}) {
      if (sign < 0 && signless) continue;
      const std::uint32_t coordinate = layout_.at(source);
      const auto [entry, inserted] = units.linear.try_emplace({coordinate, sign}, units.count);
      if (inserted) {
        units.in.add(units.count, coordinate, Rational(sign) * read_factor(plan, source));
        ++units.count;
      }
      write(units.out, target, entry->second, Rational(sign * factor));
    }
  }

  /// One unit per rule: ReLU(sum of n literals - (n - 1)) is 1 when all hold, else 0. A flag f =
  /// +-1 counts as the literal (1 +- f) / 2.
  void add_rule(Units& units, const MaskPlan& plan, const Rule& rule) const {
    const std::uint32_t unit = units.count++;
    Rational constant = 1 - static_cast<std::int64_t>(rule.when.size());
    for (const Literal& literal : rule.when) {
      const bool flag = std::holds_alternative<FlagType>(p_.cells[literal.cell].type);
      const Component c{literal.cell, flag ? 0 : literal.value};
      Rational factor = 1;
      if (flag) {
        factor = Rational(literal.value ? 1 : -1, 2);
        constant += Rational(1, 2);
      }
      units.in.add(unit, layout_.at(c), factor * read_factor(plan, c));
    }
    if (!constant.is_zero()) {
      const Component one{*one_, 0};
      units.in.add(unit, layout_.at(one), constant * read_factor(plan, one));
    }
    for (const Assignment& a : rule.then) {
      const bool flag = std::holds_alternative<FlagType>(p_.cells[a.cell].type);
      write(units.out, {a.cell, flag ? 0 : a.value}, unit, Rational(flag && !a.value ? -1 : 1));
    }
  }

  /// A number read alone is its sign, -1, 0 or 1. Zero: true minus 2 for either sign; positive:
  /// false plus 2 for the sign +1.
  void add_test(Units& units, const MaskPlan& plan, const TestStatement& test) const {
    const bool zero = test.kind == TestStatement::Kind::zero;
    for (const int sign : {1, -1}) {
      if (sign < 0 && !zero) continue;
      units.in.add(units.count, layout_.at(test.number),
                   Rational(sign) * read_factor(plan, test.number));
      write(units.out, {test.flag, 0}, units.count++, Rational(zero ? -2 : 2));
    }
  }

  FeedForward emit_feedforward(const SublayerStatements& statements,
                               const LayerMasks& masks) const {
    FeedForward block;
    const MaskPlan& plan = masks.feedforward;
    block.mask = emit_mask(plan);
    Units units;
    for (const Statement* statement : statements)
      std::visit(
          Overload{[&](const LookupStatement& s) {
                     for (const Rule& rule : s.rules) add_rule(units, plan, rule);
                   },
                   [&](const MoveStatement& s) {
                     for (std::uint32_t i = 0; i < size_of(p_.cells[s.source].type); ++i)
                       add_linear(units, plan, {s.source, i}, {s.target, i}, 1);
                   },
                   [&](const NormaliseStatement& s) {
                     for (const CellId target : s.targets)
                       for (std::uint32_t i = 0; i < s.group.size(); ++i)
                         add_linear(units, plan, s.group[i].component, {target, i}, 1);
                   },
                   [&](const TestStatement& s) { add_test(units, plan, s); }, [](const auto&) {}},
          *statement);
    // Whatever is erased or overwritten is subtracted from itself.
    for (const CellId cell : masks.overwritten)
      for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
        add_linear(units, plan, {cell, i}, {cell, i}, -1);
    block.in = units.in.finish(units.count, layout_.width);
    block.out = units.out.finish(layout_.width, units.count);
    return block;
  }

  Layer emit_layer(Block block, const ScheduledLayer& scheduled, const LayerMasks& masks) const {
    Layer layer;
    layer.block = block;
    layer.attention.mask = emit_mask(masks.attention);
    for (const Statement* statement : scheduled.attention)
      layer.attention.heads.push_back(emit_head(std::get<FetchStatement>(*statement), masks));
    layer.feedforward = emit_feedforward(scheduled.feedforward, masks);
    return layer;
  }

  const Program& p_;
  const Schedule& schedule_;
  const MaskTypes& masks_;
  const Layout& layout_;
  std::optional<CellId> one_;
};

}  // namespace

Model emit_weights(const Program& program, const Schedule& schedule, const MaskTypes& masks,
                   const Layout& layout) {
  return Emitter(program, schedule, masks, layout).emit();
}

}  // namespace logdepth::inline compiler_passes
