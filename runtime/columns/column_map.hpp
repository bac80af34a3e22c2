#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_norm.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_columns {

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

/// A feed-forward sublayer over columns. What it writes is found per segment, once per combination of
/// what the units that write there read: as one block, combinations would multiply.
class ColumnUnits {
 public:
  ColumnUnits(const FeedForward& feedforward, const Segments& segments, const ColumnNorm& norm);

  /// h + out ReLU(in z), in place. Errors: HandOver where the sign of a unit depends on an index.
  void operator()(ColumnState& state, const NormedColumns& z);
  std::size_t bytes() const { return bytes_; }

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

}}  // namespace logdepth::runtime_columns
