#include "tests/support/random_transformers.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <variant>

#include "runtime/numbers/real.hpp"

namespace logdepth {
namespace {

SparseMatrix transposed(const SparseMatrix& matrix) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Rational> entries;
  for (const MatrixEntry& e : matrix.entries) entries[{e.column, e.row}] = e.value;
  SparseMatrix result{matrix.columns, matrix.rows, {}};
  for (const auto& [place, value] : entries)
    result.entries.push_back({place.first, place.second, value});
  return result;
}

}  // namespace

Rational RandomTransformers::weight() {
  static const std::vector<Rational> some = {
      1, 1, 1, 1, -1, -1, 2, Rational(1, 2), Rational(-1, 2), 3, Rational(-2, 3)};
  return some[below(some.size())];
}

Model RandomTransformers::model() {
  Model m;
  m.name = "random";
  // Squares, where the norm of a single coordinate is rational, and others.
  const std::uint32_t widths[] = {4, 4, 9, 9, 16, 3, 5, 6, 8};
  m.width = width_ = widths[below(9)];
  m.norm = one_in(3) ? Norm::layernorm : Norm::rms;
  half_ = width_ % 2 == 0 && one_in(m.norm == Norm::layernorm ? 2 : 5) ? width_ / 2 : 0;
  by_groups_ = !one_in(3);
  draw_groups(m);
  draw_input(m);
  draw_position(m);
  m.shape = {static_cast<std::uint32_t>(below(2)), static_cast<std::uint32_t>(below(3)),
             static_cast<std::uint32_t>(below(2))};
  m.unroll.kind = one_in(2) ? Unroll::Kind::fixed : Unroll::Kind::ceil_log2_letters;
  if (m.unroll.kind == Unroll::Kind::fixed) {
    m.unroll.loops = static_cast<std::uint32_t>(1 + below(3));
  } else {
    m.unroll.minus = static_cast<std::uint32_t>(below(2));
    m.unroll.base = static_cast<std::uint32_t>(2 + below(2));
  }
  for (const auto& [block, count] : {std::pair{Block::initial, m.shape.initial},
                                     {Block::repeated, m.shape.repeated},
                                     {Block::final, m.shape.final}})
    for (std::uint32_t i = 0; i < count; ++i) {
      Layer layer;
      layer.block = block;
      layer.attention.mask = mask();
      const std::size_t heads[] = {0, 1, 1, 1, 2, 2, 3};
      for (std::size_t k = heads[below(7)]; k > 0; --k) layer.attention.heads.push_back(head());
      layer.feedforward = feed_forward();
      m.layers.push_back(layer);
    }
  CellsOutput output;
  for (std::size_t rows = 1 + below(3); rows > 0; --rows)
    output.names.push_back("y" + std::to_string(rows));
  m.unembedding = readout(static_cast<std::uint32_t>(output.names.size()));
  m.output = output;
  return m;
}

void RandomTransformers::draw_groups(Model& model) {
  Group coordinates(half_ > 0 ? half_ : model.width);
  std::iota(coordinates.begin(), coordinates.end(), 0u);
  if (one_in(2)) std::shuffle(coordinates.begin(), coordinates.end(), random_);
  groups_.clear();
  for (std::size_t at = 0; at < coordinates.size();) {
    const std::size_t sizes[] = {1, 1, 2, 2, 3, 4};
    const std::size_t size = std::min(sizes[below(6)], coordinates.size() - at);
    groups_.emplace_back(coordinates.begin() + static_cast<std::ptrdiff_t>(at),
                         coordinates.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
  }
}

void RandomTransformers::draw_input(Model& model) {
  if (one_in(3)) {
    const WordInput input{one_in(2), one_in(3)};
    model.input = input;
    model.alphabet = {"a", "b"};
    for (const std::string& letter : model.alphabet) model.embedding[letter] = sparse(2);
    for (const std::string& kind : extra_kinds(model.input)) model.embedding[kind] = sparse(2);
    return;
  }
  CellsInput cells{{}, half_ > 0};
  const std::size_t room = half_ > 0 ? half_ : width_;
  for (std::size_t k = room - below(2); k > 0; --k) cells.names.push_back("x" + std::to_string(k));
  model.input = cells;
}

void RandomTransformers::draw_position(Model& model) {
  const std::size_t kind = below(4);
  if (kind == 0) {
    model.position = FirstFlagPosition{sparse(4), sparse(4)};
    return;
  }
  if (kind == 1) {
    TablePosition table;
    for (std::size_t p = 0; p < 12; ++p) table.rows.push_back(sparse(5));
    model.position = table;
    return;
  }
  CodePosition code{kind == 2   ? PositionCode::two_circle
                    : one_in(2) ? PositionCode::circle
                                : PositionCode::fine(1 + static_cast<std::uint32_t>(below(4))),
                    {}};
  const std::size_t size = code.code == PositionCode::two_circle ? 4 : 2;
  for (const Group& at : groups_) {
    if (at.size() != size || one_in(4)) continue;
    const CodeFill fill{at, static_cast<std::uint32_t>(below(3)), weight()};
    code.fills.push_back(fill);
    if (half_ == 0) continue;
    code.fills.push_back({{}, fill.back, -fill.scale});
    for (const std::uint32_t c : at) code.fills.back().at.push_back(c + half_);
  }
  model.position = code;
}

/// One of `rarity` coordinates; mirrored if the model is.
SparseVector RandomTransformers::sparse(std::size_t rarity) {
  SparseVector result;
  const std::uint32_t room = half_ > 0 ? half_ : width_;
  for (std::uint32_t c = 0; c < room; ++c)
    if (one_in(rarity)) result.push_back({c, weight()});
  if (half_ > 0)
    for (std::size_t i = 0, end = result.size(); i < end; ++i)
      result.push_back({result[i].index + half_, -result[i].value});
  return result;
}

SparseVector RandomTransformers::mask() {
  std::map<std::uint32_t, Rational> entries;
  const std::size_t kind = by_groups_ ? 5 + below(6) : below(12);
  const auto add_group = [&](const Group& of) {
    const bool alike = !one_in(4);
    const Rational one = one_in(3) ? weight() : Rational(1);
    for (const std::uint32_t c : of) entries[c] = alike ? one : weight();
  };
  shown_.clear();
  if (one_in(16)) return {};
  if (kind <= 4) {
    const Group& of = group();
    entries[of[below(of.size())]] = weight();
  } else if (kind <= 7) {
    add_group(group());
  } else if (kind <= 10) {
    for (const Group& of : groups_)
      if (one_in(2)) add_group(of);
  } else {
    for (const SparseEntry& e : sparse(2)) entries[half_ > 0 ? e.index % half_ : e.index] = e.value;
  }
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (std::any_of(groups_[g].begin(), groups_[g].end(),
                    [&](std::uint32_t c) { return entries.contains(c); }))
      shown_.push_back(g);
  SparseVector result;
  for (const auto& [c, value] : entries) result.push_back({c, value});
  if (half_ > 0)
    for (const auto& [c, value] : entries) result.push_back({c + half_, value});
  return result;
}

/// Terms of one row on one column are added up.
SparseMatrix RandomTransformers::matrix(const std::vector<Terms>& rows) const {
  SparseMatrix result{static_cast<std::uint32_t>(rows.size()), width_, {}};
  for (std::uint32_t r = 0; r < result.rows; ++r) {
    std::map<std::uint32_t, Rational> entries;
    for (const auto& [c, value] : rows[r]) entries[c] += value;
    for (const auto& [c, value] : entries)
      if (!value.is_zero()) result.entries.push_back({r, c, value});
  }
  return result;
}

/// Rows that read groups, or any coordinates.
SparseMatrix RandomTransformers::readout(std::uint32_t rows) {
  std::vector<Terms> terms(rows);
  for (Terms& row : terms)
    if (by_groups_) {
      for (const std::uint32_t c : group()) row.emplace_back(c, weight());
    } else {
      row = any_coordinates();
    }
  return matrix(terms);
}

RandomTransformers::Terms RandomTransformers::any_coordinates() {
  Terms terms;
  for (std::uint32_t c = 0; c < width_; ++c)
    if (one_in(3)) terms.emplace_back(c, weight());
  return terms;
}

SparseMatrix RandomTransformers::writing(const SparseMatrix& columns) const {
  if (half_ == 0) return transposed(columns);
  std::vector<Terms> rows(columns.rows);
  for (const MatrixEntry& e : columns.entries) {
    rows[e.row].emplace_back(e.column % half_, e.value);
    rows[e.row].emplace_back(e.column % half_ + half_, -e.value);
  }
  return transposed(matrix(rows));
}

Head RandomTransformers::head() {
  Head head;
  head.causal = one_in(2);
  std::vector<Terms> queries, keys, values, outputs;
  for (std::size_t blocks = one_in(8) ? 0 : 1 + below(3); blocks > 0; --blocks) {
    const Group &a = shown(), &b = one_in(2) ? a : shown();
    const std::size_t kind = below(by_groups_ ? 5 : 6);
    const Rational wa = one_in(4) ? weight() : Rational(1), wb = one_in(4) ? weight() : Rational(1);
    const std::size_t size = kind < 4 ? std::max(a.size(), b.size()) : 1 + below(2);
    for (std::size_t i = 0; i < size; ++i) {
      Terms &q = queries.emplace_back(), &k = keys.emplace_back();
      if (kind < 4) {  // the query is one group, the key another, or the same
        q = {{a[i % a.size()], wa}};
        k = {{b[i % b.size()], wb}};
      } else if (kind == 4) {
        for (const std::uint32_t c : a) q.emplace_back(c, weight());
        for (const std::uint32_t c : b) k.emplace_back(c, weight());
      } else {
        q = any_coordinates();
        k = any_coordinates();
      }
    }
  }
  for (std::size_t parts = below(4); parts > 0; --parts) {
    const Group &from = shown(), &to = group();
    const Rational w = weight();
    if (by_groups_ || one_in(2)) {
      for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
        values.push_back({{from[i % from.size()], w}});
        outputs.push_back({{to[i % to.size()], 1}});
      }
    } else {
      values.push_back(any_coordinates());
      outputs.push_back(any_coordinates());
    }
  }
  head.query = matrix(queries);
  head.key = matrix(keys);
  head.value = matrix(values);
  head.output = writing(matrix(outputs));
  head.contract = UniformContract{};
  return head;
}

FeedForward RandomTransformers::feed_forward() {
  FeedForward block;
  block.mask = mask();
  std::vector<Terms> in, out;
  for (std::size_t terms = below(4); terms > 0; --terms) {
    const Group &a = shown(), &b = shown(), &c = group();
    const std::size_t kind = below(by_groups_ ? 3 : 4);
    const Rational w = one_in(2) ? Rational(1) : weight(), v = weight();
    if (kind == 0) {  // takes away what stands there, or part of it
      for (const std::uint32_t x : a)
        for (const int sign : {1, -1}) {
          in.push_back({{x, Rational(sign)}});
          out.push_back({{x, Rational(-sign) * w}});
        }
    } else if (kind == 1) {  // a table of pairs
      for (std::size_t i = 0; i < std::max(a.size(), c.size()); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) {
          in.push_back({{a[i % a.size()], w}, {b[j], v}});
          out.push_back({{c[(i + j) % c.size()], 1}});
        }
    } else if (kind == 2) {
      for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        in.push_back({{a[i % a.size()], weight()}});
        out.push_back({{b[i % b.size()], weight()}});
      }
    } else {
      in.push_back(any_coordinates());
      out.push_back(any_coordinates());
    }
  }
  block.in = matrix(in);
  block.out = writing(matrix(out));
  return block;
}

Tokens RandomTransformers::input(const Model& model) {
  std::size_t count = 1 + below(6);
  if (const auto* words = std::get_if<WordInput>(&model.input)) {
    std::vector<std::string> letters;
    for (; count > 0; --count) letters.push_back(model.alphabet[below(model.alphabet.size())]);
    return word_tokens(*words, letters).value();
  }
  const std::size_t names = std::get<CellsInput>(model.input).names.size();
  static const std::vector<Real> some = {
      0, 0, 1, 1, 1, -1, -1, 2, Rational(1, 2), Real::root(Rational(2))};
  std::vector<std::vector<Real>> palette(1 + below(4)), rows;
  for (auto& row : palette)
    for (std::size_t k = 0; k < names; ++k) row.push_back(some[below(some.size())]);
  for (; count > 0; --count) {
    rows.push_back(palette[below(palette.size())]);
    if (one_in(4) && names > 0) rows.back()[below(names)] = some[below(some.size())];
  }
  return cells_tokens(rows);
}

}  // namespace logdepth
