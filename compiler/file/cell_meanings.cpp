#include "compiler/file/cell_meanings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/program/program_text.hpp"

namespace logdepth::inline compiler_file {
namespace {

using Coordinates = std::set<std::uint32_t>;
/// More labels than these are counted.
constexpr std::size_t kListedLabels = 12;

void add_columns(const SparseMatrix& matrix, Coordinates& all) {
  for (const MatrixEntry& entry : matrix.entries) all.insert(entry.column);
}
void add_rows(const SparseMatrix& matrix, Coordinates& all) {
  for (const MatrixEntry& entry : matrix.entries) all.insert(entry.row);
}
void add_indices(const SparseVector& vector, Coordinates& all) {
  for (const SparseEntry& entry : vector) all.insert(entry.index);
}

/// What the embedding and the code of positions write.
Coordinates embedded(const Model& model) {
  Coordinates all;
  for (const auto& [kind, vector] : model.embedding) add_indices(vector, all);
  return all;
}
Coordinates positioned(const Model& model) {
  Coordinates all;
  std::visit(Overload{[&](const FirstFlagPosition& p) {
                        add_indices(p.first, all);
                        add_indices(p.rest, all);
                      },
                      [&](const CodePosition& p) {
                        add_indices(p.parity, all);
                        for (const CodeFill& fill : p.fills)
                          all.insert(fill.at.begin(), fill.at.end());
                      },
                      [&](const TablePosition& p) {
                        for (const SparseVector& row : p.rows) add_indices(row, all);
                      }},
             model.position);
  return all;
}

/// Cells that statements of a feed-forward sublayer read and write.
struct Touched {
  std::string part;
  std::set<std::string> read, written;
};

class Meanings {
 public:
  explicit Meanings(const Model& model)
      : model_(model), carried_(model, Trust::plausible), fitted_(carried_.fitted()) {
    for (const auto& [name, cell] : model.cells) {
      CellMeaning& one = all_.emplace_back();
      one.name = name;
      one.type = cell.type;
      one.lifetime = cell.lifetime;
      one.coordinates = cell.coordinates;
    }
    std::ranges::stable_sort(all_, {}, [](const CellMeaning& cell) {
      return cell.coordinates.empty() ? 0 : cell.coordinates.front();
    });
  }

  std::vector<CellMeaning> of_all() {
    touch("embedding", {}, embedded(model_));
    touch("position", {}, positioned(model_));
    for (std::size_t layer = 0; layer < model_.layers.size(); ++layer) touch_layer(layer);
    Coordinates read;
    add_columns(model_.unembedding, read);
    touch("output", read, {});
    for (CellMeaning& cell : all_) cell.meaning = meaning(cell);
    return std::move(all_);
  }

 private:
  void touch(const std::string& part, const Coordinates& read, const Coordinates& written) {
    for (CellMeaning& cell : all_) {
      const auto any = [&](const Coordinates& of) {
        return std::ranges::any_of(cell.coordinates, [&](auto c) { return of.contains(c); });
      };
      if (any(read)) cell.read_by.push_back(part);
      if (any(written)) cell.written_by.push_back(part);
    }
  }

  void touch_layer(std::size_t at) {
    const Layer& layer = model_.layers[at];
    const std::string where = fmt::format(" (layer {})", at);
    for (std::size_t k = 0; k < layer.attention.heads.size(); ++k) {
      const Head& head = layer.attention.heads[k];
      Coordinates read, written;
      for (const SparseMatrix* matrix : {&head.query, &head.key, &head.value})
        add_columns(*matrix, read);
      add_rows(head.output, written);
      const std::string name =
          fitted_ ? std::get<FetchStatement>(*fitted_->statements(at).attention[k]).name
                  : std::to_string(k + 1);
      touch("head " + name + where, read, written);
    }
    if (!fitted_) {
      Coordinates read, written;
      add_columns(layer.feedforward.in, read);
      add_rows(layer.feedforward.out, written);
      touch("feed-forward" + where, read, written);
      return;
    }
    std::vector<Touched> parts;
    for (const Statement* statement : fitted_->statements(at).feedforward)
      add_statement(*statement, parts);
    for (const Touched& part : parts)
      for (CellMeaning& cell : all_) {
        if (part.read.contains(cell.name)) cell.read_by.push_back(part.part + where);
        if (part.written.contains(cell.name)) cell.written_by.push_back(part.part + where);
      }
  }

  const std::string& name_of(CellId cell) const { return fitted_->program().cells[cell].name; }

  /// Moves and erasures of a sublayer are a part each.
  void add_statement(const Statement& statement, std::vector<Touched>& parts) const {
    const auto part = [&](const std::string& name) -> Touched& {
      const auto known = std::ranges::find(parts, name, &Touched::part);
      return known == parts.end() ? parts.emplace_back(Touched{name, {}, {}}) : *known;
    };
    std::visit(Overload{[&](const LookupStatement& s) {
                          Touched& touched = part("look-up " + s.name);
                          for (const Rule& rule : s.rules) {
                            for (const Literal& one : rule.when)
                              touched.read.insert(name_of(one.cell));
                            for (const Assignment& one : rule.then)
                              touched.written.insert(name_of(one.cell));
                          }
                        },
                        [&](const MoveStatement& s) {
                          Touched& touched = part("move");
                          touched.read.insert(name_of(s.source));
                          touched.written.insert(name_of(s.target));
                        },
                        [&](const EraseStatement& s) {
                          for (const CellId cell : s.cells)
                            part("erasure").written.insert(name_of(cell));
                        },
                        [&](const NormaliseStatement& s) {
                          Touched& touched = part("normalisation");
                          for (const Term& term : s.group)
                            touched.read.insert(name_of(term.component.cell));
                          for (const CellId cell : s.targets) touched.written.insert(name_of(cell));
                        },
                        [&](const TestStatement& s) {
                          Touched& touched = part("test");
                          touched.read.insert(name_of(s.number.cell));
                          touched.written.insert(name_of(s.flag));
                        },
                        [](const FetchStatement&) {}},
               statement);
  }

  std::string meaning(const CellMeaning& cell) const {
    const auto found = fitted_ ? fitted_->program().find(cell.name) : std::nullopt;
    if (found) return meaning(fitted_->program().cells[*found].type, *found);
    if (cell.type == "constant") return "1 at every token";
    if (cell.type == "flag") return "true or false, as 1 and -1";
    if (cell.type == "onehot")
      return fmt::format("one of {} labels, as a unit vector", cell.coordinates.size());
    if (cell.type == "direction")
      return "unit vector: the code of a position or of a number, or a direction";
    return counted(cell.coordinates.size(), "number");
  }

  std::string meaning(const CellType& type, CellId id) const {
    return std::visit(
        Overload{[](const ConstantType&) -> std::string { return "1 at every token"; },
                 [&](const FlagType&) -> std::string {
                   for (const PositionFill& fill : fitted_->program().position)
                     if (fill.cell == id)
                       return fill.parity ? "true at even positions, else false, as 1 and -1"
                                          : "true at the first position, as 1 and -1";
                   return "true or false, as 1 and -1";
                 },
                 [](const OneHotType& t) {
                   return "one of " + counted(t.labels.size(), "label") +
                          (t.labels.size() <= kListedLabels ? ": " + joined(t.labels) : "");
                 },
                 [](const KeyType& t) {
                   return code_name(t.code) + " code of the token's own position";
                 },
                 [&](const PointerType& t) {
                   std::string text = code_name(t.code) + " code of a position not after the token";
                   for (const PositionFill& fill : fitted_->program().position)
                     if (fill.cell == id && fill.back > 0)
                       text += fmt::format("; at first {} before it", fill.back);
                   return text;
                 },
                 [](const DirectionType& t) -> std::string {
                   return t.size == 2 ? "unit vector in the direction of (x, 1), for a number x"
                                      : fmt::format("unit vector of {} components", t.size);
                 },
                 [](const NumberType& t) {
                   return t.size == 1 ? std::string("a number") : counted(t.size, "number");
                 }},
        type);
  }

  const Model& model_;
  CarriedProgram carried_;
  const FittedProgram* fitted_;
  std::vector<CellMeaning> all_;
};

}  // namespace

std::vector<CellMeaning> cell_meanings(const Model& model) {
  return Meanings(model).of_all();
}

}  // namespace logdepth::inline compiler_file
