#pragma once

#include <cstdint>
#include <vector>

#include "runtime/columns/column_norm.hpp"
#include "runtime/columns/column_state.hpp"
#include "runtime/stream/segments.hpp"

namespace logdepth::inline runtime_columns {

/// A value of a linear map: v + M code(e) for the e of one index.
struct ColumnImage {
  Reals v, m;
  SharedIndex index;  ///< absent: m is empty

  std::uint32_t dims() const { return index ? index->family->dims : 0; }
};

/// Values of a linear map at all tokens: one per combination of what it reads.
struct ColumnImages {
  Combinations at;  ///< its entries are of no further use
  std::vector<ColumnImage> images;
};

/// A linear map, with weights per coordinate multiplied in.
class ColumnMap {
 public:
  ColumnMap(const SparseMatrix& matrix, const Segments& segments, const Rationals& weights);

  /// Images of the columns, times a factor per token where one is given. Errors: HandOver where an image
  /// has two indices.
  ColumnImages operator()(ColumnState& state, const std::vector<Column>& from,
                          const Column* factor) const;

 private:
  struct Term {
    std::uint32_t column;  ///< of segments_
    std::uint32_t offset;
    Rational weight;
  };
  ColumnImage image(const ColumnState& state, const Columns& read,
                    const std::vector<EntryId>& entries, const Real& factor) const;

  std::vector<std::uint32_t> segments_;
  std::vector<std::vector<Term>> rows_;
};

/// matrix * z of a sublayer, whichever form its norm takes.
class NormedMap {
 public:
  NormedMap(const SparseMatrix& matrix, const Segments& segments, const ColumnNorm& norm)
      : of_stream_(matrix, segments, norm.mask()), of_z_(matrix, segments, norm.masked()) {}

  ColumnImages operator()(ColumnState& state, const NormedColumns& z) const {
    return z.is_direction ? of_z_(state, z.z, nullptr) : of_stream_(state, state.stream, &z.factor);
  }

 private:
  ColumnMap of_stream_, of_z_;
};

}  // namespace logdepth::inline runtime_columns
