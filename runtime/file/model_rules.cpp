#include "runtime/file/model_rules.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

/// A place in the file, linked to the place around it: costs nothing until a rule is broken.
class Place {
 public:
  Place() = default;
  Place operator/(std::string_view name) const { return Place(this, name, 0); }
  Place operator/(std::size_t index) const { return Place(this, {}, index); }
  JsonPath path() const {
    if (outer_ == nullptr) return {};
    JsonPath path = outer_->path();
    if (name_.data() == nullptr) {
      path.emplace_back(index_);
    } else {
      path.emplace_back(std::string(name_));
    }
    return path;
  }

 private:
  Place(const Place* outer, std::string_view name, std::size_t index)
      : outer_(outer), name_(name), index_(index) {}
  const Place* outer_ = nullptr;
  std::string_view name_;  ///< no data: an index
  std::size_t index_ = 0;
};

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// Throws the Violation.
[[noreturn]] void violate(const Place& place, std::string sentence) {
  throw Violation{place.path(), std::move(sentence)};
}

void check_text(const std::string& text, const Place& place) {
  if (!is_utf8(text)) violate(place, "the text is not UTF-8");
}

void check_texts(const std::vector<std::string>& texts, const Place& place) {
  for (std::size_t i = 0; i < texts.size(); ++i) check_text(texts[i], place / i);
}

void check_distinct_names(const std::vector<std::string>& names, const Place& place) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    check_text(names[i], place / i);
    if (names[i].empty()) violate(place / i, "a name is empty");
    if (!seen.insert(names[i]).second) {
      violate(place / i, "the name " + shown(names[i]) + " appears twice");
    }
  }
}

void check_json(const JsonText& json, const Place& place) {
  try {
    // Inside a file the value lies two levels down.
    const JsonTape tape = JsonTape::parse("[[" + json.text + "]]", "text");
    if (tape.count_elements(1) != 1) violate(place, "expected one JSON value");
  } catch (const InputError& error) {
    violate(place, std::string("expected a JSON value: ") + error.what());
  }
}

void check_value(const Rational& value, const Place& place) {
  if (value.is_zero()) violate(place, "the value 0 is written out; leave the entry out");
}

void check_members(const OpenMembers& members, const Place& place) {
  for (const auto& member : members) {
    check_text(member.first, place);
    const Place inside = place / member.first;
    std::visit(Overload{[&](const std::string& text) { check_text(text, inside); },
                        [&](const JsonText& json) { check_json(json, inside); }},
               member.second);
  }
}

void check_vector(const SparseVector& vector, std::uint32_t width, const Place& place) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const Place entry = place / i;
    if (vector[i].index >= width) {
      violate(entry,
              "index " + number(vector[i].index) + " is not below the width " + number(width));
    }
    if (i > 0 && vector[i].index <= vector[i - 1].index) {
      violate(entry, "index " + number(vector[i].index) + " does not increase");
    }
    check_value(vector[i].value, entry);
  }
}

void check_matrix(const SparseMatrix& matrix, const Place& place) {
  if (matrix.rows > kMaxUnits) {
    violate(place / "rows", "more than the limit of " + number(kMaxUnits));
  }
  if (matrix.columns > kMaxUnits) {
    violate(place / "columns", "more than the limit of " + number(kMaxUnits));
  }
  const Place entries = place / "entries";
  for (std::size_t i = 0; i < matrix.entries.size(); ++i) {
    const MatrixEntry& e = matrix.entries[i];
    const Place entry = entries / i;
    if (e.row >= matrix.rows || e.column >= matrix.columns) {
      violate(entry, "entry (" + number(e.row) + "," + number(e.column) + ") is outside " +
                         number(matrix.rows) + " rows and " + number(matrix.columns) + " columns");
    }
    if (i > 0) {
      const MatrixEntry& before = matrix.entries[i - 1];
      if (std::pair(e.row, e.column) <= std::pair(before.row, before.column)) {
        violate(entry, "entry (" + number(e.row) + "," + number(e.column) +
                           ") is not after the one before it in row-major order");
      }
    }
    check_value(e.value, entry);
  }
}

void expect_dimension(std::uint32_t actual, std::uint32_t expected, const Place& place,
                      const char* meaning) {
  if (actual != expected) {
    violate(place, "expected " + number(expected) + " (" + meaning + "), found " + number(actual));
  }
}

void check_letters(const std::vector<std::string>& alphabet, const Place& place) {
  check_distinct_names(alphabet, place);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    if (alphabet[i] == kBeginToken || alphabet[i] == kEndToken) {
      violate(place / i, "a letter must not be " + shown(alphabet[i]) + ", the name of the " +
                             (alphabet[i] == kBeginToken ? "beginning" : "end") + " token");
    }
    if (alphabet[i].find(' ') != std::string::npos ||
        printable(alphabet[i], alphabet[i].size()) != alphabet[i]) {
      violate(place / i, "a letter must not contain white space or control characters");
    }
  }
}

/// `values` given values per token, with their negatives in the other half if `mirrored`.
void check_given(std::uint64_t values, bool mirrored, const Model& model, const Place& place,
                 const char* what) {
  if (mirrored && model.width % 2 != 0) {
    violate(place, "mirrored values need an even width, found " + number(model.width));
  }
  const std::uint32_t room = mirrored ? model.width / 2 : model.width;
  if (values > room) {
    violate(place, number(values) + what + " for a width of " + number(model.width) +
                       (mirrored ? ", half of it mirrors" : ""));
  }
}

void check_graph_input(const GraphInput& graph, const Model& model, const Place& input) {
  if (graph.size == 0u) violate(input / "size", "expected at least one vertex");
  if (graph.layout == GraphInput::Layout::adjacency) {
    if (graph.mirrored) violate(input, "`mirrored` belongs to the layout \"rows\"");
    return;
  }
  if (graph.padding != GraphInput::Padding::n3_minus_n2) {
    violate(input, "`padding` belongs to the layout \"adjacency\"");
  }
  if (!graph.size) violate(input, "the layout \"rows\" needs a `size`");
  check_given(*graph.size, graph.mirrored, model, input / "size", " vertices");
}

void check_embedding(const Model& model, const Place& root) {
  const Place embedding = root / "embedding";
  std::set<std::string> kinds(model.alphabet.begin(), model.alphabet.end());
  kinds.merge([&] {
    const auto extra = extra_kinds(model.input);
    return std::set<std::string>(extra.begin(), extra.end());
  }());
  for (const auto& [kind, vector] : model.embedding) {
    check_text(kind, embedding);
    if (!kinds.contains(kind)) {
      violate(embedding / kind,
              "no such token kind: neither a letter of the alphabet nor a token that the input "
              "adds, such as \"<begin>\" where a word begins with one");
    }
    check_vector(vector, model.width, embedding / kind);
  }
  for (const auto& kind : kinds) {
    if (!model.embedding.contains(kind)) {
      violate(embedding, "the token kind " + shown(kind) + " has no embedding");
    }
  }
}

void check_input(const Model& model, const Place& root) {
  const Place alphabet = root / "alphabet";
  const Place input = root / "input";
  check_letters(model.alphabet, alphabet);
  if (std::holds_alternative<WordInput>(model.input)) {
    if (model.alphabet.empty()) violate(alphabet, "a word needs at least one letter");
  } else if (!model.alphabet.empty()) {
    violate(alphabet, "must be empty when the input is not a word");
  }
  if (const auto* cells = std::get_if<CellsInput>(&model.input)) {
    const Place names = input / "names";
    check_distinct_names(cells->names, names);
    check_given(cells->names.size(), cells->mirrored, model, names, " names");
    if (!model.embedding.empty()) {
      violate(root / "embedding", "must be empty when the input is cells");
    }
    return;
  }
  if (const auto* graph = std::get_if<GraphInput>(&model.input)) {
    check_graph_input(*graph, model, input);
  }
  check_embedding(model, root);
}

/// Each row of the unembedding has one reader.
class RowClaims {
 public:
  explicit RowClaims(std::uint32_t rows) : claimed_(rows) {}
  void claim(std::uint64_t row, const Place& place) {
    if (row >= claimed_.size()) {
      violate(place, "row " + number(row) + " is outside the unembedding of " +
                         number(claimed_.size()) + " rows");
    }
    const auto claimed = claimed_.begin() + static_cast<std::ptrdiff_t>(row);
    if (*claimed) violate(place, "row " + number(row) + " already has another meaning");
    *claimed = true;
  }
  void expect_all(const Place& place) const {
    const auto free = std::find(claimed_.begin(), claimed_.end(), false);
    if (free != claimed_.end()) {
      violate(place, "row " + number(static_cast<std::uint64_t>(free - claimed_.begin())) +
                         " of the unembedding has no meaning in the output");
    }
  }

 private:
  std::vector<bool> claimed_;
};

void claim_rows(RowClaims& rows, const TransformationReadout& prefix, const Place& place) {
  const Place images = place / "images";
  if (prefix.points == 0) violate(place / "points", "expected at least one point");
  if (prefix.images.size() != prefix.points) {
    violate(images, "expected one list per point (" + number(prefix.points) + "), found " +
                        number(prefix.images.size()));
  }
  std::uint64_t row = prefix.first_row;
  for (std::size_t q = 0; q < prefix.images.size(); ++q) {
    const auto& choices = prefix.images[q];
    const Place list = images / q;
    if (choices.empty()) violate(list, "a point has no possible image");
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] >= prefix.points) {
        violate(list / i, "image " + number(choices[i]) + " is not a point");
      }
      if (i > 0 && choices[i] <= choices[i - 1]) violate(list / i, "images do not increase");
      rows.claim(row++, place / "first_row");
    }
  }
}

void claim_rows(RowClaims& rows, const ElementReadout& prefix, const Place& place) {
  const Place elements = place / "elements";
  if (prefix.elements.empty()) violate(elements, "expected at least one element");
  std::set<std::vector<std::uint32_t>> seen;
  std::uint64_t row = prefix.first_row;
  for (std::size_t e = 0; e < prefix.elements.size(); ++e) {
    const auto& element = prefix.elements[e];
    const std::size_t points = prefix.elements.front().size();
    const Place list = elements / e;
    if (element.empty() || element.size() != points) {
      violate(list, "expected the image of each of " + number(points) + " points");
    }
    for (std::size_t q = 0; q < points; ++q) {
      if (element[q] >= points)
        violate(list / q, "image " + number(element[q]) + " is not a point");
    }
    if (!seen.insert(element).second) violate(list, "the element appears twice");
    rows.claim(row++, place / "first_row");
  }
}

void claim_rows(RowClaims& rows, const StateReadout& prefix, const Place& place) {
  if (prefix.states == 0) violate(place / "states", "expected at least one state");
  for (std::uint64_t state = 0; state < prefix.states; ++state)
    rows.claim(prefix.first_row + state, place / "first_row");
}

void check_output(const Model& model, const Place& root) {
  const Place output = root / "output";
  const Place unembedding = root / "unembedding";
  check_matrix(model.unembedding, unembedding);
  expect_dimension(model.unembedding.columns, model.width, unembedding / "columns", "the width");
  if (const auto* cells = std::get_if<CellsOutput>(&model.output)) {
    const Place names = output / "names";
    check_distinct_names(cells->names, names);
    if (cells->names.size() != model.unembedding.rows) {
      violate(names, number(cells->names.size()) + " names for the " +
                         number(model.unembedding.rows) + " rows of the unembedding");
    }
    return;
  }
  const auto* graph = std::get_if<GraphInput>(&model.input);
  const bool rows_of_graph = graph && graph->layout == GraphInput::Layout::rows;
  if (std::holds_alternative<RelationOutput>(model.output)) {
    if (!rows_of_graph) violate(output, "a relation is read from a graph of layout \"rows\"");
    expect_dimension(model.unembedding.rows, *graph->size, unembedding / "rows",
                     "the vertices of the input");
    return;
  }
  if (rows_of_graph) {
    violate(output,
            "no token of the layout \"rows\" knows source and target; expected "
            "\"relation\" or \"cells\"");
  }
  const auto& accept = std::get<AcceptOutput>(model.output);
  RowClaims rows(model.unembedding.rows);
  rows.claim(accept.accept, output / "accept");
  rows.claim(accept.reject, output / "reject");
  const Place prefix = output / "prefix";
  std::visit(Overload{[](std::monostate) {},
                      [&](const auto& readout) { claim_rows(rows, readout, prefix); }},
             accept.prefix);
  rows.expect_all(output);
}

void check_position(const Model& model, const Place& root) {
  const Place position = root / "position";
  std::visit(Overload{[&](const FirstFlagPosition& p) {
                        check_vector(p.first, model.width, position / "first");
                        check_vector(p.rest, model.width, position / "rest");
                      },
                      [&](const CodePosition& p) {
                        if (p.code.kind == PositionCode::Kind::phi)
                          violate(position / "kind", "the code phi is irrational");
                        if (!p.code.is_valid())
                          violate(position / "offset", "expected an offset of at least 1");
                        check_vector(p.parity, model.width, position / "parity");
                        const Place fills = position / "fills";
                        std::set<std::uint32_t> filled;
                        for (const SparseEntry& e : p.parity) filled.insert(e.index);
                        for (std::size_t i = 0; i < p.fills.size(); ++i) {
                          const Place fill = fills / i;
                          const Place at = fill / "at";
                          const std::size_t expected = p.code == PositionCode::two_circle ? 4 : 2;
                          if (p.fills[i].at.size() != expected) {
                            violate(at, "expected " + number(expected) + " coordinates, found " +
                                            number(p.fills[i].at.size()));
                          }
                          for (std::size_t k = 0; k < expected; ++k) {
                            const std::uint32_t coordinate = p.fills[i].at[k];
                            if (coordinate >= model.width) {
                              violate(at / k, "coordinate " + number(coordinate) +
                                                  " is not below the width " + number(model.width));
                            }
                            if (!filled.insert(coordinate).second) {
                              violate(at / k,
                                      "coordinate " + number(coordinate) + " is filled twice");
                            }
                          }
                          if (p.fills[i].scale.is_zero())
                            violate(fill / "scale", "the scale is zero");
                        }
                      },
                      [&](const TablePosition& p) {
                        const Place rows = position / "rows";
                        for (std::size_t i = 0; i < p.rows.size(); ++i) {
                          check_vector(p.rows[i], model.width, rows / i);
                        }
                      }},
             model.position);
}

void check_contract(const Head& head, std::uint32_t width, const Place& place) {
  const Place contract = place / "promise";
  if (const auto* rightmost = std::get_if<RightmostContract>(&head.contract)) {
    check_vector(rightmost->flag, width, contract / "flag");
  } else if (const auto* flagged = std::get_if<FlaggedContract>(&head.contract)) {
    check_vector(flagged->flag, width, contract / "flag");
    if (flagged->when) check_vector(*flagged->when, width, contract / "when");
  } else if (const auto* find = std::get_if<FindContract>(&head.contract)) {
    if (find->terms == 0) violate(contract / "terms", "expected at least one term");
    const std::uint64_t needed = 2 * std::uint64_t{find->terms} + (find->prefer ? 1 : 0);
    if (head.query.rows < needed) {
      violate(contract / "terms", number(find->terms) + " terms" +
                                      (find->prefer ? " and a preference" : "") + " need " +
                                      number(needed) + " rows of the query, found " +
                                      number(head.query.rows));
    }
  } else if (const auto* related = std::get_if<RelatedContract>(&head.contract)) {
    const Place pairs = contract / "pairs";
    if (related->pairs.empty()) violate(pairs, "expected at least one pair");
    for (std::size_t i = 0; i < related->pairs.size(); ++i) {
      const std::uint32_t largest = std::max(related->pairs[i].query, related->pairs[i].key);
      if (largest >= width) {
        violate(pairs / i,
                "coordinate " + number(largest) + " is not below the width " + number(width));
      }
    }
    check_vector(related->prefer, width, contract / "prefer");
  }
}

void check_head(const Head& head, std::uint32_t width, const Place& place) {
  check_matrix(head.query, place / "query");
  check_matrix(head.key, place / "key");
  check_matrix(head.value, place / "value");
  check_matrix(head.output, place / "output");
  expect_dimension(head.query.columns, width, place / "query" / "columns", "the width");
  expect_dimension(head.key.columns, width, place / "key" / "columns", "the width");
  expect_dimension(head.value.columns, width, place / "value" / "columns", "the width");
  expect_dimension(head.output.rows, width, place / "output" / "rows", "the width");
  expect_dimension(head.key.rows, head.query.rows, place / "key" / "rows", "the rows of the query");
  expect_dimension(head.output.columns, head.value.rows, place / "output" / "columns",
                   "the rows of the value");
  check_contract(head, width, place);
}

void check_layers(const Model& model, const Place& root) {
  const Place layers = root / "layers";
  const Place shape = root / "shape";
  const std::uint64_t total =
      std::uint64_t{model.shape.initial} + model.shape.repeated + model.shape.final;
  if (total > kMaxLayers)
    violate(shape, "more than the limit of " + number(kMaxLayers) + " layers");
  if (model.layers.size() != total) {
    violate(layers, "expected the " + number(total) + " layers of the shape, found " +
                        number(model.layers.size()));
  }
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const Place place = layers / i;
    const bool initial = i < model.shape.initial;
    const bool final = i >= model.shape.initial + model.shape.repeated;
    if (layer.block != (initial ? Block::initial : final ? Block::final : Block::repeated)) {
      violate(place / "block", std::string("the shape makes this layer ") + (initial ? "initial"
                                                                             : final ? "final"
                                                                                     : "repeated"));
    }
    const Place attention = place / "attention";
    const Place heads = attention / "heads";
    check_vector(layer.attention.mask, model.width, attention / "mask");
    for (std::size_t h = 0; h < layer.attention.heads.size(); ++h) {
      check_head(layer.attention.heads[h], model.width, heads / h);
    }
    const Place feedforward = place / "feedforward";
    const Place in = feedforward / "in";
    const Place out = feedforward / "out";
    check_vector(layer.feedforward.mask, model.width, feedforward / "mask");
    check_matrix(layer.feedforward.in, in);
    check_matrix(layer.feedforward.out, out);
    expect_dimension(layer.feedforward.in.columns, model.width, in / "columns", "the width");
    expect_dimension(layer.feedforward.out.rows, model.width, out / "rows", "the width");
    expect_dimension(layer.feedforward.out.columns, layer.feedforward.in.rows, out / "columns",
                     "the rows of `in`");
  }
}

void check_unroll(const Model& model, const Place& root) {
  const Place unroll = root / "unroll";
  if (model.unroll.max_length > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    violate(unroll / "max_length", "larger than 2^63 - 1");
  }
  if (model.unroll.kind == Unroll::Kind::fixed) {
    if (model.unroll.minus != 0) violate(unroll, "a fixed number of loops has no `minus`");
    if (model.unroll.base != 2) violate(unroll, "a fixed number of loops has no `base`");
    if (!std::in_range<std::size_t>(model.unroll.loops))
      violate(unroll / "loops", "more iterations than this machine can count");
    return;
  }
  if (model.unroll.minus > 1) violate(unroll / "minus", "expected 0 or 1");
  if (model.unroll.base < 2) violate(unroll / "base", "expected 2 or more");
  if (model.unroll.loops != 0) violate(unroll, "`loops` belongs to the kind \"fixed\"");
  const bool graph = std::holds_alternative<GraphInput>(model.input);
  const bool vertices = model.unroll.kind == Unroll::Kind::ceil_log2_vertices;
  if (vertices && !graph) {
    violate(unroll / "of", std::holds_alternative<WordInput>(model.input)
                               ? "a word has letters, not vertices"
                               : "cells have tokens, which count as letters, not vertices");
  }
  if (!vertices && graph) violate(unroll / "of", "a graph has vertices, not letters");
}

void check_cells(const Model& model, const Place& root) {
  const Place cells = root / "cells";
  for (const auto& [name, cell] : model.cells) {
    check_text(name, cells);
    const Place place = cells / name;
    const Place coordinates = place / "coordinates";
    for (std::size_t i = 0; i < cell.coordinates.size(); ++i) {
      if (cell.coordinates[i] >= model.width) {
        violate(coordinates / i, "coordinate " + number(cell.coordinates[i]) +
                                     " is not below the width " + number(model.width));
      }
    }
    check_text(cell.type, place / "type");
    check_text(cell.lifetime, place / "lifetime");
  }
}

void check_derived(const Derived& derived, const Place& place) {
  if (derived.depth) check_text(*derived.depth, place / "depth");
  if (derived.program) check_text(*derived.program, place / "program");
  check_members(derived.others, place);
}

void check_model(const Model& model) {
  const Place root;
  check_text(model.name, root / "name");
  check_text(model.construction, root / "construction");
  check_text(model.source, root / "source");
  check_texts(model.hypotheses, root / "hypotheses");
  check_texts(model.deviations, root / "deviations");
  check_members(model.parameters, root / "parameters");
  check_derived(model.derived, root / "derived");
  if (model.width == 0 || model.width > kMaxWidth) {
    violate(root / "width",
            "expected a number from 1 to " + number(kMaxWidth) + ", found " + number(model.width));
  }
  check_input(model, root);
  check_unroll(model, root);
  check_position(model, root);
  check_layers(model, root);
  check_output(model, root);
  check_cells(model, root);
}

/// The first rule that `check` finds broken.
template <class Check>
std::optional<Violation> violation_of(const Check& check) {
  try {
    check();
  } catch (Violation& violation) {
    return std::move(violation);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> find_violation(const Model& model) {
  return violation_of([&] { check_model(model); });
}

std::string first_violation(const Model& model) {
  const auto violation = find_violation(model);
  return violation ? violation->text() : "";
}

CheckedModel::CheckedModel(Model model, const Refuse& refuse) : model_(std::move(model)) {
  if (const auto violation = find_violation(model_)) refuse(*violation);
}

CheckedModel::CheckedModel(CheckedModel model, Derived derived, const Refuse& refuse)
    : model_(std::move(model.model_)) {
  model_.derived = std::move(derived);
  const auto check = [&] { check_derived(model_.derived, Place() / "derived"); };
  if (const auto violation = violation_of(check)) refuse(*violation);
}

CheckedModel::CheckedModel(Model model)
    : CheckedModel(std::move(model), [](const Violation& violation) {
        throw std::logic_error("this model cannot be written: " + violation.text());
      }) {}

}}  // namespace logdepth::runtime_file
