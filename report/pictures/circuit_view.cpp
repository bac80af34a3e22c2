#include "report/pictures/circuit_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "compiler/program/program.hpp"

namespace logdepth { inline namespace report_pictures {
namespace {

using Coordinates = std::set<std::uint32_t>;
using Copies = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // (to, from)

/// More than this many letters are counted instead of listed, and not explained one by one.
constexpr std::size_t kListedKinds = 12;
constexpr std::size_t kExplainedKinds = 8;

Coordinates coordinates_of(const SparseVector& vector) {
  Coordinates result;
  for (const SparseEntry& entry : vector) result.insert(entry.index);
  return result;
}

Coordinates columns_of(const SparseMatrix& matrix) {
  Coordinates result;
  for (const MatrixEntry& entry : matrix.entries) result.insert(entry.column);
  return result;
}

class Viewer {
 public:
  explicit Viewer(const Model& model)
      : model_(model),
        names_(model),
        carried_(model, Trust::plausible),
        fitted_(carried_.fitted()) {}

  CircuitView view() {
    CircuitView view;
    view.named = fitted_ != nullptr;
    view.embedding = embedding();
    view.position = position();
    view.output = output();
    for (std::size_t layer = 0; layer < model_.layers.size(); ++layer)
      view.layers.push_back(view_layer(layer));
    view.cells = cells();
    return view;
  }

 private:
  std::string list(const Coordinates& coordinates) const {
    const auto items = names_.describe(coordinates);
    return items.empty() ? "nothing" : joined(items);
  }

  // --- layers ------------------------------------------------------------------------------------

  LayerView view_layer(std::size_t at) const {
    const Layer& layer = model_.layers[at];
    LayerView view;
    view.block = layer.block;
    view.layer = at;
    for (std::size_t earlier = 0; earlier < at && !view.same_as; ++earlier)
      if (model_.layers[earlier] == layer) view.same_as = earlier;
    view.attention_mask = names_.describe(coordinates_of(layer.attention.mask));
    view.feedforward_mask = names_.describe(coordinates_of(layer.feedforward.mask));
    view.attention_norm =
        norm_text(fitted_ ? fitted_->attention_plan(at) : nullptr, layer.attention.mask);
    view.feedforward_norm =
        norm_text(fitted_ ? fitted_->feedforward_plan(at) : nullptr, layer.feedforward.mask);
    for (std::size_t head = 0; head < layer.attention.heads.size(); ++head)
      view.heads.push_back(view_head(at, head));
    view.units = layer.feedforward.in.rows;
    if (fitted_) {
      name_units(at, view);
    } else {
      group_units(layer.feedforward, view);
    }
    return view;
  }

  std::string norm_text(const MaskPlan* plan, const SparseVector& mask) const {
    if (mask.empty()) return "";
    if (plan && plan->type == MaskPlan::Type::constant)
      return "norm: constant " + plan->root.text();
    if (plan && plan->type == MaskPlan::Type::direction) return "norm: direction of the group";
    if (plan && plan->type == MaskPlan::Type::common)
      return "norm: the same at all tokens of one input";
    // A scratch cell read alone can only be read as its direction.
    const Coordinates read = coordinates_of(mask);
    for (const auto& [name, cell] : model_.cells) {
      if (cell.type != "scratch") continue;
      const Coordinates own(cell.coordinates.begin(), cell.coordinates.end());
      if (std::all_of(read.begin(), read.end(),
                      [&](std::uint32_t c) { return own.contains(c) || names_.is_mirror(c); }))
        return "norm: direction of the group";
    }
    return "";
  }

  HeadView view_head(std::size_t layer, std::size_t at) const {
    const Head& head = model_.layers[layer].attention.heads[at];
    const auto* fetch =
        fitted_ ? &std::get<FetchStatement>(*fitted_->statements(layer).attention[at]) : nullptr;
    HeadView view;
    view.name = fetch ? fetch->name : fmt::format("head {}", at + 1);
    view.contract = contract_text(names_, head.contract);
    view.scope = head.causal ? "causal" : "unmasked";
    view.dimension = head.query.rows;
    view.values = head.value.rows;
    if (head.query.entries.empty() || head.key.entries.empty()) {
      view.match = "all scores equal";
    } else {
      view.match =
          "query " + list(columns_of(head.query)) + " \xC2\xB7 key " + list(columns_of(head.key));
      const auto* pointed = fetch ? std::get_if<SelectPointed>(&fetch->selector) : nullptr;
      if (pointed && pointed->back > 0) view.match += fmt::format(", {} back", pointed->back);
    }
    view.writes = head_writes(names_, head, fetch != nullptr);
    return view;
  }

  /// The units of a sublayer by the statements they serve.
  void name_units(std::size_t layer, LayerView& view) const {
    const Program& program = fitted_->program();
    UnitsView moves{"move", "", {}, 0}, erasures{"erase", "", {}, 0};
    Copies copies;
    std::vector<std::string> erased;
    std::size_t in_lookups = 0;
    for (const Statement* statement : fitted_->statements(layer).feedforward)
      std::visit(
          Overload{
              [&](const LookupStatement& s) {
                std::set<CellId> read, set;
                for (const Rule& rule : s.rules) {
                  for (const Literal& literal : rule.when) read.insert(literal.cell);
                  for (const Assignment& a : rule.then) set.insert(a.cell);
                }
                view.parts.push_back({"look-up",
                                      s.name,
                                      {"reads " + families(read), "sets " + families(set)},
                                      s.rules.size() + !s.otherwise.empty()});
                in_lookups += view.parts.back().units;
              },
              [&](const MoveStatement& s) { add_move(s, copies, moves.lines); },
              [&](const EraseStatement& s) {
                for (const CellId cell : s.cells) erased.push_back(program.cells[cell].name);
              },
              [&](const NormaliseStatement& s) {
                std::string group;
                for (const Term& term : s.group)
                  group += (group.empty() ? "" : ", ") +
                           (term.factor.is_one() ? "" : term.factor.text() + " ") +
                           component_text(term.component);
                const std::set<CellId> targets(s.targets.begin(), s.targets.end());
                view.parts.push_back(
                    {"normalise", "", {families(targets) + " := direction of (" + group + ")"}, 0});
              },
              [&](const TestStatement& s) {
                view.parts.push_back(
                    {"test",
                     "",
                     {program.cells[s.flag].name + " := [" + component_text(s.number) +
                      (s.kind == TestStatement::Kind::zero ? " = 0]" : " > 0]")},
                     0});
              },
              [](const FetchStatement&) {}},
          *statement);
    const auto moved = names_.describe_copies(copies, ":=");
    moves.lines.insert(moves.lines.end(), moved.begin(), moved.end());
    if (!moves.lines.empty()) view.parts.push_back(std::move(moves));
    if (!erased.empty()) {
      erasures.lines.push_back(families(erased) + " := 0");
      view.parts.push_back(std::move(erasures));
    }
    view.linear_units = view.units - in_lookups;
  }

  std::string component_text(const Component& c) const {
    const Cell& cell = fitted_->program().cells[c.cell];
    return size_of(cell.type) > 1 ? fmt::format("{}[{}]", cell.name, c.index) : cell.name;
  }

  void add_move(const MoveStatement& move, Copies& copies, std::vector<std::string>& lines) const {
    const Program& program = fitted_->program();
    const auto target = model_.cells.find(program.cells[move.target].name);
    const auto source = model_.cells.find(program.cells[move.source].name);
    if (target == model_.cells.end() || source == model_.cells.end() || !move.when.empty()) {
      std::set<CellId> conditions;
      for (const Literal& literal : move.when) conditions.insert(literal.cell);
      lines.push_back(program.cells[move.target].name + " := " + program.cells[move.source].name +
                      (conditions.empty() ? "" : ", conditions on " + families(conditions)));
      return;
    }
    const auto& to = target->second.coordinates;
    const auto& from = source->second.coordinates;
    for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i)
      copies.emplace_back(to[i], from[i]);
  }

  std::string families(const std::set<CellId>& cells) const {
    std::vector<std::string> listed;
    for (const CellId cell : cells) listed.push_back(fitted_->program().cells[cell].name);
    return listed.empty() ? "nothing" : families(listed);
  }
  static std::string families(const std::vector<std::string>& names) {
    std::vector<std::string> texts;
    for (const CellFamily& family : group_families(names)) texts.push_back(family.text);
    return joined(texts);
  }

  /// Without a program: the units by what they read and write.
  void group_units(const FeedForward& block, LayerView& view) const {
    std::vector<Coordinates> reads(block.in.rows), writes(block.in.rows);
    for (const MatrixEntry& entry : block.in.entries) reads[entry.row].insert(entry.column);
    for (const MatrixEntry& entry : block.out.entries) writes[entry.column].insert(entry.row);
    std::map<std::pair<std::vector<std::string>, std::vector<std::string>>, std::size_t> known;
    struct Group {
      Coordinates reads, writes;
      std::size_t units = 0;
    };
    std::vector<Group> groups;
    for (std::size_t unit = 0; unit < block.in.rows; ++unit) {
      const auto [entry, inserted] =
          known.try_emplace(std::pair(kinds(reads[unit]), kinds(writes[unit])), groups.size());
      if (inserted) groups.emplace_back();
      Group& group = groups[entry->second];
      group.reads.insert(reads[unit].begin(), reads[unit].end());
      group.writes.insert(writes[unit].begin(), writes[unit].end());
      ++group.units;
    }
    for (const Group& group : groups)
      view.parts.push_back({"group",
                            "",
                            {"reads " + list(group.reads), "adds to " + list(group.writes)},
                            group.units});
  }

  /// What distinguishes groups of units: the families of cells, or merely "unnamed".
  std::vector<std::string> kinds(const Coordinates& coordinates) const {
    std::set<std::string> result;
    for (const std::uint32_t c : coordinates) {
      if (names_.is_mirror(c)) continue;
      std::string name = names_.component(c);
      name = name.substr(0, name.find_last_of('['));
      const std::size_t dot = name.find_last_of('.');
      if (dot != std::string::npos && dot + 1 < name.size() &&
          name.find_first_not_of("0123456789", dot + 1) == std::string::npos)
        name.resize(dot);
      result.insert(std::move(name));
    }
    return {result.begin(), result.end()};
  }

  // --- ends --------------------------------------------------------------------------------------

  std::vector<std::string> embedding() const {
    std::vector<std::string> lines, kinds;
    Coordinates filled;
    for (const auto& [kind, vector] : model_.embedding) filled.merge(coordinates_of(vector));
    for (const std::string& kind : extra_kinds(model_.input)) kinds.push_back(visible_letter(kind));
    for (const std::string& letter : model_.alphabet) kinds.push_back(visible_letter(letter));
    if (const auto* cells = std::get_if<CellsInput>(&model_.input)) {
      lines.push_back("raw streams: one number per token for " + shortened(cells->names));
    } else {
      lines.push_back(counted(kinds.size(), "token kind") + ": " + shortened(kinds));
    }
    const auto* graph = std::get_if<GraphInput>(&model_.input);
    if (graph && graph->layout == GraphInput::Layout::rows)
      lines.push_back(
          fmt::format("given: a row of the adjacency matrix, +1 or -1, for each of {} vertices",
                      graph->size.value_or(0)));
    if (!filled.empty()) lines.push_back("fills " + list(names_.whole_cells(filled)));
    if (fitted_) explain_letters(lines);
    return lines;
  }

  static std::string shortened(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < kListedKinds; ++i)
      text += (i == 0 ? "" : ", ") + cut_text(names[i], 24);
    if (names.size() > kListedKinds)
      text += fmt::format(" and {} more", names.size() - kListedKinds);
    return text.empty() ? "none" : text;
  }

  /// "a: d.0…d.4 = 1 2 3 4 0", when that stays short.
  void explain_letters(std::vector<std::string>& lines) const {
    const Program& program = fitted_->program();
    if (program.embedding.size() > kExplainedKinds) return;
    std::vector<std::string> explained;
    for (const auto& [kind, fills] : program.embedding) {
      if (fills.empty() || fills.size() > kExplainedKinds) return;
      std::vector<std::string> cells;
      std::string values;
      for (const TokenFill& fill : fills) {
        const Cell& cell = program.cells[fill.cell];
        cells.push_back(cell.name);
        const auto* onehot = std::get_if<OneHotType>(&cell.type);
        values += " " + (onehot ? cut_text(onehot->labels[fill.value], 12)
                                : std::string(fill.value ? "true" : "false"));
      }
      explained.push_back(cut_text(visible_letter(kind), 24) + ": " + families(cells) + " =" +
                          values);
    }
    lines.insert(lines.end(), explained.begin(), explained.end());
  }

  std::vector<std::string> position() const {
    return std::visit(
        Overload{
            [&](const FirstFlagPosition& p) -> std::vector<std::string> {
              return {std::string(kFirstFlag) + ": separates the first position",
                      "first: " + values(p.first), "others: " + values(p.rest)};
            },
            [&](const CodePosition& p) {
              std::vector<std::string> lines = {code_name(p.code) + " code of position p"};
              if (!p.parity.empty())
                lines.push_back("even p: " + values(p.parity) + "; odd p: negated");
              for (const CodeFill& fill : p.fills) {
                const Coordinates at(fill.at.begin(), fill.at.end());
                if (names_.describe(at).empty()) continue;  // mirrors
                std::string line = list(at) + ": code of ";
                line += fill.back == 0 ? "p" : fmt::format("max(p-{}, 0)", fill.back);
                if (!(fill.scale == Rational(1))) line += ", times " + fill.scale.text();
                lines.push_back(std::move(line));
              }
              return lines;
            },
            [&](const TablePosition& p) -> std::vector<std::string> {
              Coordinates filled;
              for (const SparseVector& row : p.rows) filled.merge(coordinates_of(row));
              return {"table of " + counted(p.rows.size(), "position"), "fills " + list(filled)};
            }},
        model_.position);
  }

  std::string values(const SparseVector& vector) const {
    std::string text;
    for (const SparseEntry& entry : vector)
      if (!names_.is_mirror(entry.index))
        text +=
            (text.empty() ? "" : ", ") + names_.component(entry.index) + " = " + entry.value.text();
    return text.empty() ? "nothing" : text;
  }

  Coordinates rows_read(std::size_t first, std::size_t count) const {
    Coordinates read;
    for (const MatrixEntry& entry : model_.unembedding.entries)
      if (entry.row >= first && entry.row < first + count) read.insert(entry.column);
    return read;
  }

  std::vector<std::string> output() const {
    if (const auto* cells = std::get_if<CellsOutput>(&model_.output))
      return {"logits of every token: " + shortened(cells->names),
              "reads " + list(columns_of(model_.unembedding))};
    if (std::holds_alternative<RelationOutput>(model_.output))
      return {"token i, row j: whether vertex j can be reached from vertex i, by the sign",
              "reads " + list(columns_of(model_.unembedding))};
    const auto& accept = std::get<AcceptOutput>(model_.output);
    Coordinates read = rows_read(accept.accept, 1);
    read.merge(rows_read(accept.reject, 1));
    std::vector<std::string> lines = {
        "last token: accept or reject, the larger logit; a tie is undecided",
        "reads " + list(read)};
    if (const auto* t = std::get_if<TransformationReadout>(&accept.prefix)) {
      std::size_t rows = 0;
      for (const auto& images : t->images) rows += images.size();
      lines.push_back("every token: prefix product, the image of each of " +
                      counted(t->points, "point"));
      lines.push_back("reads " + list(rows_read(t->first_row, rows)));
    } else if (const auto* e = std::get_if<ElementReadout>(&accept.prefix)) {
      lines.push_back("every token: prefix product, one of " +
                      counted(e->elements.size(), "element"));
      lines.push_back("reads " + list(rows_read(e->first_row, e->elements.size())));
    } else if (const auto* s = std::get_if<StateReadout>(&accept.prefix)) {
      lines.push_back("every token: the state after its prefix, one of " +
                      std::to_string(s->states));
      lines.push_back("reads " + list(rows_read(s->first_row, s->states)));
    }
    return lines;
  }

  // --- the index of cells ------------------------------------------------------------------------

  std::vector<CellRow> cells() const {
    std::vector<CellRow> rows;
    for (const CellFamily& family : names_.families()) {
      std::set<std::string> types, lifetimes;
      Coordinates all;
      for (const std::string& name : family.cells) {
        const CellIndex& cell = model_.cells.at(name);
        types.insert(type_of(name, cell));
        lifetimes.insert(cell.lifetime);
        all.insert(cell.coordinates.begin(), cell.coordinates.end());
      }
      const auto list = [](const std::set<std::string>& items) {
        return joined({items.begin(), items.end()}, " / ");
      };
      rows.push_back(
          {family.text, list(types), number_ranges({all.begin(), all.end()}, 5), list(lifetimes)});
    }
    return rows;
  }

  std::string type_of(const std::string& name, const CellIndex& index) const {
    const auto cell = fitted_ ? fitted_->program().find(name) : std::nullopt;
    if (!cell) return index.type;
    return std::visit(Overload{[](const OneHotType& t) {
                                 return fmt::format("one-hot, {} labels", t.labels.size());
                               },
                               [](const KeyType& t) { return "key, " + code_name(t.code); },
                               [](const PointerType& t) { return "pointer, " + code_name(t.code); },
                               [&](const auto&) { return index.type; }},
                      fitted_->program().cells[*cell].type);
  }
  const Model& model_;
  CellNames names_;
  CarriedProgram carried_;
  const FittedProgram* fitted_;
};

}  // namespace

CircuitView view_circuit(const Model& model) {
  return Viewer(model).view();
}

std::string title_of(const Model& model) {
  return model.name.empty() ? "unnamed model" : model.name;
}

std::string visible_letter(std::string_view letter) {
  for (const char* kind : {kBeginToken, kEndToken, kEdgeToken, kNoEdgeToken, kPadToken,
                           kSourceToken, kTargetToken, kVertexToken})
    if (letter == kind) return std::string(letter.substr(1, letter.size() - 2));
  if (letter.empty()) return "\xCE\xB5";  // epsilon
  std::string result;
  for (const char c : letter) {
    if (c == ' ') {
      result += "\xE2\x90\xA3";  // open box
    } else {
      result += c;
    }
  }
  return result;
}

}}  // namespace logdepth::report_pictures
