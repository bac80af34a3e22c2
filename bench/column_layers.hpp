#pragma once

// Layers of the scan as the column engine makes them, with Thrust, on the host or on a device: "gather the
// token that the row selects, join it with the own label, name the pair". Rows select with the engine's own
// step (label_steps.hpp), and are looked at in the pass that uses them.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/columns/label_steps.hpp"

namespace logdepth::column_bench {

using Byte = std::uint8_t;
using Token = std::uint32_t;
constexpr Byte kUnnamed = 255;

/// The index of the token so many places before; 0 at the first ones.
struct Before {
  std::size_t distance;
  constexpr std::size_t operator[](std::size_t i) const { return i > distance ? i - distance : 0; }
};
/// Keys that are their own tokens: certified by a pass over the array of keys, which is then not read again.
struct OwnToken {
  constexpr std::size_t operator[](std::size_t e) const { return e; }
};

/// The first row of a layer that does not select one token that it sees, and the first whose pair has no name.
struct FirstRows {
  std::size_t broken, unnamed;
};
struct Earlier {
  constexpr FirstRows operator()(const FirstRows& a, const FirstRows& b) const {
    return {a.broken < b.broken ? a.broken : b.broken,
            a.unnamed < b.unnamed ? a.unnamed : b.unnamed};
  }
};

template <class Keys>
struct LayerStep {
  runtime_columns::MatchStep<Token, Before, Keys> match;
  const Byte* in;
  const Byte* names;  ///< of pairs (selected, own)
  std::size_t states, rows;
  Byte unit;  ///< what rows before the distance multiply with
  Byte* out;

  constexpr std::size_t pair(std::size_t i, Token selected) const {
    return (i < match.query.distance ? unit : in[selected]) * states + in[i];
  }
  constexpr FirstRows operator()(std::size_t i) const {
    const Token selected = match.selected(i);
    if (!match.sees(i, selected)) return {i, rows};
    const Byte name = names[pair(i, selected)];
    out[i] = name;
    return {rows, name == kUnnamed ? i : rows};
  }
};

/// All pairs of a layer.
template <class Keys>
struct MarkStep {
  LayerStep<Keys> layer;
  Byte* marks;

  constexpr void operator()(std::size_t i) const {
    Byte& mark = marks[layer.pair(i, layer.match.selected(i))];
    if (mark == 0) mark = 1;
  }
};

struct KeyDiffers {
  const Token* keys;
  std::size_t rows;
  constexpr std::size_t operator()(std::size_t e) const { return keys[e] == e ? rows : e; }
};
struct Least {
  constexpr std::size_t operator()(std::size_t a, std::size_t b) const { return a < b ? a : b; }
};

/// Runs over one word. The host names pairs as they occur; a device never sees the group.
class ColumnLayers {
 public:
  /// `product`: states x states names.
  ColumnLayers(std::vector<Byte> product, std::size_t states, Byte unit)
      : product_(std::move(product)), states_(states), unit_(unit) {}

  /// Prefix products of the letters in `one`, which is changed; returns the array that holds them. `keys`: the
  /// token of every index. Errors: std::runtime_error names the layer and the row of a broken contract.
  const thrust::device_vector<Byte>& run(thrust::device_vector<Byte>& one,
                                         thrust::device_vector<Byte>& two,
                                         const thrust::device_vector<Token>& keys) {
    const std::size_t n = one.size();
    const std::vector<Byte> none(states_ * states_, kUnnamed);
    names_ = none;
    device_names_.assign(none.begin(), none.end());
    const Token* at = raw(keys);
    const bool own = thrust::transform_reduce(thrust::device, rows(0), rows(n), KeyDiffers{at, n},
                                              n, Least{}) == n;
    thrust::device_vector<Byte>*from = &one, *to = &two;
    std::size_t layer = 0;
    for (std::size_t distance = 1; distance < n; distance *= 2, ++layer) {
      if (own) {
        step(
            LayerStep<OwnToken>{
                {{distance}, {}, n, true}, raw(*from), nullptr, states_, n, unit_, raw(*to)},
            layer);
      } else {
        step(
            LayerStep<const Token*>{
                {{distance}, at, n, true}, raw(*from), nullptr, states_, n, unit_, raw(*to)},
            layer);
      }
      std::swap(from, to);
    }
    return *from;
  }
  /// Passes that named pairs, of the latest run.
  std::size_t named() const { return named_; }

 private:
  static thrust::counting_iterator<std::size_t> rows(std::size_t i) {
    return thrust::counting_iterator<std::size_t>(i);
  }
  template <class T>
  static T* raw(thrust::device_vector<T>& array) {
    return thrust::raw_pointer_cast(array.data());
  }
  template <class T>
  static const T* raw(const thrust::device_vector<T>& array) {
    return thrust::raw_pointer_cast(array.data());
  }

  template <class Keys>
  void step(LayerStep<Keys> layer, std::size_t number) {
    const std::size_t n = layer.rows;
    layer.names = raw(device_names_);
    if (number == 0) named_ = 0;
    while (true) {
      const FirstRows first = thrust::transform_reduce(thrust::device, rows(0), rows(n), layer,
                                                       FirstRows{n, n}, Earlier{});
      if (first.broken < n)
        throw std::runtime_error("layer " + std::to_string(number) + ", head 0, row " +
                                 std::to_string(first.broken) +
                                 ": the row does not select exactly one token that it sees");
      if (first.unnamed == n) return;
      name_pairs(layer);
    }
  }
  template <class Keys>
  void name_pairs(const LayerStep<Keys>& layer) {
    thrust::device_vector<Byte> marks(states_ * states_, Byte{0});
    thrust::for_each(thrust::device, rows(0), rows(layer.rows), MarkStep<Keys>{layer, raw(marks)});
    std::vector<Byte> found(marks.size());
    thrust::copy(marks.begin(), marks.end(), found.begin());
    for (std::size_t pair = 0; pair < found.size(); ++pair)
      if (found[pair]) names_[pair] = product_[pair];
    thrust::copy(names_.begin(), names_.end(), device_names_.begin());
    ++named_;
  }

  std::vector<Byte> product_, names_;
  std::size_t states_, named_ = 0;
  Byte unit_;
  thrust::device_vector<Byte> device_names_;
};

}  // namespace logdepth::column_bench
