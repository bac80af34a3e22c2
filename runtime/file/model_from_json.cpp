#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/file/file_limits.hpp"
#include "runtime/file/json_reader.hpp"
#include "runtime/file/model_json.hpp"

namespace logdepth::inline runtime_file {
namespace {

class Reader : JsonReader {
 public:
  using JsonReader::JsonReader;

  Model model() const {
    check_format();
    const auto [format, version, name, construction, source, hypotheses, parameters, deviations,
                alphabet, in, out, norm, width, shape, unrolling, pos, embedding, layers,
                unembedding, cells, derived, sha256] =
        members(0, std::array{"format",     "version",    "name",       "construction", "source",
                              "hypotheses", "parameters", "deviations", "alphabet",     "input",
                              "output",     "norm",       "width",      "shape",        "unroll",
                              "position",   "embedding",  "layers",     "unembedding",  "cells?",
                              "derived?",   "sha256"});
    Model m;
    m.name = text(name);
    m.construction = text(construction);
    m.source = text(source);
    m.hypotheses = texts(hypotheses);
    m.parameters = open_members(parameters);
    m.deviations = texts(deviations);
    m.alphabet = texts(alphabet);
    m.input = input(in);
    m.output = output(out);
    m.norm = kNorms[one_of(norm, {norm_name(kNorms[0]), norm_name(kNorms[1])})];
    m.width = integer(width, 1, kMaxWidth);
    m.shape = block_counts(shape);
    m.unroll = unroll(unrolling);
    m.position = position(pos);
    expect(embedding, Kind::object);
    for (const auto& [kind, vector] : entries(embedding)) m.embedding[kind] = sparse(vector);
    m.layers = list(layers, kMaxLayers, [&](Node node) { return layer(node); });
    m.unembedding = matrix(unembedding);
    if (cells != kAbsent) m.cells = cell_index(cells);
    if (derived != kAbsent) m.derived = derived_from_json(tape_, derived, source_, m.layers);
    const auto hash = text(sha256);
    if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
      fail(sha256, "expected 64 lower-case hexadecimal digits, found " + shown(hash));
    }
    return m;
  }

 private:
  SparseVector sparse(Node node) const {
    return list(node, kMaxWidth, [&](Node child) {
      const auto [index, value] = tuple<2>(child, "[index,\"p/q\"]");
      return SparseEntry{integer(index), rational(value)};
    });
  }
  SparseMatrix matrix(Node node) const {
    const auto [rows, columns, entries] = members(node, std::array{"rows", "columns", "entries"});
    SparseMatrix m;
    m.rows = integer(rows, 0, kMaxUnits);
    m.columns = integer(columns, 0, kMaxUnits);
    m.entries = list(entries, [&](Node child) {
      const auto [row, column, value] = tuple<3>(child, "[row,column,\"p/q\"]");
      return MatrixEntry{integer(row), integer(column), rational(value)};
    });
    return m;
  }

  /// Version 1 is recognised before anything else, so that a later version is not blamed for its
  /// new keys.
  void check_format() const {
    expect(0, Kind::object);
    const auto format = find(0, "format");
    if (!format) fail(0, "the key \"format\" is missing; this is not a weights file");
    if (text(*format) != "logdepth-weights") fail(*format, "expected \"logdepth-weights\"");
    const auto version = find(0, "version");
    if (!version) fail(0, "the key \"version\" is missing");
    expect(*version, Kind::integer);
    if (tape_.integer(*version) != 1) {
      fail(*version, fmt::format("expected version 1, found {}", tape_.integer(*version)));
    }
  }

  Input input(Node node) const {
    const auto known = kind_of(node, {"word", "cells", "graph"});
    if (known == 0) {
      const auto [kind, begin, end] = members(node, std::array{"kind", "begin", "end?"});
      return WordInput{boolean(begin), flag(end)};
    }
    if (known == 1) {
      const auto [kind, names, mirrored] = members(node, std::array{"kind", "names", "mirrored?"});
      return CellsInput{texts(names), flag(mirrored)};
    }
    return graph(node);
  }
  Input graph(Node node) const {
    GraphInput out;
    const auto layout = find(node, "layout");
    if (!layout) fail(node, "the key \"layout\" is missing");
    if (one_of(*layout, {"adjacency", "rows"}) == 0) {
      const auto [kind, same, padding, size] =
          members(node, std::array{"kind", "layout", "padding", "size?"});
      out.layout = GraphInput::Layout::adjacency;
      out.padding = kGraphPaddings[one_of(
          padding, {padding_name(kGraphPaddings[0]), padding_name(kGraphPaddings[1]),
                    padding_name(kGraphPaddings[2])})];
      if (size != kAbsent) out.size = integer(size, 1);
    } else {
      const auto [kind, same, size, mirrored] =
          members(node, std::array{"kind", "layout", "size", "mirrored?"});
      out.layout = GraphInput::Layout::rows;
      out.size = integer(size, 1);
      out.mirrored = flag(mirrored);
    }
    return out;
  }
  PrefixReadout prefix(Node node) const {
    const auto known = kind_of(node, {"transformation", "element", "state"});
    if (known == 0) {
      const auto [kind, points, images, first_row] =
          members(node, std::array{"kind", "points", "images", "first_row"});
      return TransformationReadout{integer(points), lists(images), integer(first_row)};
    }
    if (known == 2) {
      const auto [kind, states, first_row] =
          members(node, std::array{"kind", "states", "first_row"});
      return StateReadout{integer(states), integer(first_row)};
    }
    const auto [kind, elements, first_row] =
        members(node, std::array{"kind", "elements", "first_row"});
    return ElementReadout{lists(elements), integer(first_row)};
  }
  Output output(Node node) const {
    const auto known = kind_of(node, {"accept", "cells", "relation"});
    if (known == 0) {
      const auto [kind, accept, reject, readout] =
          members(node, std::array{"kind", "accept", "reject", "prefix?"});
      return AcceptOutput{integer(accept), integer(reject),
                          readout == kAbsent ? PrefixReadout{} : prefix(readout)};
    }
    if (known == 2) {
      members(node, std::array{"kind"});
      return RelationOutput{};
    }
    const auto [kind, names] = members(node, std::array{"kind", "names"});
    return CellsOutput{texts(names)};
  }
  Shape block_counts(Node node) const {
    const auto [initial, repeated, final] =
        members(node, std::array{"initial", "repeated", "final"});
    constexpr auto kLimit = static_cast<std::int64_t>(kMaxLayers);
    return Shape{integer(initial, 0, kLimit), integer(repeated, 0, kLimit),
                 integer(final, 0, kLimit)};
  }
  Unroll unroll(Node node) const {
    Unroll out;
    Node limit = kAbsent;
    const auto known = kind_of(node, {"ceil_log2", "ceil_log", "fixed"});
    if (known < 2) {
      Node of = kAbsent, minus = kAbsent;
      if (known == 0) {
        const auto [kind, of_, minus_, max_length] =
            members(node, std::array{"kind", "of", "minus", "max_length?"});
        of = of_, minus = minus_, limit = max_length;
      } else {
        const auto [kind, base, of_, minus_, max_length] =
            members(node, std::array{"kind", "base", "of", "minus", "max_length?"});
        // Base 2 has a kind of its own, so that every model has one text.
        out.base = integer(base, 3, std::numeric_limits<std::uint32_t>::max());
        of = of_, minus = minus_, limit = max_length;
      }
      out.kind = one_of(of, {"letters", "vertices"}) == 0 ? Unroll::Kind::ceil_log2_letters
                                                          : Unroll::Kind::ceil_log2_vertices;
      out.minus = integer(minus, 0, 1);
    } else {
      const auto [kind, loops, max_length] =
          members(node, std::array{"kind", "loops", "max_length?"});
      out.kind = Unroll::Kind::fixed;
      out.loops = integer(loops);
      limit = max_length;
    }
    if (limit != kAbsent) {
      out.max_length = integer64(limit, 0, std::numeric_limits<std::int64_t>::max());
    }
    return out;
  }
  Position position(Node node) const {
    const auto known = kind_of(node, {kFirstFlag, kTable, kCircle, kTwoCircle, kFine});
    if (known == 0) {
      const auto [kind, first, rest] = members(node, std::array{"kind", "first", "rest"});
      return FirstFlagPosition{sparse(first), sparse(rest)};
    }
    if (known == 1) {
      const auto [kind, rows] = members(node, std::array{"kind", "rows"});
      return TablePosition{list(rows, [&](Node row) { return sparse(row); })};
    }
    const bool fine = known == 4;
    const auto [kind, fills, parity, offset] =
        members(node, std::array{"kind", "fills", "parity?", fine ? "offset" : "offset?"});
    CodePosition out{
        known == 2 ? PositionCode::circle : PositionCode::two_circle, list(fills, [&](Node fill) {
          const auto [at, back, scale] = members(fill, std::array{"at", "back", "scale"});
          return CodeFill{integers(at), integer(back), rational(scale)};
        })};
    if (fine) out.code = PositionCode::fine(integer(offset));
    if (!fine && offset != kAbsent) fail(offset, "only the fine code has an offset");
    if (parity != kAbsent) out.parity = sparse(parity);
    if (parity != kAbsent && out.parity.empty()) fail(parity, "the vector is zero; leave it out");
    return out;
  }
  Contract contract(Node node) const {
    const auto known =
        kind_of(node, {"uniform", "match", "rightmost", "flagged", "find", "related"});
    if (known == 0) {
      members(node, std::array{"kind"});
      return UniformContract{};
    }
    if (known == 1) {
      const auto [kind, selects] = members(node, std::array{"kind", "selects"});
      return MatchContract{one_of(selects, {"exactly-one", "at-least-one"}) == 0};
    }
    if (known == 2) {
      const auto [kind, form] = members(node, std::array{"kind", "flag"});
      return RightmostContract{sparse(form)};
    }
    if (known == 3) {
      const auto [kind, form, when] = members(node, std::array{"kind", "flag", "when?"});
      FlaggedContract out{sparse(form), std::nullopt};
      if (when != kAbsent) out.when = sparse(when);
      return out;
    }
    if (known == 5) {
      const auto [kind, pairs, prefer] = members(node, std::array{"kind", "pairs", "prefer"});
      const auto pair = [&](Node child) {
        const auto [query, key] = tuple<2>(child, "[coordinate,coordinate]");
        return RelatedContract::Pair{integer(query), integer(key)};
      };
      return RelatedContract{list(pairs, pair), sparse(prefer)};
    }
    const auto [kind, terms, prefer, selects] =
        members(node, std::array{"kind", "terms", "prefer", "selects"});
    return FindContract{integer(terms, 1, kMaxUnits), boolean(prefer),
                        one_of(selects, {"exactly-one", "at-least-one"}) == 0};
  }
  Head head(Node node) const {
    const auto [causal, query, key, value, out, promised] =
        members(node, std::array{"causal", "query", "key", "value", "output", "promise"});
    return Head{boolean(causal), matrix(query), matrix(key),
                matrix(value),   matrix(out),   contract(promised)};
  }
  Layer layer(Node node) const {
    const auto [block, attention, feedforward] =
        members(node, std::array{"block", "attention", "feedforward"});
    Layer out;
    constexpr std::array kBlocks{Block::initial, Block::repeated, Block::final};
    out.block = kBlocks[one_of(block, {"initial", "repeated", "final"})];
    const auto [mask, heads] = members(attention, std::array{"mask", "heads"});
    out.attention.mask = sparse(mask);
    out.attention.heads = list(heads, [&](Node child) { return head(child); });
    const auto [ff_mask, ff_in, ff_out] = members(feedforward, std::array{"mask", "in", "out"});
    out.feedforward = FeedForward{sparse(ff_mask), matrix(ff_in), matrix(ff_out)};
    return out;
  }
  std::map<std::string, CellIndex> cell_index(Node node) const {
    expect(node, Kind::object);
    std::map<std::string, CellIndex> out;
    for (const auto& [name, cell] : entries(node)) {
      const auto [coordinates, type, lifetime] =
          members(cell, std::array{"coordinates", "type", "lifetime"});
      out[name] = CellIndex{integers(coordinates), text(type), text(lifetime)};
    }
    // So that a model has one canonical text, and one hash.
    if (out.empty()) fail(node, "the index is empty; leave it out");
    return out;
  }
};

}  // namespace

Model model_from_json(const JsonTape& tape, const std::string& source) {
  return Reader(tape, source).model();
}

}  // namespace logdepth::inline runtime_file
