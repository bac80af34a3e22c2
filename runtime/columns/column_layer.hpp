#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_norm.hpp"
#include "runtime/columns/column_scores.hpp"
#include "runtime/columns/column_selection.hpp"
#include "runtime/columns/token_sets.hpp"

namespace logdepth { inline namespace runtime_columns {

/// The selection contracts of the heads of one sublayer, proved at every row from what a head selected and
/// from the stream before the sublayer. Nothing is known here of the rule that selected.
class ColumnContracts {
 public:
  /// Queries and keys of a head, two rows each.
  using ReadRows = std::function<std::span<const RowPair>()>;

  /// Keeps references.
  ColumnContracts(ColumnState& state, KnownCells& known) : state_(state), known_(known) {}

  /// `one_key`: all tokens have the same key. Errors: HandOver for a contract that is broken, or is not
  /// one of those that can be proved here; the general path finds the row and says it.
  void check(const Contract& contract, const ColumnSelection& selection, bool one_key, bool causal,
             const ReadRows& rows);

 private:
  using Pairs = std::vector<RelatedContract::Pair>;
  void check_cells(const Contract& contract, const RankedCells& cells, bool causal,
                   const ReadRows& rows);
  void check_match(const MatchContract& match, const RankedCells& cells, bool causal,
                   const ReadRows& rows);
  KnownCells::Cells found_cells(const FindContract& find, std::span<const RowPair> rows);
  RankedCells flagged_cells(const FlaggedContract& flagged);
  void check_sets(const Contract& contract, const TokenSets& sets, bool causal);
  void check_related(const RelatedContract& contract, const TokenSets& sets, bool causal);
  const TokenSets& related(const Pairs& pairs);

  ColumnState& state_;
  KnownCells& known_;
  Pairs pairs_;  ///< of related_
  std::optional<TokenSets> related_;
};

/// What a head adds, by segment.
using AddedColumns = std::vector<std::pair<std::uint32_t, Column>>;

/// Averages of causal heads. The same columns have the same family, so that what one head adds another one
/// can take away.
class ColumnAverages {
 public:
  /// Columns of values, which have no index, replaced by their averages over all that is seen, or over
  /// the cell that a row selects, as a matrix times the shares of the combinations that the head's values have
  /// (L4). `sources`: what the columns were made of. Errors: HandOver.
  void average(ColumnState& state, AddedColumns& added, const std::vector<SharedLabels>& sources,
               const RankedCells* cells);
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
  std::size_t bytes() const { return units_.bytes(); }

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

}}  // namespace logdepth::runtime_columns
