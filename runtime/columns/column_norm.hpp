#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

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
  /// x = w code + v over the places of the mask; of one index.
  struct Linear {
    SharedIndex index;
    std::vector<Place> at;
    Rationals w, v;
  };
  ColumnEntry masked_entry(const ColumnState& state, std::uint32_t segment, EntryId entry) const;
  Column signatures(ColumnState& state, const Columns& from, std::size_t part) const;
  /// The factor of a combination of signatures; absent: the norm depends on an index.
  bool find_factor(ColumnState& state, const Columns& from, const std::vector<EntryId>& signatures,
                   Rational& factor) const;
  Linear linear(const ColumnState& state) const;
  NormedColumns direction(ColumnState& state) const;
  NormedColumns sign(ColumnState& state, const Linear& x) const;
  /// Vectors of x at every token, up to a positive factor.
  void fill_vectors(const ColumnState& state, const Linear& x, ColumnFamily& made) const;
  Rational root_of_width() const;

  const Model& model_;
  Rationals mask_, masked_;
  std::vector<std::uint32_t> segments_;
};

}  // namespace logdepth::inline runtime_columns
