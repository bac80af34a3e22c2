#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/column_map.hpp"
#include "runtime/columns/column_selection.hpp"

namespace logdepth { inline namespace runtime_columns {

/// Heads of one layer whose queries and keys are numbers, token by token: every score is computed. q . k is a
/// sum of products of a row of queries and a row of keys. Products that most heads have are summed once;
/// a head adds the products that it has more, and subtracts those that it lacks. This is exact for any
/// heads (L9: no lemma); only the time depends on their being alike.
class ColumnScores {
 public:
  /// Scores of more tokens cost more than they are worth.
  static constexpr std::size_t kMostTokens = 2048;

  ColumnScores(const std::vector<const Head*>& heads, const Segments& segments,
               const ColumnNorm& norm);

  /// Whether this is the way to all heads of a layer: no column that they read has an index, and so many
  /// coordinates are read that there would be too many classes of queries and keys.
  bool fits(const ColumnState& state, const NormedColumns& z) const;
  /// Calls `head` with the number of every head and what it selects. Errors: HandOver.
  void operator()(ColumnState& state, const NormedColumns& z,
                  const std::function<void(std::size_t, ColumnSelection)>& head) const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  ///< a row of queries, one of keys
  /// `times` the product of the two rows; negative where it is taken away.
  struct Product {
    Pair pair;
    std::int64_t times = 1;
  };
  using Products = std::vector<Product>;
  /// A row at all tokens: a positive rational times integers.
  struct RowNumbers {
    std::vector<std::int64_t> at;         ///< per token
    std::vector<std::uint32_t> not_zero;  ///< tokens
    std::int64_t most = 0;                ///< of the absolute values
    Real scale = Real(1);
    bool is_constant = false;
  };
  /// Products with their weights as integers: all scores times one positive factor.
  struct Weighted {
    struct Term {
      const RowNumbers *query, *key;
      std::int64_t weight;
    };
    std::vector<Term> shared;
    std::vector<std::vector<Term>> own;  ///< per head
    std::int64_t most = 0;               ///< no partial sum of a score is larger
  };

  std::uint32_t row_of(const std::vector<MatrixEntry>& entries, const Segments& segments,
                       const ColumnNorm& norm);
  RowNumbers numbers(ColumnState& state, const NormedColumns& z, std::size_t row) const;
  Weighted weighted(const std::vector<RowNumbers>& rows) const;
  template <class Score>
  void select(ColumnState& state, const Weighted& products,
              const std::function<void(std::size_t, ColumnSelection)>& head) const;

  using Row = std::vector<std::pair<std::uint32_t, Rational>>;
  std::vector<std::uint32_t> read_;  ///< segments
  std::size_t coordinates_read_ = 0;
  std::map<Row, std::uint32_t> known_;  ///< rows by what they read
  std::vector<NormedMap> rows_;
  std::vector<char> causal_;  ///< per head
  Products shared_;
  std::vector<Products> own_;  ///< per head
};

}}  // namespace logdepth::runtime_columns
