#pragma once

#include <cstdint>

#include "runtime/file/model.hpp"

namespace logdepth { inline namespace compiler_file {

/// Numbers counted on a weights file, the ones a claim is compared with. Sizes that depend on the
/// input are those at n letters or vertices.
struct Measures {
  std::uint64_t initial = 0, repeated = 0, final = 0;  ///< layers of the shape (s, r, t)
  std::uint64_t loops = 0, depth = 0;                  ///< at n; depth = s + r * loops + t
  std::uint64_t width = 0;         ///< residual coordinates, padding and mirrors included
  std::uint64_t strict_width = 0;  ///< smallest width whose share per head holds every head
  std::uint64_t cells = 0;         ///< logical coordinates, before mirroring and padding
  std::uint64_t heads = 0;         ///< in the largest attention sublayer
  std::uint64_t units = 0;         ///< feed-forward rows, summed over distinct layers
  std::uint64_t nonzeros = 0;      ///< numbers in masks, matrices, embedding and unembedding
  std::uint64_t numerator_bits = 0, denominator_bits = 0;  ///< the largest among them
};

Measures measure(const Model& model, std::uint64_t n);

}}  // namespace logdepth::compiler_file
