#include "tests/support/plain_forward.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

namespace logdepth {
namespace {

using laws::Wide;

// What the two kinds of numbers call by other names.
Real scaled(const Real& x, const Rational& factor) {
  return x.scaled(factor);
}
Wide scaled(const Wide& x, const Rational& factor) {
  return x * laws::wide_of(factor);
}
int sign_of(const Real& x) {
  return x.sign();
}
int sign_of(const Wide& x) {
  return laws::sign_of(x);
}
template <class Number>
Number number(const Real& value);
template <>
Real number<Real>(const Real& value) {
  return value;
}
template <>
Wide number<Wide>(const Real& value) {
  return laws::wide_of(value);
}

template <class Number>
std::vector<Number> times(const SparseMatrix& matrix, const std::vector<Number>& vector) {
  std::vector<std::vector<Rational>> dense(matrix.rows, std::vector<Rational>(matrix.columns));
  for (const MatrixEntry& e : matrix.entries) dense[e.row][e.column] = e.value;
  std::vector<Number> result;
  for (const auto& weights : dense) {
    Number sum{};
    for (std::size_t c = 0; c < weights.size(); ++c)
      if (!weights[c].is_zero()) sum = sum + scaled(vector[c], weights[c]);
    result.push_back(sum);
  }
  return result;
}

/// x / y for y != 0, if that is rational.
std::optional<Rational> quotient(const Real& x, const Real& y) {
  if (x.is_zero()) return Rational(0);
  Rational candidate;
  if (!y.rational_part().is_zero()) {
    candidate = x.rational_part() / y.rational_part();
  } else {
    // Multiples have the same roots in the same order.
    if (x.is_rational()) return std::nullopt;
    const auto& a = x.surds()[0];
    const auto& b = y.surds()[0];
    const auto size = (a.radicand / b.radicand).square_root();
    if (!size) return std::nullopt;
    candidate = a.sign == b.sign ? *size : -*size;
  }
  if (y.scaled(candidate) == x) return candidate;
  return std::nullopt;
}

/// Under layernorm, x without its mean.
template <class Number>
void subtract_mean(Norm norm, std::vector<Number>& x) {
  if (norm != Norm::layernorm) return;
  Number sum{};
  for (const Number& value : x) sum = sum + value;
  const Rational share(1, static_cast<std::int64_t>(x.size()));
  for (Number& value : x) value = value - scaled(sum, share);
}

std::optional<std::vector<Wide>> normalised(Norm norm, std::vector<Wide> x) {
  subtract_mean(norm, x);
  Wide squares = 0;
  for (const Wide& value : x) squares += value * value;
  const bool zero = std::all_of(x.begin(), x.end(), [](const Wide& v) { return sign_of(v) == 0; });
  for (Wide& value : x) value = zero ? Wide(0) : value * sqrt(Wide(x.size()) / squares);
  return x;
}

/// norm(x); absent where its length is the root of an irrational number and not all coordinates
/// are rational multiples of one.
std::optional<std::vector<Real>> normalised(Norm norm, std::vector<Real> x) {
  const Rational width(static_cast<std::int64_t>(x.size()));
  subtract_mean(norm, x);
  Real squares;
  for (const Real& value : x) squares = squares + value * value;
  if (squares.is_zero()) return x;
  if (squares.is_rational()) {
    for (Real& value : x) value = value * Real::root(width / squares.rational_part());
    return x;
  }
  const Real unit =
      *std::find_if(x.begin(), x.end(), [](const Real& value) { return !value.is_zero(); });
  std::vector<Rational> multiples;
  Rational total;
  for (const Real& value : x) {
    const auto multiple = quotient(value, unit);
    if (!multiple) return std::nullopt;
    multiples.push_back(*multiple);
    total += *multiple * *multiple;
  }
  for (std::size_t c = 0; c < x.size(); ++c)
    x[c] = Real::root(width / total).scaled(unit.sign() > 0 ? multiples[c] : -multiples[c]);
  return x;
}

std::vector<Rational> circle_at(const Rational& t) {
  const Rational below = (Rational(1) + t * t).inverse();
  return {(Rational(1) - t * t) * below, Rational(2) * t * below};
}

void add(std::vector<Real>& row, const SparseVector& vector) {
  for (const SparseEntry& e : vector) row[e.index] = row[e.index] + Real(e.value);
}

/// Reading 1: what is given, the embedding and the position are added.
std::vector<Real> embedded(const Model& model, const Tokens& tokens, std::size_t token) {
  std::vector<Real> row(model.width);
  if (!tokens.given.empty()) {
    bool mirrored = false;
    if (const auto* cells = std::get_if<CellsInput>(&model.input)) mirrored = cells->mirrored;
    if (const auto* graph = std::get_if<GraphInput>(&model.input)) mirrored = graph->mirrored;
    const std::vector<Real>& given = tokens.given[token];
    for (std::size_t k = 0; k < given.size(); ++k) {
      row[k] = row[k] + given[k];
      if (mirrored) row[k + model.width / 2] = row[k + model.width / 2] - given[k];
    }
  }
  if (const auto kind = model.embedding.find(tokens.kinds[token]); kind != model.embedding.end())
    add(row, kind->second);
  if (const auto* flag = std::get_if<FirstFlagPosition>(&model.position))
    add(row, token == 0 ? flag->first : flag->rest);
  if (const auto* table = std::get_if<TablePosition>(&model.position))
    add(row, table->rows.at(token));
  if (const auto* code = std::get_if<CodePosition>(&model.position)) {
    for (const CodeFill& fill : code->fills) {
      const std::int64_t t =
          1 + std::max<std::int64_t>(static_cast<std::int64_t>(token) - fill.back, 0);
      std::int64_t level = 0;
      while (std::int64_t{2} << level <= t) ++level;
      const bool two_circle = code->code == PositionCode::two_circle;
      auto values = circle_at(two_circle ? Rational(t, std::int64_t{1} << level) : Rational(t));
      if (two_circle)
        for (const Rational& value : circle_at(Rational(level + 1))) values.push_back(value);
      if (code->code.kind == PositionCode::Kind::fine) {
        values = circle_at(Rational(2 * (t - 1) + code->code.parameter));
        values[0] = -values[0];
      }
      for (std::size_t i = 0; i < fill.at.size(); ++i)
        row[fill.at[i]] = row[fill.at[i]] + Real(values[i] * fill.scale);
    }
    for (const SparseEntry& e : code->parity)
      row[e.index] = row[e.index] + Real(token % 2 == 0 ? e.value : -e.value);
  }
  return row;
}

template <class Number>
class Pass {
 public:
  using Row = std::vector<Number>;
  using Stream = std::vector<Row>;

  explicit Pass(const Model& model) : model_(model) {}

  PlainRunOf<Number> run(const Tokens& tokens) {
    for (std::size_t token = 0; token < tokens.kinds.size(); ++token) {
      Row& row = h_.emplace_back();
      for (const Real& value : embedded(model_, tokens, token))
        row.push_back(number<Number>(value));
    }
    run_.streams.push_back(h_);
    // Reading 2.
    std::vector<std::size_t> order;
    const auto& [initial, repeated, final] = model_.shape;
    for (std::size_t i = 0; i < initial; ++i) order.push_back(i);
    for (std::size_t loop = loops(tokens.size); loop > 0; --loop)
      for (std::size_t i = 0; i < repeated; ++i) order.push_back(initial + i);
    for (std::size_t i = 0; i < final; ++i) order.push_back(initial + repeated + i);
    for (std::size_t step = 0; step < order.size(); ++step) {
      const Layer& layer = model_.layers[order[step]];
      const std::string where = "layer " + std::to_string(step + 1);
      if (!attend(layer.attention, where + ", attention mask")) return run_;
      run_.streams.push_back(h_);
      if (!feed_forward(layer.feedforward, where + ", feed-forward mask")) return run_;
      run_.selected.emplace_back();
      run_.streams.push_back(h_);
    }
    for (const Row& row : h_) run_.logits.push_back(times(model_.unembedding, row));
    return run_;
  }

 private:
  /// Reading 7.
  std::size_t loops(std::uint64_t size) const {
    if (model_.unroll.kind == Unroll::Kind::fixed) return model_.unroll.loops;
    const std::uint64_t a = size - std::min<std::uint64_t>(size, model_.unroll.minus);
    std::size_t count = 0;
    for (std::uint64_t power = 1; power < a; power *= model_.unroll.base) ++count;
    return count;
  }

  /// Reading 3 for all tokens; empty where one leaves the field.
  Stream read(const SparseVector& mask, const std::string& where) {
    Stream z;
    for (std::size_t token = 0; token < h_.size(); ++token) {
      Row x(model_.width);
      for (const SparseEntry& e : mask) x[e.index] = scaled(h_[token][e.index], e.value);
      auto row = normalised(model_.norm, std::move(x));
      if (!row) {
        run_.left_field = where + ", token " + std::to_string(token);
        return {};
      }
      z.push_back(std::move(*row));
    }
    return z;
  }

  /// Reading 4.
  bool attend(const Attention& attention, const std::string& where) {
    auto& selected = run_.selected.emplace_back(attention.heads.size());
    if (attention.heads.empty()) return true;
    const Stream z = read(attention.mask, where);
    if (z.empty()) return false;
    for (std::size_t k = 0; k < attention.heads.size(); ++k) {
      const Head& head = attention.heads[k];
      std::vector<Row> queries, keys, values;
      for (const Row& row : z) {
        queries.push_back(times(head.query, row));
        keys.push_back(times(head.key, row));
        values.push_back(times(head.value, row));
      }
      for (std::size_t i = 0; i < z.size(); ++i) {
        std::vector<Number> scores;
        for (std::size_t j = 0; j < (head.causal ? i + 1 : z.size()); ++j) {
          Number score{};
          for (std::size_t d = 0; d < head.query.rows; ++d)
            score = score + queries[i][d] * keys[j][d];
          scores.push_back(score);
        }
        const Number largest = *std::max_element(scores.begin(), scores.end());
        auto& chosen = selected[k].emplace_back();
        Row average(head.value.rows);
        for (std::size_t j = 0; j < scores.size(); ++j) {
          if (sign_of(Number(largest - scores[j])) != 0) continue;
          chosen.push_back(j);
          for (std::size_t d = 0; d < average.size(); ++d) average[d] = average[d] + values[j][d];
        }
        const Rational share(1, static_cast<std::int64_t>(chosen.size()));
        for (Number& x : average) x = scaled(x, share);
        add_to(i, times(head.output, average));
      }
    }
    return true;
  }

  /// Reading 5.
  bool feed_forward(const FeedForward& block, const std::string& where) {
    if (block.in.rows == 0) return true;
    const Stream z = read(block.mask, where);
    if (z.empty()) return false;
    for (std::size_t i = 0; i < z.size(); ++i) {
      Row units = times(block.in, z[i]);
      for (Number& x : units)
        if (sign_of(x) <= 0) x = Number{};
      add_to(i, times(block.out, units));
    }
    return true;
  }

  void add_to(std::size_t token, const Row& row) {
    for (std::size_t c = 0; c < row.size(); ++c) h_[token][c] = h_[token][c] + row[c];
  }

  const Model& model_;
  Stream h_;
  PlainRunOf<Number> run_;
};

}  // namespace

PlainRun plain_forward(const Model& model, const Tokens& tokens) {
  return Pass<Real>(model).run(tokens);
}

PlainRunOf<Wide> wide_forward(const Model& model, const Tokens& tokens) {
  return Pass<Wide>(model).run(tokens);
}

}  // namespace logdepth
