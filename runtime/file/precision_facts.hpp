#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/numbers/rational.hpp"

namespace logdepth::inline runtime_file {

/// What a float run has to know about the exact numbers of a weights file, beyond the weights: all
/// of it follows from what the cells hold, and the compiler proves it (compiler/passes/prove_precision).
/// N, the size of a run, is its number of tokens, or the largest given number if that is larger.

/// Of a law that a file may state; a larger one would say nothing in any number format.
constexpr std::uint32_t kMaxSeparationExponent = 64;

/// A quantity that is zero, or at least coefficient * N^-exponent in absolute value.
struct SeparationLaw {
  Rational coefficient;
  std::uint32_t exponent = 0;
  bool operator==(const SeparationLaw&) const = default;
  /// The bound at size N, rounded down.
  double at(double size) const;
};

/// Rows of a head's keys that have one squared norm at all tokens.
struct KeyBlock {
  std::vector<std::uint32_t> rows;
  Rational square;
  bool operator==(const KeyBlock&) const = default;
};

struct HeadFacts {
  std::vector<KeyBlock> blocks;
  /// The query may be scaled, block by block, to the norm of the key without changing what is
  /// selected.
  bool scaled = false;
  /// Of the distance of any visible score from the largest one, queries scaled as said.
  std::optional<SeparationLaw> gap;
  bool operator==(const HeadFacts&) const = default;
};

struct MaskFacts {
  /// norm(mask * h) = scale * mask * h at every token.
  std::optional<Rational> scale;
  /// Of the number that the mask reads alone (and of its mirror).
  std::optional<SeparationLaw> zero;
  bool operator==(const MaskFacts&) const = default;
};

struct LayerFacts {
  MaskFacts attention, feedforward;
  std::vector<HeadFacts> heads;
  bool operator==(const LayerFacts&) const = default;
};

/// One entry per layer of the file.
struct [[nodiscard]] PrecisionFacts {
  std::vector<LayerFacts> layers;
  bool operator==(const PrecisionFacts&) const = default;
};

}  // namespace logdepth::inline runtime_file
