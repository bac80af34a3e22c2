#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/columns/column_norm.hpp"
#include "runtime/columns/column_state.hpp"

namespace logdepth::inline runtime_columns {

/// A feed-forward sublayer over columns. What it writes is found per segment, once per combination of
/// what the units that write there read: as one block, combinations would multiply.
class ColumnUnits {
 public:
  ColumnUnits(const FeedForward& feedforward, const Segments& segments, const ColumnNorm& norm);

  bool empty() const { return written_.empty(); }
  /// h + out ReLU(in z), in place. Errors: HandOver where the sign of a unit depends on an index.
  void operator()(ColumnState& state, const NormedColumns& z);
  std::size_t bytes() const { return bytes_; }
  void forget();

 private:
  struct Term {
    std::uint32_t column, offset;  ///< column: of Written::read
    Rational on_stream, on_z;      ///< with the mask, and without
  };
  struct Unit {
    std::uint32_t number;
    std::vector<Term> in = {};
    WholeNumbers whole_on_stream = {}, whole_on_z = {};        ///< weights of `in`
    std::vector<std::pair<std::uint32_t, Rational>> out = {};  ///< offset, weight
  };
  /// Units whose input grows with a component, and those whose input shrinks.
  struct Pushes {
    std::vector<std::uint32_t> up, down;
  };
  /// Combination and names of indices to the entry and the column whose index it has.
  using Known = std::unordered_map<std::string, std::pair<EntryId, std::uint32_t>>;
  struct Written {
    std::uint32_t segment;
    std::vector<std::uint32_t> read;  ///< segments
    std::vector<Unit> units;
    std::vector<std::vector<Pushes>> pushes;  ///< column of `read`, offset
    Known known;
  };
  /// What is to be evaluated: its place in the memo, and the combination.
  using Asked = std::pair<Known::value_type*, const std::vector<EntryId>*>;
  /// A sum of numbers and codes at one combination.
  struct Sum;
  /// The entries of a combination as integers over one denominator.
  struct WholeEntries;
  /// What stands in a segment afterwards, and the column whose index it has.
  struct Evaluated {
    ColumnEntry entry;
    std::uint32_t index = 0;
  };

  void find_mirrors(const FeedForward& feedforward, const Rationals& masked);
  std::vector<std::uint32_t> pushed_units(const ColumnPools& pools, const Written& written,
                                          const std::vector<EntryId>& entries) const;
  static WholeEntries whole_entries(const ColumnPools& pools, const Written& written,
                                    const std::vector<EntryId>& entries);
  Sum input_of(const ColumnState& state, const Written& written, const Unit& unit, bool on_z,
               const Columns& read, const std::vector<EntryId>& entries) const;
  Evaluated evaluate(const ColumnState& state, const Written& written, bool on_z,
                     const Columns& read, const std::vector<EntryId>& entries) const;
  void evaluate_all(ColumnState& state, Written& written, bool on_z, const Columns& read,
                    const std::vector<Asked>& asked);
  Column written_column(ColumnState& state, Written& written, const NormedColumns& z);

  std::vector<std::uint32_t> mirror_;  ///< the unit with -in and -out, else itself
  std::vector<Written> written_;
  std::size_t bytes_ = 0;
};

}  // namespace logdepth::inline runtime_columns
