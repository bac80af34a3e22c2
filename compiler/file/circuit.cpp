#include "compiler/file/circuit.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/quoted_text.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth { inline namespace compiler_file {
namespace {

using Coordinates = std::set<std::uint32_t>;
using Vector = std::map<std::uint32_t, Rational>;  // of the stream, no zeros

/// One thing that a node can write: a token's vector, the code of a position, what one coordinate
/// that a head reads becomes, the output of a unit.
struct Column {
  std::string kind;
  std::uint32_t source = 0;  // coordinate or unit
  Vector vector;
};
using Columns = std::vector<Column>;

Vector to_vector(const SparseVector& sparse) {
  Vector vector;
  for (const SparseEntry& e : sparse)
    if (!e.value.is_zero()) vector[e.index] = e.value;
  return vector;
}

void add(Vector& to, std::uint32_t at, const Rational& value) {
  const auto [entry, inserted] = to.try_emplace(at, value);
  if (inserted) return;
  entry->second += value;
  if (entry->second.is_zero()) to.erase(entry);
}

Coordinates columns_of(const SparseMatrix& matrix) {
  Coordinates all;
  for (const MatrixEntry& e : matrix.entries) all.insert(e.column);
  return all;
}

bool meet(const Coordinates& a, const Coordinates& b) {
  return std::ranges::any_of(a, [&](std::uint32_t c) { return b.contains(c); });
}

/// What part of a node reads the stream, and how.
struct Reader {
  const SparseMatrix* matrix = nullptr;
  const SparseVector* mask = nullptr;  // null: the stream itself, as the logits
  bool folded = true;                  // the scale of the norm is proved
};

/// What does not depend on where in a run the two nodes stand.
struct FileEdge {
  CircuitEdge::Kind kind = CircuitEdge::Kind::none;
  std::size_t entries = 0;
  std::optional<CircuitEdge::Reason> reason;
  Coordinates through, used;  // coordinates of nonzero products; all that are read
};

class Builder {
 public:
  Builder(const Model& model, std::uint64_t letters, CircuitNorms norms)
      : model_(model),
        norms_(norms),
        carried_(model, Trust::plausible),
        fitted_(carried_.fitted()),
        names_(model, fitted_ ? &fitted_->program() : nullptr) {
    const CarriedProgram proved(model, Trust::recompiled);
    facts_ = proved.trust() == Trust::recompiled ? proved.facts() : no_facts(model);
    const auto& word = std::get<WordInput>(model.input);
    circuit_.letters = letters;
    circuit_.tokens = letters + word.begin + word.end;
    circuit_.loops = loops_at(model.unroll, letters);
  }

  Circuit build() {
    for (std::uint32_t c = 0; c < model_.width; ++c)
      circuit_.coordinates.push_back((names_.is_mirror(c) ? "-" : "") + names_.component(c));
    add_inputs();
    for (const Block block : {Block::initial, Block::repeated, Block::final})
      for (std::uint64_t i = 0; i < (block == Block::repeated ? circuit_.loops : 1); ++i)
        for (std::size_t l = 0; l < model_.layers.size(); ++l)
          if (model_.layers[l].block == block) add_layer(l);
    CircuitNode logits{"logits", CircuitNode::Kind::logits, 2 * circuit_.layers + 2};
    add_reader(logits, "", {&model_.unembedding, nullptr, true});
    circuit_.nodes.push_back(std::move(logits));
    spread_letters();
    for (std::size_t target = 0; target < circuit_.nodes.size(); ++target) add_edges(target);
    return std::move(circuit_);
  }

 private:
  // --- nodes -------------------------------------------------------------------------------------

  /// Nodes with the same place in the file write and read the same.
  using Place = std::tuple<CircuitNode::Kind, std::size_t, std::size_t>;
  static Place place(const CircuitNode& node) { return {node.kind, node.file_layer, node.head}; }

  void add_node(CircuitNode node, Columns columns) {
    Coordinates written;
    for (const Column& column : columns)
      for (const auto& [at, value] : column.vector) written.insert(at);
    node.writes = names_.cells(written);
    columns_.try_emplace(place(node), std::move(columns));
    circuit_.nodes.push_back(std::move(node));
  }

  void add_reader(CircuitNode& node, const std::string& part, const Reader& reader) {
    readers_[place(node)][part] = reader;
    node.reads[part] = names_.cells(read_by(reader));
  }

  Coordinates read_by(const Reader& reader) const {
    Coordinates all = columns_of(*reader.matrix);
    if (!reader.mask) return all;
    Coordinates kept;
    for (const SparseEntry& e : *reader.mask)
      if (all.contains(e.index)) kept.insert(e.index);
    return kept;
  }

  void add_inputs() {
    Columns tokens, positions;
    for (const auto& [kind, vector] : model_.embedding)
      tokens.push_back({"token " + kind, 0, to_vector(vector)});
    for (std::size_t p = 0; p < circuit_.tokens; ++p)
      positions.push_back(
          {fmt::format("position {}", p), 0, to_vector(position_row(model_.position, p))});
    add_node({"embed", CircuitNode::Kind::embed, 0}, std::move(tokens));
    add_node({"pos", CircuitNode::Kind::pos, 1}, std::move(positions));
  }

  void add_layer(std::size_t l) {
    const Layer& layer = model_.layers[l];
    const LayerFacts& facts = facts_.layers[l];
    circuit_.attention_folded.push_back(facts.attention.scale.has_value());
    circuit_.feedforward_folded.push_back(facts.feedforward.scale.has_value());
    const std::size_t run = circuit_.layers++;
    circuit_.heads = std::max(circuit_.heads, layer.attention.heads.size());
    for (std::size_t k = 0; k < layer.attention.heads.size(); ++k) {
      const Head& head = layer.attention.heads[k];
      CircuitNode node{
          fmt::format("a{}.h{}", run, k), CircuitNode::Kind::head, 2 * run + 2, run, l, k};
      node.title = fitted_ ? std::get<FetchStatement>(*fitted_->statements(l).attention[k]).name
                           : fmt::format("head {}", k + 1);
      node.selects = contract_text(names_, head.contract);
      node.copies = head_writes(names_, head, fitted_ != nullptr);
      for (const auto& [part, matrix] :
           {std::pair("q", &head.query), std::pair("k", &head.key), std::pair("v", &head.value)})
        add_reader(node, part, {matrix, &layer.attention.mask, facts.attention.scale.has_value()});
      add_node(std::move(node), columns_of_head(head, layer.attention.mask));
    }
    if (layer.feedforward.in.rows == 0) return;
    CircuitNode node{fmt::format("m{}", run), CircuitNode::Kind::mlp, 2 * run + 3, run, l};
    node.units = units_of(l);
    add_reader(
        node, "",
        {&layer.feedforward.in, &layer.feedforward.mask, facts.feedforward.scale.has_value()});
    add_node(std::move(node), columns_of_units(layer.feedforward));
  }

  /// O V D, a column for each coordinate that is read.
  static Columns columns_of_head(const Head& head, const SparseVector& mask) {
    std::map<std::uint32_t, Vector> out;  // by row of the values
    for (const MatrixEntry& e : head.output.entries) out[e.column][e.row] = e.value;
    const Vector kept = to_vector(mask);
    std::map<std::uint32_t, Vector> columns;
    for (const MatrixEntry& e : head.value.entries)
      if (const auto factor = kept.find(e.column); factor != kept.end())
        for (const auto& [at, value] : out[e.row])
          add(columns[e.column], at, e.value * factor->second * value);
    Columns all;
    for (auto& [coordinate, vector] : columns)
      if (!vector.empty())
        all.push_back({fmt::format("coordinate {}", coordinate), coordinate, std::move(vector)});
    return all;
  }

  /// Units that read nothing are 0.
  static Columns columns_of_units(const FeedForward& block) {
    std::set<std::uint32_t> live;
    const Vector kept = to_vector(block.mask);
    for (const MatrixEntry& e : block.in.entries)
      if (kept.contains(e.column)) live.insert(e.row);
    std::map<std::uint32_t, Vector> columns;
    for (const MatrixEntry& e : block.out.entries)
      if (live.contains(e.column)) columns[e.column][e.row] = e.value;
    Columns all;
    for (auto& [unit, vector] : columns)
      all.push_back({fmt::format("unit {}", unit), unit, std::move(vector)});
    return all;
  }

  // --- units in words ----------------------------------------------------------------------------

  /// "cur=b", "first", "not first" of a flag, "-sd=c".
  std::string literal(std::uint32_t coordinate, bool positive) const {
    const std::string name = names_.component(coordinate);
    if (positive) return name;
    const auto cell = model_.cells.find(name);
    return (cell != model_.cells.end() && cell->second.type == "flag" ? "not " : "-") + name;
  }
  bool is_constant(std::uint32_t coordinate) const {
    const auto cell = model_.cells.find(names_.component(coordinate));
    return cell != model_.cells.end() && cell->second.type == "constant";
  }

  std::vector<CircuitUnit> units_of(std::size_t l) const {
    const FeedForward& block = model_.layers[l].feedforward;
    std::vector<CircuitUnit> units(block.in.rows);
    for (const MatrixEntry& e : block.in.entries)
      if (!is_constant(e.column) && !names_.is_mirror(e.column))
        units[e.row].when.push_back(literal(e.column, e.value.sign() > 0));
    for (const MatrixEntry& e : block.out.entries)
      if (!names_.is_mirror(e.row))
        units[e.column].then.push_back(literal(e.row, e.value.sign() > 0));
    if (fitted_) name_rules(l, units);
    return units;
  }

  /// A unit with the conditions and the assignments of a rule is that rule's.
  void name_rules(std::size_t l, std::vector<CircuitUnit>& units) const {
    const Program& program = fitted_->program();
    const auto written = [&](CellId id, std::uint32_t value) -> std::string {
      const Cell& cell = program.cells[id];
      if (const auto* onehot = std::get_if<OneHotType>(&cell.type))
        return cell.name + "=" + onehot->labels[value];
      return (value ? "" : "not ") + cell.name;
    };
    using Rules = std::pair<std::set<std::string>, std::set<std::string>>;
    std::map<Rules, std::string> lookups;
    for (const Statement* statement : fitted_->statements(l).feedforward)
      if (const auto* lookup = std::get_if<LookupStatement>(statement)) {
        std::set<std::string> always;
        for (const Assignment& one : lookup->otherwise) always.insert(written(one.cell, one.value));
        if (!always.empty()) lookups[{{}, always}] = lookup->name;
        for (const Rule& rule : lookup->rules) {
          Rules key;
          for (const Literal& one : rule.when) key.first.insert(written(one.cell, one.value));
          for (const Assignment& one : rule.then) {
            const auto other = value_in(lookup->otherwise, one.cell);
            if (other == one.value) continue;  // nothing is to be changed
            key.second.insert(written(one.cell, one.value));
            if (other && std::holds_alternative<OneHotType>(program.cells[one.cell].type))
              key.second.insert("-" + written(one.cell, *other));
          }
          lookups[key] = lookup->name;
        }
      }
    for (CircuitUnit& unit : units)
      if (const auto rule = lookups.find(
              {{unit.when.begin(), unit.when.end()}, {unit.then.begin(), unit.then.end()}});
          rule != lookups.end())
        unit.lookup = rule->second;
  }

  // --- what may depend on the letters ------------------------------------------------------------

  /// What every node writes may depend on the letters in these coordinates: what reads such a coordinate,
  /// writes them all; a head whose selection does, too; and a norm without a proved scale takes it
  /// everywhere.
  void spread_letters() {
    Coordinates differ;
    const SparseVector& first = model_.embedding.at(model_.alphabet.front());
    for (const std::string& letter : model_.alphabet) {
      Vector other = to_vector(model_.embedding.at(letter));
      for (const SparseEntry& e : first) add(other, e.index, -e.value);
      for (const auto& [at, value] : other) differ.insert(at);
    }
    Coordinates all = differ;
    std::size_t order = 0;
    Coordinates next;  // of nodes that read the same stream
    for (const CircuitNode& node : circuit_.nodes) {
      if (node.order != order) all.merge(std::exchange(next, {}));
      order = node.order;
      Coordinates& content = content_.emplace_back();
      if (node.kind == CircuitNode::Kind::embed) content = differ;
      if (node.kind != CircuitNode::Kind::head && node.kind != CircuitNode::Kind::mlp) continue;
      content = letters_in(node, all);
      next.insert(content.begin(), content.end());
    }
  }

  Coordinates letters_in(const CircuitNode& node, const Coordinates& known) const {
    const auto& readers = readers_.at(place(node));
    const Reader& any = readers.begin()->second;
    Coordinates masked;
    for (const SparseEntry& e : *any.mask) masked.insert(e.index);
    bool whole = !any.folded && meet(masked, known);
    if (node.kind == CircuitNode::Kind::head)
      whole |= meet(read_by(readers.at("q")), known) || meet(read_by(readers.at("k")), known);
    std::set<std::uint32_t> sources;  // coordinates of a head, units of an mlp
    for (const MatrixEntry& e : any.matrix->entries)
      if (node.kind == CircuitNode::Kind::mlp && masked.contains(e.column) &&
          known.contains(e.column))
        sources.insert(e.row);
    if (node.kind == CircuitNode::Kind::head) sources = known;
    Coordinates content;
    for (const Column& column : columns_.at(place(node)))
      if (whole || sources.contains(column.source))
        for (const auto& [at, value] : column.vector) content.insert(at);
    return content;
  }

  // --- edges -------------------------------------------------------------------------------------

  void add_edges(std::size_t target) {
    const CircuitNode& reader = circuit_.nodes[target];
    const auto parts = readers_.find(place(reader));
    if (parts == readers_.end()) return;
    for (const char* part : {"q", "k", "v", ""}) {
      const auto read = parts->second.find(part);
      if (read == parts->second.end()) continue;
      for (std::size_t source = 0; source < circuit_.nodes.size(); ++source) {
        const CircuitNode& writer = circuit_.nodes[source];
        if (writer.order >= reader.order) continue;
        const auto key = std::make_tuple(place(writer), place(reader), std::string(part));
        auto known = file_edges_.find(key);
        if (known == file_edges_.end())
          known = file_edges_.emplace(key, file_edge(writer, part, read->second)).first;
        const FileEdge& of = known->second;
        CircuitEdge edge{source, target, part, of.kind};
        edge.varies = of.kind == CircuitEdge::Kind::structural && meet(content_[source], of.used);
        edge.entries = of.entries;
        edge.reason = of.reason;
        edge.cells = names_.cells(of.through);
        if (fitted_) edge.read_cells = held(edge);
        circuit_.edges.push_back(std::move(edge));
      }
    }
  }

  FileEdge file_edge(const CircuitNode& writer, const std::string& part,
                     const Reader& reader) const {
    FileEdge edge;
    edge.used = read_by(reader);
    const Vector mask = reader.mask ? to_vector(*reader.mask) : Vector();
    const bool computed = reader.mask && (norms_ == CircuitNorms::file || !reader.folded);
    std::map<std::uint32_t, std::vector<const MatrixEntry*>> entries;  // by column
    for (const MatrixEntry& e : reader.matrix->entries) entries[e.column].push_back(&e);
    bool scales = false;
    for (const Column& column : columns_.at(place(writer))) {
      const Vector x = seen(column.vector, reader.mask ? &mask : nullptr, computed);
      scales |= computed && !x.empty() && part != "q";
      Vector product;
      for (const auto& [at, value] : x)
        if (const auto rows = entries.find(at); rows != entries.end())
          for (const MatrixEntry* e : rows->second) add(product, e->row, e->value * value);
      for (const auto& [row, value] : product)
        if (!edge.reason || edge.reason->value.abs() < value.abs())
          edge.reason = CircuitEdge::Reason{row, column.kind, value};
      edge.entries += product.size();
      for (const auto& [at, value] : x)
        if (const auto rows = entries.find(at); rows != entries.end())
          if (std::ranges::any_of(rows->second,
                                  [&](const MatrixEntry* e) { return product.contains(e->row); }))
            edge.through.insert(at);
    }
    if (edge.entries > 0) {
      edge.kind = CircuitEdge::Kind::structural;
    } else if (scales) {
      edge.kind = CircuitEdge::Kind::norm;
    }
    return edge;
  }

  /// C D w.
  Vector seen(const Vector& w, const Vector* mask, bool centred) const {
    if (!mask) return w;
    Vector x;
    Rational sum;
    for (const auto& [at, value] : w)
      if (const auto factor = mask->find(at); factor != mask->end()) {
        x[at] = value * factor->second;
        sum += x[at];
      }
    if (!centred || model_.norm != Norm::layernorm || sum.is_zero()) return x;
    const Rational mean = sum / Rational(model_.width);
    for (std::uint32_t at = 0; at < model_.width; ++at) add(x, at, -mean);
    return x;
  }

  /// The cells of an edge that are not zero at every token somewhere between its ends.
  std::vector<std::string> held(const CircuitEdge& edge) const {
    std::set<std::string> gone;
    for (const CircuitNode& node : circuit_.nodes) {
      if (node.kind != CircuitNode::Kind::mlp || node.order < circuit_.nodes[edge.source].order ||
          node.order >= circuit_.nodes[edge.target].order)
        continue;
      for (const Statement* statement : fitted_->statements(node.file_layer).feedforward)
        if (const auto* erased = std::get_if<EraseStatement>(statement))
          for (const CellId cell : erased->cells) gone.insert(fitted_->program().cells[cell].name);
    }
    std::vector<std::string> left = edge.cells;
    std::erase_if(left, [&](const std::string& cell) { return gone.contains(cell); });
    return left;
  }

  const Model& model_;
  const CircuitNorms norms_;
  const CarriedProgram carried_;
  const FittedProgram* fitted_;
  const CellNames names_;
  PrecisionFacts facts_;
  Circuit circuit_;
  std::map<Place, Columns> columns_;
  std::map<Place, std::map<std::string, Reader>> readers_;
  std::map<std::tuple<Place, Place, std::string>, FileEdge> file_edges_;
  std::vector<Coordinates> content_;  // by node
};

}  // namespace

std::size_t Circuit::count(CircuitEdge::Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count(edges, kind, &CircuitEdge::kind));
}

Circuit circuit_of(const Model& model, std::uint64_t letters, CircuitNorms norms) {
  if (!std::holds_alternative<WordInput>(model.input))
    throw InputError("the weights file " + in_quotes(model.name) +
                     " reads no words; expected a network of words, whose circuit is one for all "
                     "inputs of a length");
  return Builder(model, letters, norms).build();
}

}}  // namespace logdepth::compiler_file
