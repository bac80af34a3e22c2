#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/columns/column_averages.hpp"
#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_norm.hpp"
#include "runtime/columns/column_scores.hpp"
#include "runtime/columns/column_selection.hpp"
#include "runtime/columns/column_state.hpp"
#include "runtime/columns/column_units.hpp"

namespace logdepth::inline runtime_columns {

/// A layer of the file, prepared for columns.
class ColumnLayer {
 public:
  ColumnLayer(const Model& model, const Layer& layer, const Segments& segments);

  /// A sublayer, in place. Errors: HandOver, with the number of the head where one is meant.
  void attend(ColumnState& state, ColumnAttention& attention, ColumnAverages& averages,
              ColumnRows& rows);
  void feed_forward(ColumnState& state);
  std::size_t heads() const { return heads_.size(); }
  std::size_t bytes() const { return units_.bytes(); }
  void forget() { units_.forget(); }

 private:
  struct PreparedHead {
    const Head& head;
    NormedMap query, key;
    std::vector<std::pair<NormedMap, NormedMap>> rows;         ///< query and key, two rows each
    std::vector<std::pair<std::uint32_t, NormedMap>> written;  ///< output * value, per segment
    PreparedHead(const Head& source, const Segments& segments, const ColumnNorm& norm);
  };
  /// What a head selects, and what is known of its queries and keys.
  struct Selected {
    std::size_t head = 0;
    ColumnSelection selection;
    bool one_key = false;       ///< all tokens have the same key
    std::vector<RowPair> rows;  ///< read when they are first needed
  };
  static AddedColumns values(ColumnState& state, const PreparedHead& head, const NormedColumns& z,
                             std::vector<SharedLabels>& sources);
  static void gather(ColumnState& state, AddedColumns& added, const SharedLabels& selected);
  void read_rows(ColumnState& state, const NormedColumns& z, ColumnAttention& attention,
                 Selected& selected);
  void select(ColumnState& state, const NormedColumns& z, ColumnAttention& attention,
              Selected& selected);
  void add_values(ColumnState& state, const NormedColumns& z, ColumnAverages& averages,
                  const Selected& selected, AddedColumns& all);
  const ColumnScores& scores(std::size_t head);
  /// Pairs of indices that one sublayer made: mirrored segments have to get the same.
  using Pairs = std::map<std::pair<SharedIndex, SharedIndex>, SharedIndex>;
  static void add(ColumnState& state, std::uint32_t segment, const Column& column, Pairs& pairs);

  bool has_units_;
  ColumnNorm attention_norm_, feedforward_norm_;
  const Segments& segments_;
  std::vector<PreparedHead> heads_;
  /// Of every head alone, and of all of them; made when they are first needed.
  std::vector<std::optional<ColumnScores>> scores_;
  ColumnUnits units_;
};

}  // namespace logdepth::inline runtime_columns
