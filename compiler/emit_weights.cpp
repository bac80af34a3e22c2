#include <algorithm>
#include <map>
#include <utility>

#include "compiler/compile.hpp"
#include "compiler/head_schema.hpp"
#include "compiler/program_rules.hpp"
#include "compiler/program_text.hpp"
#include "objects/overload.hpp"
#include "runtime/weights_json.hpp"

namespace logdepth {
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

SparseVector to_sparse(const std::map<std::uint32_t, Rational>& values) {
  SparseVector vector;
  for (const auto& [index, value] : values)
    if (!value.is_zero()) vector.push_back({index, value});
  return vector;
}

JsonText json_object(const std::map<std::string, std::string>& members) {
  JsonTape tape;
  tape.open_object();
  for (const auto& [key, value] : members) {
    tape.add_key(key);
    tape.add_string(value);
  }
  tape.close();
  JsonText json{""};
  tape.append_canonical(0, json.text);
  return json;
}

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
    model.parameters = json_object(p_.parameters);
    model.alphabet = p_.alphabet;
    model.input = WordInput{p_.begin};
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
    emit_position(model);
    emit_embedding(model);
    emit_output(model);
    for (CellId cell = 0; cell < p_.cells.size(); ++cell) {
      CellIndex& index = model.cells[p_.cells[cell].name];
      index.type = type_text(p_.cells[cell].type);
      const Lifetime lifetime = p_.cells[cell].lifetime;
      index.lifetime = lifetime == Lifetime::permanent ? "permanent"
                       : lifetime == Lifetime::state   ? "state"
                                                       : "scratch";
      for (std::uint32_t i = 0; i < size_of(p_.cells[cell].type); ++i)
        index.coordinates.push_back(layout_.at({cell, i}));
    }
    model.derived = json_object({{"program", print_program(p_)}});
    return model;
  }

 private:
  // --- reading -------------------------------------------------------------------------------

  /// The sublayer sees z = root * (mask h) / S (constant) or root * (mask h) / ||mask h||
  /// (direction, common), where root^2 is the logical width. This is what turns z back into the
  /// component (constant), or into the component of the unit vector.
  Rational read_factor(const MaskPlan& plan, const Component& c) const {
    if (plan.type != MaskPlan::Type::constant) return Rational(1, layout_.root);
    const Rational factor = plan.root / Rational(layout_.root);
    if (one_ && c.cell == *one_) return factor / plan.constant_weight;
    return factor;
  }

  SparseVector emit_mask(const MaskPlan& plan) const {
    std::map<std::uint32_t, Rational> mask;
    const auto keep = [&](std::uint32_t coordinate, const Rational& weight) {
      mask[coordinate] = weight;
      if (const auto mirror = layout_.mirror(coordinate)) mask[*mirror] = weight;
    };
    for (const Component& c : plan.components) keep(layout_.at(c), Rational(1));
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

  Head emit_head(const FetchStatement& fetch, const MaskPlan& plan) const {
    Head head;
    head.causal = fetch.causal;
    const HeadSchema schema = head_schema(p_, fetch.selector);
    const auto rows = layout_.head_dimension.value_or(
        static_cast<std::uint32_t>(std::max<std::size_t>(schema.query.size(), 1)));
    // Queries and keys are read up to one positive factor, so z is taken as it is.
    const auto project = [&](const std::vector<LinearForm>& forms) {
      MatrixBuilder matrix;
      for (std::uint32_t row = 0; row < forms.size(); ++row)
        for (const Term& t : forms[row]) matrix.add(row, layout_.at(t.component), t.factor);
      return matrix.finish(rows, layout_.width);
    };
    head.query = project(schema.query);
    head.key = project(schema.key);

    MatrixBuilder value, output;
    std::uint32_t row = 0;
    for (const HeadWrite& head_write : fetch.writes) {
      if (const auto* copy = std::get_if<CopyWrite>(&head_write)) {
        for (std::uint32_t i = 0; i < size_of(p_.cells[copy->source].type); ++i, ++row) {
          const Component source{copy->source, i};
          value.add(row, layout_.at(source), read_factor(plan, source));
          write(output, {copy->target, i}, row, Rational(1));
        }
      } else {
        const auto& sum = std::get<SumWrite>(head_write);
        for (const Term& t : sum.form)
          value.add(row, layout_.at(t.component), t.factor * read_factor(plan, t.component));
        write(output, sum.target, row, Rational(1));
        ++row;
      }
    }
    const std::uint32_t values = layout_.head_dimension.value_or(row);
    head.value = value.finish(values, layout_.width);
    head.output = output.finish(layout_.width, values);
    head.promise = std::visit(
        Overload{
            [](const SelectAll&) -> Promise { return UniformPromise{}; },
            [](const SelectPointed&) -> Promise { return MatchPromise{true}; },
            [](const SelectSame&) -> Promise { return MatchPromise{false}; },
            [&](const SelectRightmost& s) -> Promise {
              const bool flag = std::holds_alternative<FlagType>(p_.cells[s.flag.cell].type);
              const Component c{s.flag.cell, flag ? 0 : s.flag.value};
              return RightmostPromise{{{layout_.at(c), Rational(flag && !s.flag.value ? -1 : 1)}}};
            }},
        fetch.selector);
    return head;
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

  FeedForward emit_feedforward(const SublayerStatements& statements,
                               const LayerMasks& masks) const {
    FeedForward block;
    const MaskPlan& plan = masks.feedforward;
    block.mask = emit_mask(plan);
    Units units;
    for (const Statement* statement : statements)
      std::visit(Overload{[&](const LookupStatement& s) {
                            for (const Rule& rule : s.rules) add_rule(units, plan, rule);
                          },
                          [&](const MoveStatement& s) {
                            for (std::uint32_t i = 0; i < size_of(p_.cells[s.source].type); ++i)
                              add_linear(units, plan, {s.source, i}, {s.target, i}, 1);
                          },
                          [&](const NormaliseStatement& s) {
                            for (const CellId target : s.targets)
                              for (std::uint32_t i = 0; i < s.group.size(); ++i)
                                add_linear(units, plan, s.group[i], {target, i}, 1);
                          },
                          [](const auto&) {}},
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
      layer.attention.heads.push_back(
          emit_head(std::get<FetchStatement>(*statement), masks.attention));
    layer.feedforward = emit_feedforward(scheduled.feedforward, masks);
    return layer;
  }

  // --- ends ----------------------------------------------------------------------------------

  void emit_position(Model& model) const {
    FirstFlagPosition flag;
    CodePosition codes;
    bool has_codes = false;
    std::map<std::uint32_t, Rational> first, rest;
    for (const PositionFill& fill : p_.position) {
      const CellType& type = p_.cells[fill.cell].type;
      if (std::holds_alternative<FlagType>(type)) {
        const std::uint32_t at = layout_.at({fill.cell, 0});
        first[at] = 1;
        rest[at] = -1;
        if (const auto mirror = layout_.mirror(at)) {
          first[*mirror] = -1;
          rest[*mirror] = 1;
        }
        continue;
      }
      has_codes = true;
      const auto* key = std::get_if<KeyType>(&type);
      codes.two_circle =
          (key ? key->code : std::get<PointerType>(type).code) == PositionCode::two_circle;
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
    if (has_codes) {
      model.position = std::move(codes);
    } else {
      model.position = FirstFlagPosition{to_sparse(first), to_sparse(rest)};
    }
  }

  void emit_embedding(Model& model) const {
    for (const auto& [kind, fills] : p_.embedding) {
      std::map<std::uint32_t, Rational> values;
      const auto set = [&](const Component& c, const Rational& value) {
        const std::uint32_t at = layout_.at(c);
        values[at] = value;
        if (const auto mirror = layout_.mirror(at)) values[*mirror] = -value;
      };
      if (one_) set({*one_, 0}, Rational(1));
      for (const TokenFill& fill : fills) {
        const bool flag = std::holds_alternative<FlagType>(p_.cells[fill.cell].type);
        set({fill.cell, flag ? 0 : fill.value}, Rational(flag && !fill.value ? -1 : 1));
      }
      model.embedding[kind] = to_sparse(values);
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
    if (!decides) {
      model.output = std::move(named);
    } else {
      accept.prefix = emit_prefix(row, matrix);
      model.output = std::move(accept);
    }
    model.unembedding = matrix.finish(row, layout_.width);
  }

  /// Adds the rows that read a prefix product; `row` is the next free one.
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
    return std::monostate{};
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

}  // namespace logdepth
