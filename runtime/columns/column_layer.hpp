#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_norm.hpp"
#include "runtime/columns/column_scores.hpp"
#include "runtime/columns/column_selection.hpp"
#include "runtime/columns/column_state.hpp"
#include "runtime/columns/column_units.hpp"

namespace logdepth::inline runtime_columns {

/// Averages of an input: the same columns have the same family, so that what one head adds another one
/// can take away.
class ColumnAverages {
 public:
  /// Columns of values, which have no index, replaced by their averages over all that is seen, as a matrix
  /// times the shares of the combinations that the head's values have (L4). `sources`: what the columns
  /// were made of. Errors: HandOver.
  void average(ColumnState& state, std::vector<std::pair<std::uint32_t, Column>>& added,
               const std::vector<SharedLabels>& sources);
  void forget_dead();
  void forget() { known_.clear(); }

 private:
  struct Known {
    SharedLabels joint;
    SharedIndex index;
    std::vector<SharedLabels>
        sources;  ///< kept: who reads them again makes these columns, not equal ones
  };
  std::map<std::vector<SharedLabels>, Known> known_;
};

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
  /// What is added, by segment.
  using Added = std::vector<std::pair<std::uint32_t, Column>>;
  struct PreparedHead {
    const Head& head;
    NormedMap query, key;
    std::vector<std::pair<std::uint32_t, NormedMap>> written;  ///< output * value, per segment
    PreparedHead(const Head& source, const Segments& segments, const ColumnNorm& norm);
  };
  static Added values(ColumnState& state, const PreparedHead& head, const NormedColumns& z,
                      std::vector<SharedLabels>& sources);
  static void gather(ColumnState& state, Added& added, const SharedLabels& selected);
  static void average(ColumnState& state, Added& added, const TokenSets& sets);
  ColumnSelection select(ColumnState& state, std::size_t head, const NormedColumns& z,
                         ColumnAttention& attention, bool& one_key);
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
