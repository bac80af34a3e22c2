#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/overload.hpp"
#include "compiler/lemmas/head_schema.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/rules/program_rules.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace compiler_passes {
namespace {

/// Collects entries in any order; `finish` sorts them row-major, adds up repetitions, drops zeros.
class MatrixBuilder {
 public:
  void add(std::uint32_t row, std::uint32_t column, const Rational& value) {
    entries_.push_back({row, column, value});
  }
  SparseMatrix finish(std::uint32_t rows, std::uint32_t columns) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const MatrixEntry& a, const MatrixEntry& b) {
                       return std::pair(a.row, a.column) < std::pair(b.row, b.column);
                     });
    SparseMatrix matrix{rows, columns, {}};
    for (MatrixEntry& entry : entries_) {
      if (!matrix.entries.empty() && matrix.entries.back().row == entry.row &&
          matrix.entries.back().column == entry.column) {
        matrix.entries.back().value += entry.value;
      } else {
        matrix.entries.push_back(std::move(entry));
      }
    }
    std::erase_if(matrix.entries, [](const MatrixEntry& e) { return e.value.is_zero(); });
    return matrix;
  }

 private:
  std::vector<MatrixEntry> entries_;
};

inline SparseVector to_sparse(const std::map<std::uint32_t, Rational>& values) {
  SparseVector vector;
  for (const auto& [index, value] : values)
    if (!value.is_zero()) vector.push_back({index, value});
  return vector;
}

/// Fills what stands before and after the layers: input, position, embedding, unembedding, output.
class Ends {
 public:
  Ends(const Program& program, const Layout& layout)
      : p_(program), layout_(layout), one_(constant_cell(program)) {}

  void emit(Model& model) const {
    model.input = emit_input();
    emit_position(model);
    emit_embedding(model);
    emit_output(model);
  }

 private:
  /// The file's input: names, mirrors and vertex rows follow from the layout.
  Input emit_input() const {
    Input input = p_.input;
    const bool mirrored = layout_.norm == Norm::layernorm;
    if (auto* cells = std::get_if<CellsInput>(&input)) {
      cells->mirrored = mirrored;
      cells->names.clear();
      for (const GivenCell& given : p_.given) {
        const Cell& cell = p_.cells[given.cell];
        const std::uint32_t size = size_of(cell.type);
        for (std::uint32_t i = 0; i < size; ++i)
          cells->names.push_back(size == 1 ? cell.name : fmt::format("{}.{}", cell.name, i));
      }
    } else if (auto* graph = std::get_if<GraphInput>(&input)) {
      graph->mirrored = mirrored && graph->layout == GraphInput::Layout::rows;
    }
    return input;
  }

  /// Values of coordinates; under layernorm each with its mirror.
  class Values {
   public:
    explicit Values(const Layout& layout) : layout_(layout) {}
    void set(const Component& c, const Rational& value) {
      const std::uint32_t at = layout_.at(c);
      values_[at] = value;
      if (const auto mirror = layout_.mirror(at)) values_[*mirror] = -value;
    }
    SparseVector finish() const { return to_sparse(values_); }

   private:
    const Layout& layout_;
    std::map<std::uint32_t, Rational> values_;
  };

  void emit_position(Model& model) const {
    Values first(layout_), rest(layout_);
    // Tokens of raw streams have no embedding, so the constant comes with the position.
    if (one_ && std::holds_alternative<CellsInput>(p_.input)) {
      first.set({*one_, 0}, Rational(1));
      rest.set({*one_, 0}, Rational(1));
    }
    CodePosition codes;
    Values even(layout_);
    for (const PositionFill& fill : p_.position) {
      const CellType& type = p_.cells[fill.cell].type;
      if (fill.parity) {
        even.set({fill.cell, 0}, Rational(1));
        continue;
      }
      if (std::holds_alternative<FlagType>(type)) {
        first.set({fill.cell, 0}, Rational(1));
        rest.set({fill.cell, 0}, Rational(-1));
        continue;
      }
      codes.code = *held_code(type);
      CodeFill plain, mirrored;
      for (std::uint32_t i = 0; i < size_of(type); ++i) {
        plain.at.push_back(layout_.at({fill.cell, i}));
        if (const auto mirror = layout_.mirror(plain.at.back())) mirrored.at.push_back(*mirror);
      }
      plain.back = mirrored.back = fill.back;
      mirrored.scale = -1;
      codes.fills.push_back(plain);
      if (!mirrored.at.empty()) codes.fills.push_back(mirrored);
    }
    if (!codes.fills.empty()) {
      codes.parity = even.finish();
      model.position = std::move(codes);
    } else if (!p_.table.empty()) {
      model.position = emit_table();
    } else {
      model.position = FirstFlagPosition{first.finish(), rest.finish()};
    }
  }

  TablePosition emit_table() const {
    TablePosition table;
    for (const std::vector<TableFill>& fills : p_.table) {
      Values row(layout_);
      if (one_ && std::holds_alternative<CellsInput>(p_.input)) row.set({*one_, 0}, Rational(1));
      for (const TableFill& fill : fills) {
        const CellType& type = p_.cells[fill.cell].type;
        if (std::holds_alternative<FlagType>(type)) {
          row.set({fill.cell, 0}, Rational(fill.value ? 1 : -1));
        } else if (std::holds_alternative<OneHotType>(type)) {
          row.set({fill.cell, fill.value}, Rational(1));
        } else {
          const auto code = circle_code(fill.value);
          for (std::uint32_t i = 0; i < code.size(); ++i) row.set({fill.cell, i}, code[i]);
        }
      }
      table.rows.push_back(row.finish());
    }
    return table;
  }

  void emit_embedding(Model& model) const {
    for (const auto& [kind, fills] : p_.embedding) {
      Values values(layout_);
      if (one_) values.set({*one_, 0}, Rational(1));
      for (const TokenFill& fill : fills) {
        const bool flag = std::holds_alternative<FlagType>(p_.cells[fill.cell].type);
        values.set({fill.cell, flag ? 0 : fill.value}, Rational(flag && !fill.value ? -1 : 1));
      }
      model.embedding[kind] = values.finish();
    }
  }

  void emit_output(Model& model) const {
    MatrixBuilder matrix;
    std::uint32_t row = 0;
    const auto add_row = [&](const LinearForm& form) {
      for (const Term& t : form) matrix.add(row, layout_.at(t.component), t.factor);
      return row++;
    };
    AcceptOutput accept;
    CellsOutput named;
    bool decides = false;
    for (const OutputRow& output : p_.outputs) {
      const std::uint32_t at = add_row(output.form);
      named.names.push_back(output.name);
      if (output.name == "accept") {
        accept.accept = at;
        decides = true;
      } else if (output.name == "reject") {
        accept.reject = at;
      }
    }
    if (p_.relation) {
      model.output = RelationOutput{};
    } else if (!decides) {
      model.output = std::move(named);
    } else {
      accept.prefix = emit_prefix(row, matrix);
      model.output = std::move(accept);
    }
    model.unembedding = matrix.finish(row, layout_.width);
  }

  /// Adds the rows that read a prefix product or its state; `row` is the next free one.
  PrefixReadout emit_prefix(std::uint32_t& row, MatrixBuilder& matrix) const {
    if (const auto* element = std::get_if<PrefixElement>(&p_.prefix)) {
      ElementReadout readout;
      readout.first_row = row;
      readout.elements = element->elements;
      for (std::uint32_t i = 0; i < element->elements.size(); ++i)
        matrix.add(row++, layout_.at({element->cell, i}), Rational(1));
      return readout;
    }
    if (const auto* points = std::get_if<PrefixPoints>(&p_.prefix)) {
      TransformationReadout readout;
      readout.points = static_cast<std::uint32_t>(points->points.size());
      readout.first_row = row;
      for (const PointReadout& point : points->points) {
        auto& images = readout.images.emplace_back();
        if (!point.cell) {
          images.push_back(point.image);
          ++row;  // a row of zeros: the only candidate
          continue;
        }
        const auto& labels = std::get<OneHotType>(p_.cells[*point.cell].type).labels;
        for (std::uint32_t i = 0; i < labels.size(); ++i) {
          images.push_back(*point_number(labels[i]));
          matrix.add(row++, layout_.at({*point.cell, i}), Rational(1));
        }
      }
      return readout;
    }
    if (const auto* prefix = std::get_if<PrefixState>(&p_.prefix)) {
      const StateReadout readout{prefix->count(), row};
      for (std::uint32_t i = 0; i < prefix->states.size(); ++i)
        matrix.add(row + prefix->states[i], layout_.at({prefix->cell, i}), Rational(1));
      row += readout.states;
      return readout;
    }
    return std::monostate{};
  }

  const Program& p_;
  const Layout& layout_;
  std::optional<CellId> one_;
};

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
    Ends(p_, layout_).emit(model);
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
              // Contracts read the position alone, so of a label that is the token's own this is left.
              if (s.shared) return MatchContract{true};
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

  /// Into the unit: the sum of n literals + constant - n. A flag f = +-1 counts as the literal
  /// (1 +- f) / 2.
  void add_conditions(Units& units, std::uint32_t unit, const MaskPlan& plan,
                      const std::vector<Literal>& literals, Rational constant) const {
    constant = constant - Rational(static_cast<std::int64_t>(literals.size()));
    for (const Literal& literal : literals) {
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
  }

  /// One unit per rule: ReLU(sum of n literals - (n - 1)) is 1 when all hold, else 0. What `otherwise`
  /// writes by a unit that is always 1, the rule takes away.
  void add_rule(Units& units, const MaskPlan& plan, const Rule& rule,
                const std::vector<Assignment>& otherwise) const {
    const std::uint32_t unit = units.count++;
    add_conditions(units, unit, plan, rule.when, 1);
    for (const Assignment& a : rule.then) {
      write_value(units, a, unit, 1);
      if (const auto value = value_in(otherwise, a.cell))
        write_value(units, {a.cell, *value}, unit, -1);
    }
  }

  void write_value(Units& units, const Assignment& a, std::uint32_t unit, int factor) const {
    const bool flag = std::holds_alternative<FlagType>(p_.cells[a.cell].type);
    write(units.out, {a.cell, flag ? 0 : a.value}, unit,
          Rational(flag && !a.value ? -factor : factor));
  }

  /// Where all n literals hold, target += factor * source. With b the sum of the literals - n, which is
  /// 0 then and else at most -1, and |source| <= 1 as for every component of a typed cell,
  /// ReLU(source + b) - ReLU(-source + b) is the source if b = 0, else 0.
  void add_where(Units& units, const MaskPlan& plan, const std::vector<Literal>& literals,
                 const Component& source, const Component& target, std::int64_t factor) const {
    for (const int sign : {1, -1}) {
      add_conditions(units, units.count, plan, literals, 0);
      units.in.add(units.count, layout_.at(source), Rational(sign) * read_factor(plan, source));
      write(units.out, target, units.count++, Rational(sign * factor));
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
                     for (const Rule& rule : s.rules) add_rule(units, plan, rule, s.otherwise);
                     if (!s.otherwise.empty()) add_rule(units, plan, {{}, s.otherwise}, {});
                   },
                   [&](const MoveStatement& s) {
                     for (std::uint32_t i = 0; i < size_of(p_.cells[s.source].type); ++i) {
                       if (s.when.empty()) {
                         add_linear(units, plan, {s.source, i}, {s.target, i}, 1);
                         continue;
                       }
                       add_where(units, plan, s.when, {s.source, i}, {s.target, i}, 1);
                       add_where(units, plan, s.when, {s.target, i}, {s.target, i}, -1);
                     }
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

}}  // namespace logdepth::compiler_passes
