#include "bench/dense_float.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>

#include "bench/dense_attention.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth {
namespace {

template <class Number>
struct Entry {
  std::uint32_t index;
  Number value;
};
template <class Number>
using Entries = std::vector<Entry<Number>>;

template <class Number>
Entries<Number> rounded(const SparseVector& vector) {
  Entries<Number> entries;
  for (const SparseEntry& e : vector)
    entries.push_back({e.index, static_cast<Number>(e.value.approximate())});
  return entries;
}

template <class Number>
struct Rows {
  std::vector<std::size_t> start = {0};
  Entries<Number> entries;

  explicit Rows(const SparseMatrix& matrix) {
    for (const MatrixEntry& e : matrix.entries) {
      while (start.size() <= e.row) start.push_back(entries.size());
      entries.push_back({e.column, static_cast<Number>(e.value.approximate())});
    }
    start.resize(matrix.rows + 1, entries.size());
  }
  std::size_t count() const { return start.size() - 1; }
  std::span<const Entry<Number>> operator[](std::size_t row) const {
    return {entries.data() + start[row], entries.data() + start[row + 1]};
  }
};

template <class Number>
struct DenseLayer {
  struct HeadMaps {
    bool causal;
    Rows<Number> query, key, value, output;
  };
  Entries<Number> attention_mask, feedforward_mask;
  std::vector<HeadMaps> heads;
  Rows<Number> in, out;

  explicit DenseLayer(const Layer& layer)
      : attention_mask(rounded<Number>(layer.attention.mask)),
        feedforward_mask(rounded<Number>(layer.feedforward.mask)),
        in(layer.feedforward.in),
        out(layer.feedforward.out) {
    for (const Head& head : layer.attention.heads)
      heads.push_back({head.causal, Rows<Number>(head.query), Rows<Number>(head.key),
                       Rows<Number>(head.value), Rows<Number>(head.output)});
  }
};

/// circle(t / scale), t and scale integers: numerators and denominators below 2^53 are exact, so
/// the code is rounded once.
std::array<double, 2> rounded_circle(double t, double scale) {
  const double square = t * t + scale * scale;
  return {(scale - t) * (scale + t) / square, 2 * t * scale / square};
}

void append_code(PositionCode kind, std::uint64_t position, std::vector<double>& code) {
  if (kind.kind == PositionCode::Kind::fine) {
    const auto point = rounded_circle(static_cast<double>(2 * position + kind.parameter), 1);
    code = {-point[0], point[1]};
    return;
  }
  const bool two_circle = kind == PositionCode::two_circle;
  const std::uint64_t t = position + 1;
  const int level = std::bit_width(t) - 1;
  const auto within =
      rounded_circle(static_cast<double>(t), two_circle ? std::ldexp(1.0, level) : 1.0);
  code.assign(within.begin(), within.end());
  if (!two_circle) return;
  const auto which = rounded_circle(level + 1, 1);
  code.insert(code.end(), which.begin(), which.end());
}

}  // namespace

/// Tokens stand side by side in lanes: a block is a pack of tokens, coordinate after coordinate.
template <class Number>
struct DenseForward<Number>::Pass {
  using Pack = Lanes<Number>;
  static constexpr std::size_t kLane = kLanes<Number>;
  using Clock = std::chrono::steady_clock;

  Pass(const Model& source, const DenseOptions& with)
      : model(source), options(with), width(source.width), unembedding(source.unembedding) {
    for (const Layer& layer : source.layers) layers.emplace_back(layer);
    for (const auto& [kind, vector] : source.embedding)
      embedding.emplace(kind, rounded<Number>(vector));
  }

  Pack* block(std::size_t b) { return stream.data() + b * width; }
  void add(std::size_t token, std::size_t coordinate, Number value) {
    Pack& pack = stream[token / kLane * width + coordinate];
    pack[token % kLane] = pack[token % kLane] + value;
  }

  void embed(const Tokens& input) {
    tokens = input.kinds.size();
    blocks = (tokens + kLane - 1) / kLane;
    stream.assign(blocks * width, broadcast(Number(0)));
    const GivenPlace place = given_place(model);
    const auto* flag = std::get_if<FirstFlagPosition>(&model.position);
    const auto* code = std::get_if<CodePosition>(&model.position);
    const auto* table = std::get_if<TablePosition>(&model.position);
    const auto first = flag ? rounded<Number>(flag->first) : Entries<Number>{};
    const auto rest = flag ? rounded<Number>(flag->rest) : Entries<Number>{};
    std::vector<double> codes;
    for (std::size_t token = 0; token < tokens; ++token) {
      for (std::size_t i = 0; i < place.values; ++i) {
        const auto value = static_cast<Number>(input.given[token][i].approximate().value);
        add(token, i, value);
        if (place.mirror > 0) add(token, i + place.mirror, -value);
      }
      if (const auto kind = embedding.find(input.kinds[token]); kind != embedding.end())
        for (const auto& e : kind->second) add(token, e.index, e.value);
      if (flag)
        for (const auto& e : token == 0 ? first : rest) add(token, e.index, e.value);
      if (table)
        for (const SparseEntry& e : table->rows.at(token))
          add(token, e.index, static_cast<Number>(e.value.approximate()));
      if (!code) continue;
      for (const CodeFill& fill : code->fills) {
        append_code(code->code, token >= fill.back ? token - fill.back : 0, codes);
        const double scale = fill.scale.approximate();
        for (std::size_t i = 0; i < fill.at.size(); ++i)
          add(token, fill.at[i], static_cast<Number>(codes[i] * scale));
      }
      for (const SparseEntry& e : code->parity) {
        const auto value = static_cast<Number>(e.value.approximate());
        add(token, e.index, token % 2 == 0 ? value : -value);
      }
    }
  }

  /// z = norm(mask * h) of one block of tokens.
  void read(const Entries<Number>& mask, const Pack* h) {
    std::fill(z.begin(), z.end(), broadcast(Number(0)));
    Pack sum = broadcast(Number(0));
    for (const auto& e : mask) {
      Pack x = h[e.index] * broadcast(e.value);
      where(std::experimental::abs(x) <= Number(options.zero), x) = Number(0);
      sum += z[e.index] = x;
    }
    Pack square = broadcast(Number(0));
    if (model.norm == Norm::layernorm) {
      const Pack mean = sum / Number(width);
      for (Pack& x : z) {
        x -= mean;
        square += x * x;
      }
    } else {
      for (const auto& e : mask) square += z[e.index] * z[e.index];
    }
    Pack scale = std::experimental::sqrt(Number(width) / square);
    where(square == Number(0), scale) = Number(0);
    if (model.norm == Norm::layernorm) {
      for (Pack& x : z) x *= scale;
    } else {
      for (const auto& e : mask) z[e.index] *= scale;
    }
  }

  static Pack product(std::span<const Entry<Number>> row, const Pack* x) {
    Pack sum = broadcast(Number(0));
    for (const auto& e : row) sum += x[e.index] * broadcast(e.value);
    return sum;
  }
  static void project(const Rows<Number>& map, const Pack* x, Columns<Number>& out, std::size_t b) {
    for (std::size_t row = 0; row < map.count(); ++row)
      product(map[row], x).copy_to(out[row] + b * kLane, std::experimental::vector_aligned);
  }

  void attention(const DenseLayer<Number>& layer, std::vector<DenseHead<Number>>& heads) {
    if (layer.heads.empty()) return;
    if (heads.empty())
      for (const auto& maps : layer.heads)
        heads.emplace_back(maps.causal, tokens, std::max<std::size_t>(maps.query.count(), 1),
                           maps.value.count());
    for (std::size_t b = 0; b < blocks; ++b) {
      read(layer.attention_mask, block(b));
      for (std::size_t k = 0; k < heads.size(); ++k) {
        project(layer.heads[k].query, z.data(), heads[k].query, b);
        project(layer.heads[k].key, z.data(), heads[k].key, b);
        project(layer.heads[k].value, z.data(), heads[k].value, b);
      }
    }
    const auto start = Clock::now();
    const auto n = static_cast<double>(tokens);
    for (auto& head : heads) {
      attend_densely(head, options.tolerance, options.row_stride);
      cost.scores += head.causal ? n * (n + 1) / 2 : n * n;
    }
    cost.attention += std::chrono::duration<double>(Clock::now() - start).count();
    for (std::size_t b = 0; b < blocks; ++b)
      for (std::size_t k = 0; k < heads.size(); ++k) {
        const Rows<Number>& output = layer.heads[k].output;
        for (std::size_t row = 0; row < output.count(); ++row)
          for (const auto& e : output[row])
            block(b)[row] += broadcast(e.value) * Pack(heads[k].average[e.index] + b * kLane,
                                                       std::experimental::vector_aligned);
      }
  }

  void feedforward(const DenseLayer<Number>& layer) {
    if (layer.in.count() == 0) return;
    units.resize(layer.in.count());
    for (std::size_t b = 0; b < blocks; ++b) {
      read(layer.feedforward_mask, block(b));
      for (std::size_t unit = 0; unit < units.size(); ++unit)
        units[unit] =
            std::experimental::max(product(layer.in[unit], z.data()), broadcast(Number(0)));
      for (std::size_t row = 0; row < layer.out.count(); ++row)
        if (!layer.out[row].empty()) block(b)[row] += product(layer.out[row], units.data());
    }
  }

  void run(const Tokens& input) {
    const auto start = Clock::now();
    cost = {};
    z.resize(width);
    heads.clear();
    heads.resize(layers.size());
    embed(input);
    const auto run_layers = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        attention(layers[i], heads[i]);
        feedforward(layers[i]);
      }
    };
    const Shape& shape = model.shape;
    run_layers(0, shape.initial);
    for (std::uint64_t loop = loops_at(model.unroll, input.size); loop > 0; --loop)
      run_layers(shape.initial, shape.repeated);
    run_layers(shape.initial + shape.repeated, shape.final);
    cost.other = std::chrono::duration<double>(Clock::now() - start).count() - cost.attention;
  }

  const Model& model;
  DenseOptions options;
  std::size_t width, tokens = 0, blocks = 0;
  std::map<std::string, Entries<Number>> embedding;
  std::vector<DenseLayer<Number>> layers;
  Rows<Number> unembedding;
  std::vector<std::vector<DenseHead<Number>>> heads;  ///< per layer, kept from loop to loop
  std::vector<Pack> stream, z, units;
  DenseCost cost;
};

template <class Number>
DenseForward<Number>::DenseForward(const Model& model, const DenseOptions& options)
    : pass_(std::make_unique<Pass>(model, options)) {}
template <class Number>
DenseForward<Number>::~DenseForward() = default;

template <class Number>
void DenseForward<Number>::run(const Tokens& tokens) {
  pass_->run(tokens);
}

template <class Number>
std::vector<Number> DenseForward<Number>::logits(std::size_t token) const {
  const Lanes<Number>* block = pass_->block(token / Pass::kLane);
  std::vector<Number> logits;
  for (std::size_t row = 0; row < pass_->unembedding.count(); ++row) {
    Number sum = 0;
    for (const auto& e : pass_->unembedding[row])
      sum += e.value * static_cast<Number>(block[e.index][token % Pass::kLane]);
    logits.push_back(sum);
  }
  return logits;
}

template <class Number>
const DenseCost& DenseForward<Number>::cost() const {
  return pass_->cost;
}

template class DenseForward<double>;
template class DenseForward<float>;

}  // namespace logdepth
