#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model.hpp"
#include "runtime/outcome.hpp"
#include "runtime/real.hpp"
#include "runtime/sparse_map.hpp"

namespace logdepth {

/// The residual stream: one value per token and coordinate.
template <class Value>
struct Stream {
  std::size_t tokens = 0;
  std::size_t width = 0;
  std::vector<Value> values;  ///< row-major, tokens x width

  Stream(std::size_t token_count, std::size_t model_width, Value zero)
      : tokens(token_count), width(model_width), values(token_count * model_width, zero) {}
  Value& at(std::size_t token, std::size_t coordinate) {
    return values[token * width + coordinate];
  }
  const Value& at(std::size_t token, std::size_t coordinate) const {
    return values[token * width + coordinate];
  }
};

enum class Sublayer { attention, feedforward };

/// A place in the unrolled computation. `step` counts executed layers from 1; `layer` is the index
/// in the file.
struct Location {
  std::size_t step = 0;
  std::size_t layer = 0;
  Sublayer sublayer = Sublayer::attention;
};

/// What one head selected at one token: the set of visible positions with the largest score.
struct SelectedRow {
  std::size_t row = 0;
  std::size_t visible = 0;  ///< number of visible positions; they are 0 .. visible-1
  std::size_t count = 0;    ///< size of the selected set
  std::size_t last = 0;     ///< its last position
  bool one_key = true;      ///< all selected positions have the same key
  const std::function<std::vector<std::size_t>()>* positions = nullptr;  ///< the set, on demand
};

/// Queries, keys and values of one head, row-major by token.
template <class Value>
struct HeadRows {
  bool causal = true;
  std::size_t tokens = 0;
  std::size_t score_dimension = 0;
  std::size_t value_dimension = 0;
  std::vector<Value> queries, keys, values;
};

/// The number concept: everything the forward pass asks of its numbers. `Value` is cheap to copy;
/// `Sum` is an accumulator. The exact instance is runtime/exact.hpp.
template <class A>
concept Arithmetic = requires(A& a, typename A::Value v, typename A::Sum& s, const Rational& w,
                              const Real& given,
                              std::vector<std::pair<std::uint32_t, typename A::Value>>& masked,
                              const HeadRows<typename A::Value>& rows) {
  { a.zero() } -> std::same_as<typename A::Value>;
  { a.number(w) } -> std::same_as<typename A::Value>;
  { a.number(given) } -> std::same_as<typename A::Value>;
  { a.is_zero(v) } -> std::same_as<bool>;
  { a.sign(v) } -> std::same_as<int>;
  { a.multiply(w, v) } -> std::same_as<typename A::Value>;
  { a.add_product(v, w, v) } -> std::same_as<typename A::Value>;  // v + w*v'
  {a.accumulate(s, w, v)};                                        // s += w*v
  { a.sign_of(s) } -> std::same_as<int>;
  { a.close(s) } -> std::same_as<typename A::Value>;  // the value; s becomes 0
  // z = norm(x) in place on the non-zero components; a reason when that leaves the field.
  { a.normalise(Norm::rms, std::uint32_t{}, masked) } -> std::same_as<std::optional<std::string>>;
  // Once for every row, in any order: what is selected, and the average of its values.
  {a.attend(rows, [](const SelectedRow&, std::span<const typename A::Value>) {})};
};

template <class Value>
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;
  virtual void before(const Location&, const Stream<Value>&) {}
  /// What a head is about to compare; `rows` lives until the head has answered its last row.
  virtual void on_head(const Location&, std::size_t /*head*/, const HeadRows<Value>& /*rows*/) {}
  virtual void on_row(const Location&, std::size_t /*head*/, const SelectedRow&) {}
  virtual void after(const Location&, const Stream<Value>&) {}
};

/// The forward pass of MS25 Def. 2.1-2.3 on a residual stream, written once over the numbers.
template <Arithmetic A>
class Forward {
 public:
  using Value = typename A::Value;
  using Observer = ForwardObserver<Value>;

  /// Keeps references: model and arithmetic must outlive this object.
  Forward(const Model& model, A& arithmetic) : model_(model), a_(arithmetic) {
    for (const Layer& layer : model.layers) layers_.emplace_back(layer);
  }

  /// Runs s initial layers, `loops` times the r repeated ones, then t final ones.
  Outcome<Stream<Value>> run(Stream<Value> stream, std::size_t loops,
                             const std::vector<Observer*>& observers) {
    std::size_t step = 0;
    const auto run_layers = [&](std::size_t first, std::size_t count) -> std::optional<Refusal> {
      for (std::size_t layer = first; layer < first + count; ++layer) {
        ++step;
        for (const Sublayer sublayer : {Sublayer::attention, Sublayer::feedforward}) {
          const Location location{step, layer, sublayer};
          for (Observer* observer : observers) observer->before(location, stream);
          const auto failure = sublayer == Sublayer::attention ? attend(location, stream, observers)
                                                               : feed_forward(location, stream);
          if (failure) return failure;
          for (Observer* observer : observers) observer->after(location, stream);
        }
      }
      return std::nullopt;
    };
    const Shape& shape = model_.shape;
    if (auto failure = run_layers(0, shape.initial)) return *failure;
    for (std::size_t loop = 0; loop < loops; ++loop)
      if (auto failure = run_layers(shape.initial, shape.repeated)) return *failure;
    if (auto failure = run_layers(shape.initial + shape.repeated, shape.final)) return *failure;
    return stream;
  }

  /// matrix * h for one token: the logits.
  std::vector<Value> apply(const SparseMap& matrix, const Stream<Value>& stream,
                           std::size_t token) {
    std::vector<Value> result;
    for (std::uint32_t row = 0; row < matrix.rows(); ++row)
      result.push_back(apply_row(matrix, row, stream, token));
    return result;
  }
  /// One component of that.
  Value apply_row(const SparseMap& matrix, std::uint32_t row, const Stream<Value>& stream,
                  std::size_t token) {
    typename A::Sum sum{};
    for (const SparseMap::Weight& weight : matrix.row(row))
      a_.accumulate(sum, *weight.value, stream.at(token, weight.index));
    return a_.close(sum);
  }

 private:
  struct PreparedHead {
    SparseMap query, key, value, output;
    explicit PreparedHead(const Head& head)
        : query(head.query), key(head.key), value(head.value), output(head.output) {}
  };
  struct PreparedLayer {
    const Layer* layer;
    std::vector<PreparedHead> heads;
    SparseMap in, out;
    explicit PreparedLayer(const Layer& source)
        : layer(&source), in(source.feedforward.in), out(source.feedforward.out) {
      for (const Head& head : source.attention.heads) heads.emplace_back(head);
    }
  };
  using Masked = std::vector<std::pair<std::uint32_t, Value>>;

  /// z = norm(mask * h) at one token, non-zero components only.
  std::optional<Refusal> read(const Location& location, const SparseVector& mask,
                              const Stream<Value>& stream, std::size_t token, Masked& z) {
    z.clear();
    for (const SparseEntry& entry : mask) {
      const Value h = stream.at(token, entry.index);
      if (!a_.is_zero(h)) z.emplace_back(entry.index, a_.multiply(entry.value, h));
    }
    if (z.empty()) return std::nullopt;  // norm(0) = 0
    if (const auto reason = a_.normalise(model_.norm, model_.width, z)) {
      return OutsideField{
          "layer " + std::to_string(location.step) + ", " +
          (location.sublayer == Sublayer::attention ? "attention" : "feed-forward") +
          " mask, token " + std::to_string(token) + ": " + *reason};
    }
    return std::nullopt;
  }

  /// Writes z into a dense scratch row; `clear` undoes it.
  void spread(const Masked& z) {
    dense_.resize(model_.width, a_.zero());
    for (const auto& [index, value] : z) dense_[index] = value;
  }
  void clear(const Masked& z) {
    for (const auto& [index, value] : z) dense_[index] = a_.zero();
  }

  /// Appends matrix * z, where z stands in the dense scratch row.
  void project(const SparseMap& matrix, std::vector<Value>& out) {
    typename A::Sum sum{};
    for (std::uint32_t row = 0; row < matrix.rows(); ++row) {
      for (const SparseMap::Weight& weight : matrix.row(row)) {
        const Value x = dense_[weight.index];
        if (!a_.is_zero(x)) a_.accumulate(sum, *weight.value, x);
      }
      out.push_back(a_.close(sum));
    }
  }

  std::optional<Refusal> attend(const Location& location, Stream<Value>& stream,
                                const std::vector<Observer*>& observers) {
    const PreparedLayer& prepared = layers_[location.layer];
    const Attention& attention = prepared.layer->attention;
    if (attention.heads.empty()) return std::nullopt;

    std::vector<HeadRows<Value>> rows(attention.heads.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows[k].causal = attention.heads[k].causal;
      rows[k].tokens = stream.tokens;
      rows[k].score_dimension = prepared.heads[k].query.rows();
      rows[k].value_dimension = prepared.heads[k].value.rows();
    }
    Masked z;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      if (auto failure = read(location, attention.mask, stream, token, z)) return failure;
      spread(z);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        project(prepared.heads[k].query, rows[k].queries);
        project(prepared.heads[k].key, rows[k].keys);
        project(prepared.heads[k].value, rows[k].values);
      }
      clear(z);
    }
    // Every head has read its input, so outputs may be added in place.
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const SparseMap& output = prepared.heads[k].output;
      for (Observer* observer : observers) observer->on_head(location, k, rows[k]);
      a_.attend(rows[k], [&](const SelectedRow& selected, std::span<const Value> average) {
        for (Observer* observer : observers) observer->on_row(location, k, selected);
        for (std::uint32_t c = 0; c < average.size(); ++c) {
          if (a_.is_zero(average[c])) continue;
          for (const auto& range : {output.positive_in_column(c), output.negative_in_column(c)})
            for (const SparseMap::Weight& weight : range) {
              Value& h = stream.at(selected.row, weight.index);
              h = a_.add_product(h, *weight.value, average[c]);
            }
        }
      });
    }
    return std::nullopt;
  }

  std::optional<Refusal> feed_forward(const Location& location, Stream<Value>& stream) {
    const PreparedLayer& prepared = layers_[location.layer];
    const FeedForward& block = prepared.layer->feedforward;
    if (prepared.in.rows() == 0) return std::nullopt;

    Masked z;
    std::vector<char> seen(prepared.in.rows(), 0);
    std::vector<std::uint32_t> candidates;
    std::vector<typename A::Sum> delta(model_.width);
    std::vector<char> changed(model_.width, 0);
    std::vector<std::uint32_t> changes;
    typename A::Sum sum{};
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      if (auto failure = read(location, block.mask, stream, token, z)) return failure;
      spread(z);
      // A unit can be positive only if some term is: visit those, skip the silent rest unseen.
      candidates.clear();
      for (const auto& [column, value] : z) {
        const auto pushed_up = a_.sign(value) > 0 ? prepared.in.positive_in_column(column)
                                                  : prepared.in.negative_in_column(column);
        for (const SparseMap::Weight& weight : pushed_up)
          if (!seen[weight.index]) {
            seen[weight.index] = 1;
            candidates.push_back(weight.index);
          }
      }
      for (const std::uint32_t unit : candidates) {
        seen[unit] = 0;
        for (const SparseMap::Weight& weight : prepared.in.row(unit)) {
          const Value x = dense_[weight.index];
          if (!a_.is_zero(x)) a_.accumulate(sum, *weight.value, x);
        }
        const bool active = a_.sign_of(sum) > 0;  // ReLU
        const Value activation = a_.close(sum);
        if (!active) continue;
        for (const auto& range :
             {prepared.out.positive_in_column(unit), prepared.out.negative_in_column(unit)})
          for (const SparseMap::Weight& weight : range) {
            if (!changed[weight.index]) {
              changed[weight.index] = 1;
              changes.push_back(weight.index);
            }
            a_.accumulate(delta[weight.index], *weight.value, activation);
          }
      }
      clear(z);
      for (const std::uint32_t coordinate : changes) {
        Value& h = stream.at(token, coordinate);
        a_.accumulate(delta[coordinate], kOne, h);
        h = a_.close(delta[coordinate]);
        changed[coordinate] = 0;
      }
      changes.clear();
    }
    return std::nullopt;
  }

  inline static const Rational kOne{1};
  const Model& model_;
  A& a_;
  std::vector<PreparedLayer> layers_;
  std::vector<Value> dense_;
};

}  // namespace logdepth
