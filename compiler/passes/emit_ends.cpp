#include "compiler/passes/emit_ends.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "compiler/passes/sparse_builder.hpp"
#include "compiler/rules/statement_cells.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::inline compiler_passes {
namespace {

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

}  // namespace

void emit_ends(const Program& program, const Layout& layout, Model& model) {
  Ends(program, layout).emit(model);
}

}  // namespace logdepth::inline compiler_passes
