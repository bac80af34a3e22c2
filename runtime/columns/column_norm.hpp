#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"

namespace logdepth { inline namespace runtime_columns {

/// z = norm(mask * h) of all tokens: `factor` times mask * h; or z itself, where the norm is a direction.
struct NormedColumns {
  Column factor;  ///< entries of ColumnPools::factors
  bool is_direction = false;
  std::vector<Column> z;  ///< per segment; of a direction only

  const std::vector<Column>& columns(const ColumnState& state) const {
    return is_direction ? z : state.stream;
  }
};

/// The norm of one sublayer, for all tokens at once.
class ColumnNorm {
 public:
  ColumnNorm(const Model& model, const Segments& segments, const SparseVector& mask);

  /// Errors: HandOver where no certificate applies.
  NormedColumns operator()(ColumnState& state) const;

  /// Per coordinate: the mask, and 1 where it is not zero.
  const Rationals& mask() const { return mask_; }
  const Rationals& masked() const { return masked_; }

 private:
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // segment, offset
  /// x = mask * h = w code + v, of one index. Coordinates may share a row of w, with either
  /// sign.
  struct Linear {
    struct Coordinate {
      Place place;
      std::uint32_t coordinate = 0;  ///< of the stream
      std::uint32_t row = 0;
      int sign = 0;
    };
    SharedIndex index;
    std::vector<Coordinate> coordinates;
    Reals w, v;
    Real scale;  ///< z = scale * y / |y| for the rows y
  };
  ColumnEntry masked_entry(const ColumnState& state, std::uint32_t segment, EntryId entry) const;
  Column signatures(ColumnState& state, const Columns& from, std::size_t part) const;
  /// The factor of a combination of signatures; absent: the norm depends on an index.
  bool find_factor(ColumnState& state, const Columns& from, const std::vector<EntryId>& signatures,
                   Real& factor) const;
  Linear linear(const ColumnState& state) const;
  void find_scale(Linear& x) const;
  void halve(Linear& x) const;
  void check_mean(const Linear& x) const;
  /// The column of a segment with the code `own` of the rows, or with the sign of the only row.
  ColumnEntry normed_entry(const ColumnState& state, std::uint32_t segment, const Linear& x,
                           std::optional<int> sign) const;
  NormedColumns direction(ColumnState& state) const;
  NormedColumns sign(ColumnState& state, const Linear& x) const;
  /// Vectors of x at every token, up to a positive factor.
  void fill_vectors(const ColumnState& state, const Linear& x, ColumnFamily& made) const;

  const Model& model_;
  Rationals mask_, masked_;
  std::vector<std::uint32_t> segments_;
};

}}  // namespace logdepth::runtime_columns
