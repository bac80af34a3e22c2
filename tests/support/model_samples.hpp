#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"

// Valid models to write, read and damage: one fixed, and random ones, small, but with every kind of
// every field.

namespace logdepth {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t up_to(std::uint32_t last) {
    return std::uniform_int_distribution<std::uint32_t>(0, last)(engine_);
  }
  bool coin() { return up_to(1) == 1; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[up_to(static_cast<std::uint32_t>(from.size() - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

class ModelMaker {
 public:
  explicit ModelMaker(std::uint64_t seed) : dice_(seed) {}

  Model model() {
    Model m;
    m.width = 1 + dice_.up_to(8);
    width_ = m.width;
    const bool words = dice_.up_to(2) != 0;
    m.name = text();
    m.construction = text();
    m.source = text();
    for (auto i = dice_.up_to(2); i > 0; --i) m.hypotheses.push_back(text());
    for (auto i = dice_.up_to(2); i > 0; --i) m.deviations.push_back(text());
    m.parameters = dice_.pick(members_);
    m.derived.others = dice_.pick(members_);
    if (dice_.coin()) m.derived.depth = text();
    if (dice_.coin()) m.derived.program = text();
    m.norm = dice_.coin() ? Norm::rms : Norm::layernorm;
    m.shape = {dice_.up_to(2), dice_.up_to(2), dice_.up_to(1)};
    for (const auto& [block, count] : {std::pair{Block::initial, m.shape.initial},
                                       {Block::repeated, m.shape.repeated},
                                       {Block::final, m.shape.final}}) {
      for (std::uint32_t i = 0; i < count; ++i) m.layers.push_back(layer(block));
    }
    if (words) {
      word_input(m);
    } else {
      other_input(m);
    }
    unroll(m);
    position(m);
    output(m);
    for (auto i = dice_.up_to(2); i > 0; --i) {
      m.cells[text()] = {indices(), dice_.pick(texts_), "permanent"};
    }
    return m;
  }

  Rational rational() {  // not zero
    static const std::vector<std::string> large = {
        "123456789012345678901234567890123/2", "-1/99999999999999999999999999999",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808"};
    if (dice_.up_to(9) == 0) return *Rational::parse(dice_.pick(large));
    const Rational size(1 + dice_.up_to(20), 1 + dice_.up_to(6));
    return dice_.coin() ? size : -size;
  }

 private:
  std::string text() {
    std::string out = dice_.pick(texts_);
    for (auto i = dice_.up_to(2); i > 0; --i) out += dice_.pick(texts_);
    return out;
  }
  SparseVector sparse() {
    SparseVector out;
    for (std::uint32_t i = 0; i < width_; ++i) {
      if (dice_.up_to(2) == 0) out.push_back({i, rational()});
    }
    return out;
  }
  SparseMatrix matrix(std::uint32_t rows, std::uint32_t columns) {
    SparseMatrix out{rows, columns, {}};
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (std::uint32_t c = 0; c < columns; ++c) {
        if (dice_.up_to(3) == 0) out.entries.push_back({r, c, rational()});
      }
    }
    return out;
  }
  std::vector<std::uint32_t> indices() {
    std::vector<std::uint32_t> out;
    for (auto i = dice_.up_to(3); i > 0; --i) out.push_back(dice_.up_to(width_ - 1));
    return out;
  }
  Layer layer(Block block) {
    Layer out;
    out.block = block;
    out.attention.mask = sparse();
    for (auto i = dice_.up_to(2); i > 0; --i) {
      const auto scores = dice_.up_to(3);
      const auto values = dice_.up_to(3);
      Head head{dice_.coin(),           matrix(scores, width_), matrix(scores, width_),
                matrix(values, width_), matrix(width_, values), UniformContract{}};
      if (dice_.coin()) head.contract = MatchContract{dice_.coin()};
      if (dice_.up_to(3) == 0) head.contract = RightmostContract{sparse()};
      if (dice_.up_to(3) == 0) {
        head.contract = FlaggedContract{sparse(), std::nullopt};
        if (dice_.coin()) std::get<FlaggedContract>(head.contract).when = sparse();
      }
      if (scores >= 2 && dice_.coin()) head.contract = FindContract{1, scores >= 3, dice_.coin()};
      if (dice_.up_to(3) == 0) {
        RelatedContract related{{{dice_.up_to(width_ - 1), dice_.up_to(width_ - 1)}}, sparse()};
        if (dice_.coin()) related.pairs.push_back({0, width_ - 1});
        head.contract = related;
      }
      out.attention.heads.push_back(head);
    }
    const auto units = dice_.up_to(5);
    out.feedforward = {sparse(), matrix(units, width_), matrix(width_, units)};
    return out;
  }
  void word_input(Model& m) {
    m.input = WordInput{dice_.coin(), dice_.coin()};
    static const std::vector<std::string> letters = {"a", "b", "ab", "\"", "\\", "é", "日", "[0]"};
    const auto skip = dice_.up_to(static_cast<std::uint32_t>(letters.size() - 1));
    m.alphabet.assign(letters.begin() + skip, letters.end());
    for (const auto& letter : m.alphabet) m.embedding[letter] = sparse();
    for (const auto& kind : extra_kinds(m.input)) m.embedding[kind] = sparse();
  }
  void other_input(Model& m) {
    const bool mirrored = width_ % 2 == 0 && dice_.coin();
    const std::uint32_t room = mirrored ? width_ / 2 : width_;
    const auto kind = dice_.up_to(2);
    if (kind == 0) {
      CellsInput cells{{}, mirrored};
      for (auto i = dice_.up_to(room); i > 0; --i) cells.names.push_back("c" + std::to_string(i));
      m.input = cells;
      return;
    }
    GraphInput graph;
    if (kind == 1) {
      graph.layout = GraphInput::Layout::rows;
      graph.size = 1 + dice_.up_to(room - 1);
      graph.mirrored = mirrored;
    } else {
      if (dice_.coin()) graph.padding = GraphInput::Padding::n3;
      if (dice_.coin()) graph.size = 1 + dice_.up_to(5);
    }
    m.input = graph;
    for (const auto& token : extra_kinds(m.input)) m.embedding[token] = sparse();
  }
  void unroll(Model& m) {
    if (dice_.coin()) {
      m.unroll.kind = Unroll::Kind::fixed;
      m.unroll.loops = dice_.up_to(20);
    } else {
      const bool vertices = std::holds_alternative<GraphInput>(m.input);
      m.unroll.kind = vertices ? Unroll::Kind::ceil_log2_vertices : Unroll::Kind::ceil_log2_letters;
      m.unroll.minus = dice_.up_to(1);
      if (dice_.up_to(2) == 0) m.unroll.base = 3 + dice_.up_to(7);
    }
    if (dice_.coin()) m.unroll.max_length = std::uint64_t{dice_.up_to(1000)} << dice_.up_to(40);
  }
  void position(Model& m) {
    const auto kind = dice_.up_to(2);
    if (kind == 0) m.position = FirstFlagPosition{sparse(), sparse()};
    if (kind == 1) {
      TablePosition table;
      for (auto i = dice_.up_to(4); i > 0; --i) table.rows.push_back(sparse());
      m.position = table;
    }
    if (kind == 2) {
      const auto kind = dice_.up_to(2);
      CodePosition code{kind == 0   ? PositionCode::circle
                        : kind == 1 ? PositionCode::two_circle
                                    : PositionCode::fine(1 + dice_.up_to(9)),
                        {}};
      const std::uint32_t size = kind == 1 ? 4 : 2;
      const std::uint32_t even = dice_.coin() ? 1 : 0;
      if (even) code.parity = {{0, rational()}};
      for (std::uint32_t at = even; at + size <= width_; at += size) {
        CodeFill fill{{}, dice_.up_to(3), rational()};
        for (std::uint32_t i = 0; i < size; ++i) fill.at.push_back(at + i);
        code.fills.push_back(fill);
      }
      m.position = code;
    }
  }
  void output(Model& m) {
    const auto* graph = std::get_if<GraphInput>(&m.input);
    const bool of_graph = graph && graph->layout == GraphInput::Layout::rows;
    if (of_graph && dice_.coin()) {
      m.unembedding = matrix(*graph->size, width_);
      m.output = RelationOutput{};
      return;
    }
    if (of_graph || dice_.up_to(3) == 0) {
      CellsOutput cells;
      for (auto i = dice_.up_to(3); i > 0; --i) cells.names.push_back("y" + std::to_string(i));
      m.unembedding = matrix(static_cast<std::uint32_t>(cells.names.size()), width_);
      m.output = cells;
      return;
    }
    AcceptOutput out;
    std::uint32_t rows = 2;
    const auto kind = dice_.up_to(3);
    if (kind == 3) {
      out.prefix = StateReadout{4, 2};
      rows += 4;
    }
    if (kind == 1) {
      TransformationReadout readout{3, {{0, 1, 2}, {1}, {0, 2}}, 2};
      out.prefix = readout;
      rows += 6;
    }
    if (kind == 2) {
      ElementReadout readout{{{0, 1}, {1, 0}, {0, 0}}, 0};
      out.prefix = readout;
      out.accept = 4;
      out.reject = 3;
      rows += 3;
    }
    m.unembedding = matrix(rows, width_);
    m.output = out;
  }

  Dice dice_;
  std::uint32_t width_ = 1;
  // Canonical texts, so that reading gives back what was written.
  std::vector<OpenMembers> members_ = {
      {},
      {{"k", JsonText{"2"}}, {"t", "\x01 \" é"}},
      {{"a", JsonText{"{}"}},
       {"b", JsonText{"[]"}},
       {"x", JsonText{"[1,-2.50e-7,null,true,\"\\u0001 \\\" é\"]"}},
       {"y", JsonText{"[\n[],\n18446744073709551616\n]"}}}};
  std::vector<std::string> texts_ = {"",     "x",    "sub word", "\"q\"", "back\\slash",
                                     "\n\t", "é 日", "\x01\x7f", "a/b",   "[1,2]"};
};

/// One layer of each block, heads of three promises, everything that is optional for words.
inline Model example_model() {
  Model m;
  m.name = "example";
  m.hypotheses = {"none"};
  m.alphabet = {"a", "b"};
  m.width = 4;
  m.shape = {1, 1, 1};
  m.unroll.max_length = 64;
  AcceptOutput output;
  output.prefix = TransformationReadout{2, {{0, 1}, {1}}, 2};
  m.output = output;
  m.unembedding = {5, 4, {{0, 1, 1}, {4, 3, Rational(-1, 2)}}};
  m.position = CodePosition{PositionCode::circle, {{{2, 3}, 1, Rational(1, 2)}}};
  m.embedding = {{"a", {{0, 1}}}, {"b", {{0, -1}, {1, 2}}}, {kBeginToken, {}}};
  m.cells["one"] = {{0}, "constant", "permanent"};
  const SparseMatrix in{1, 4, {{0, 0, 1}}};
  const SparseMatrix out{4, 1, {{1, 0, Rational(3, 4)}}};
  for (const Block block : {Block::initial, Block::repeated, Block::final}) {
    Layer layer;
    layer.block = block;
    layer.attention.mask = {{0, 1}, {1, Rational(1, 2)}};
    layer.attention.heads = {{true, in, in, in, out, UniformContract{}},
                             {false, in, in, in, out, MatchContract{}},
                             {true, in, in, in, out, RightmostContract{{{1, 1}}}}};
    layer.feedforward = {{{0, 1}}, in, out};
    m.layers.push_back(layer);
  }
  return m;
}

/// Takes the rows of graphs of two vertices: an edge is a way. One head of each other promise.
inline Model example_rows_model() {
  Model m;
  m.name = "rows";
  m.width = 9;
  GraphInput graph;
  graph.layout = GraphInput::Layout::rows;
  graph.size = 2;
  m.input = graph;
  m.unroll.kind = Unroll::Kind::ceil_log2_vertices;
  m.output = RelationOutput{};
  m.unembedding = {2, 9, {{0, 0, 1}, {1, 1, 1}}};
  m.position = FirstFlagPosition{{{8, 1}}, {{8, -1}}};
  m.embedding = {{kVertexToken, {{7, 1}}}};
  m.shape = {1, 0, 0};
  const SparseMatrix none{3, 9, {}}, nothing{0, 9, {}}, out{9, 0, {}};
  Layer layer;
  layer.block = Block::initial;
  layer.attention.mask = {{7, 1}};
  layer.attention.heads = {{false, none, none, nothing, out, FlaggedContract{{{7, 1}}, {{{8, 2}}}}},
                           {false, none, none, nothing, out, FlaggedContract{{{7, 1}}, {}}}};
  // All keys are the direction (1, 0) with one preference.
  const SparseMatrix first{3, 9, {{0, 7, 1}, {2, 7, 1}}};
  layer.attention.heads.push_back(
      {false, first, first, nothing, out, FindContract{1, true, false}});
  layer.feedforward = {{}, {0, 9, {}}, {9, 0, {}}};
  m.layers = {layer};
  return m;
}

/// Takes graphs token by token and accepts all of them: right where the source is the target.
inline Model example_adjacency_model() {
  Model m;
  m.name = "adjacency";
  m.width = 4;
  m.input = GraphInput{};
  m.unroll.kind = Unroll::Kind::fixed;
  m.output = AcceptOutput{};
  m.unembedding = {2, 4, {{0, 3, 1}}};
  m.position = FirstFlagPosition{};
  for (const std::string& kind : extra_kinds(m.input)) m.embedding[kind] = {{3, 1}};
  return m;
}

/// Takes raw streams x and y under layer norm and answers with x - y and twice y.
inline Model example_cells_model() {
  Model m;
  m.name = "difference";
  m.width = 8;
  m.norm = Norm::layernorm;
  m.input = CellsInput{{"x", "y"}, true};
  m.unroll.kind = Unroll::Kind::fixed;
  m.output = CellsOutput{{"x-y", "2y"}};
  m.unembedding = {2, 8, {{0, 0, 1}, {0, 5, 1}, {1, 1, 2}}};
  m.position = FirstFlagPosition{};
  return m;
}

}  // namespace logdepth

namespace logdepth::support {

/// Raw streams of a direction (x, y) and a vote. One head: a token takes the votes of those whose
/// directions, after the norm, are nearest to its own, or with `all` of all tokens. Accepted where
/// the average vote is positive.
inline Model votes_of_directions(bool all = false) {
  Model m;
  m.name = "votes";
  m.width = 4;
  m.input = CellsInput{{"x", "y", "vote"}, false};
  m.shape = {1, 0, 0};
  m.unroll.kind = Unroll::Kind::fixed;
  m.unroll.loops = 0;
  m.output = AcceptOutput{0, 1, {}};
  m.unembedding = {2, 4, {{0, 3, 1}}};
  Head head;
  head.causal = false;
  const std::uint32_t scored = all ? 0 : 2;
  head.query = head.key = {scored, 4, {}};
  for (std::uint32_t row = 0; row < scored; ++row) {
    head.query.entries.push_back({row, row, 1});
    head.key.entries.push_back({row, row, 1});
  }
  head.value = {1, 4, {{0, 2, 1}}};
  head.output = {4, 1, {{3, 0, 1}}};
  head.contract = UniformContract{};
  Layer layer;
  layer.block = Block::initial;
  layer.attention = {{{0, 1}, {1, 1}, {2, 1}}, {head}};
  layer.feedforward = {{}, {0, 4, {}}, {4, 0, {}}};
  m.layers = {layer};
  return m;
}

/// (1, y, 1 + `more`) and (1 + sqrt 2) (1, y, -1), y = k + sqrt 2 + ... over the first `primes` primes:
/// where `more` is 0, the same direction after the norm, and opposite votes, which no combination of
/// terms shows.
inline std::vector<std::vector<Real>> opposite_votes(std::int64_t k, const Rational& more = 0,
                                                     std::size_t primes = 1) {
  Real y(k);
  for (const std::int64_t prime : std::vector<std::int64_t>{2, 3, 5, 7, 11}) {
    if (primes-- == 0) break;
    y = y + Real::root(Rational(prime));
  }
  const Real factor = Real(1) + Real::root(Rational(2));
  return {{Real(1), y, Real(Rational(1) + more)}, {factor, factor * y, -factor}};
}

}  // namespace logdepth::support
