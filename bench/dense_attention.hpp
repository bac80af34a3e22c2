#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <experimental/simd>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace logdepth {

/// Dense averaging-hard attention in floating point, one thread, as fast as we know how to write
/// it: every query is compared with every visible key, and nothing is assumed about the weights.
/// Included by dense_float.cpp and rows_tiled.cpp alone, which are compiled for the machine they
/// run on.

template <class Number>
using Lanes = std::experimental::native_simd<Number>;
template <class Number>
inline constexpr std::size_t kLanes = Lanes<Number>::size();

/// The number in every lane. The constructor of std::experimental::simd does the same by a call.
template <class Number>
[[gnu::always_inline]] inline Lanes<Number> broadcast(Number x) {
  typedef Number Builtin [[gnu::vector_size(sizeof(Lanes<Number>))]];
  return Lanes<Number>(x - Builtin{});
}

/// Arrays of one number per token, one after the other, each aligned and padded to whole lanes.
template <class Number>
class Columns {
 public:
  Columns(std::size_t arrays, std::size_t tokens)
      : arrays_(arrays),
        // One pack more than needed: at a power of two all arrays would share their cache sets.
        stride_((tokens + kLanes<Number> - 1) / kLanes<Number> * kLanes<Number> + kLanes<Number>),
        numbers_(static_cast<Number*>(
            ::operator new(std::max<std::size_t>(arrays* stride_, 1) * sizeof(Number), kLine))) {
    std::fill_n(numbers_.get(), arrays * stride_, Number(0));
  }
  std::size_t arrays() const { return arrays_; }
  Number* operator[](std::size_t array) { return numbers_.get() + array * stride_; }
  const Number* operator[](std::size_t array) const { return numbers_.get() + array * stride_; }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Release {
    void operator()(Number* numbers) const { ::operator delete(numbers, kLine); }
  };
  std::size_t arrays_, stride_;
  std::unique_ptr<Number[], Release> numbers_;
};

/// Queries, keys and values of one head, and the averages that it answers with.
template <class Number>
struct DenseHead {
  bool causal;
  std::size_t tokens;
  Columns<Number> query, key, value, average;

  DenseHead(bool is_causal, std::size_t token_count, std::size_t score_dimension,
            std::size_t value_dimension)
      : causal(is_causal),
        tokens(token_count),
        query(score_dimension, token_count),
        key(score_dimension, token_count),
        value(value_dimension, token_count),
        average(value_dimension, token_count) {}
};

/// Two passes over the keys for a tile of rows. The first computes every score and keeps the
/// largest of each chunk of keys; the second returns only to the chunks that hold a score within
/// the tolerance of the row's largest. Rows are tiled so that a key is loaded once for all of them.
/// D is the score dimension, 0 stands for any.
template <class Number, std::size_t D>
class DenseRows {
 public:
  DenseRows(DenseHead<Number>& head, double tolerance)
      : head_(head), tolerance_(tolerance), dimension_(head.key.arrays()) {
    const std::size_t chunks = head.tokens / (kChunk * kLane) + 2;
    for (auto& best : chunk_best_) best.resize(chunks);
    if constexpr (D == 0)
      for (auto& scores : kept_) scores.resize(head.tokens / kLane);
    queries_.resize(kRows * dimension_);
    sums_.resize(head.value.arrays());
    for (std::size_t d = 0; d < dimension_; ++d) {
      Number largest = 0;
      for (std::size_t j = 0; j < head.tokens; ++j)
        largest = std::max(largest, std::abs(head.key[d][j]));
      largest_key_.push_back(largest);
    }
  }

  /// Answers every `stride`-th tile of rows; the rows between repeat what the tile answered, so
  /// that later layers see numbers of the usual kind.
  void answer(std::size_t stride) {
    for (std::size_t row = 0; row < head_.tokens; row += stride * kRows) {
      answer_tile(row, std::min(kRows, head_.tokens - row));
      const std::size_t next = std::min(row + stride * kRows, head_.tokens);
      for (std::size_t v = 0; v < head_.average.arrays(); ++v)
        for (std::size_t i = row + kRows; i < next; ++i)
          head_.average[v][i] = head_.average[v][i - kRows];
    }
  }

 private:
  using Pack = Lanes<Number>;
  static constexpr std::size_t kLane = kLanes<Number>;
  static constexpr std::size_t kChunk = 16;  ///< packs of keys
  /// As many rows as leave their queries, the key and the maxima in 32 registers; for any
  /// dimension, their sums: the queries then come from memory, and scores are kept for the second
  /// pass.
  static constexpr std::size_t kRows = D == 0 ? 8 : D > 5 ? 2 : 4;
  static constexpr auto kAligned = std::experimental::vector_aligned;

  std::size_t visible(std::size_t row) const { return head_.causal ? row + 1 : head_.tokens; }

  /// The scores of rows 0 .. kRows-1 of the tile with the pack of keys at `at`.
  [[gnu::always_inline]] void tile_scores(std::size_t at, std::array<Pack, kRows>& scores) const {
    const Pack first(head_.key[0] + at, kAligned);
    for (std::size_t r = 0; r < kRows; ++r) scores[r] = broadcast(queries_[r]) * first;
    for (std::size_t d = 1; d < (D > 0 ? D : dimension_); ++d) {
      const Pack key(head_.key[d] + at, kAligned);
      for (std::size_t r = 0; r < kRows; ++r)
        scores[r] = scores[r] + broadcast(queries_[d * kRows + r]) * key;
    }
  }
  /// The same numbers for one row: equal keys must give equal scores in both passes.
  [[gnu::always_inline]] Pack row_scores(std::size_t r, std::size_t at) const {
    Pack score = broadcast(queries_[r]) * Pack(head_.key[0] + at, kAligned);
    for (std::size_t d = 1; d < (D > 0 ? D : dimension_); ++d)
      score = score + broadcast(queries_[d * kRows + r]) * Pack(head_.key[d] + at, kAligned);
    return score;
  }
  /// Lanes that row may not see get the smallest score.
  [[gnu::always_inline]] static void hide(Pack& scores, std::size_t at, std::size_t visible) {
    for (std::size_t lane = 0; lane < kLane; ++lane)
      if (at + lane >= visible) scores[lane] = kNone;
  }

  void answer_tile(std::size_t first, std::size_t rows) {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t d = 0; d < dimension_; ++d)
        queries_[d * kRows + r] = head_.query[d][first + std::min(r, rows - 1)];

    // Packs that all rows see, then the last ones, row by row, as one more chunk.
    const std::size_t shared = visible(first) / kLane * kLane;
    std::size_t chunk = 0;
    std::array<Pack, kRows> scores;
    for (std::size_t begin = 0; begin < shared; begin += kChunk * kLane, ++chunk) {
      std::array<Pack, kRows> best;
      best.fill(broadcast(kNone));
      const std::size_t end = std::min(begin + kChunk * kLane, shared);
      for (std::size_t at = begin; at < end; at += kLane) {
        tile_scores(at, scores);
        for (std::size_t r = 0; r < kRows; ++r) {
          best[r] = std::experimental::max(best[r], scores[r]);
          if constexpr (D == 0) kept_[r][at / kLane] = scores[r];
        }
      }
      for (std::size_t r = 0; r < kRows; ++r) chunk_best_[r][chunk] = best[r];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      Pack best = broadcast(kNone);
      for (std::size_t at = shared; at < visible(first + r); at += kLane) {
        Pack last = row_scores(r, at);
        hide(last, at, visible(first + r));
        best = std::experimental::max(best, last);
      }
      chunk_best_[r][chunk] = best;
      answer_row(first + r, r, shared, chunk);
    }
  }

  void answer_row(std::size_t row, std::size_t r, std::size_t shared, std::size_t chunks) {
    Pack best = broadcast(kNone);
    for (std::size_t chunk = 0; chunk <= chunks; ++chunk)
      best = std::experimental::max(best, chunk_best_[r][chunk]);
    Number size = 0;  // of the terms that a score is the sum of
    for (std::size_t d = 0; d < dimension_; ++d)
      size += std::abs(head_.query[d][row]) * largest_key_[d];
    const Pack threshold =
        broadcast(std::experimental::hmax(best) - static_cast<Number>(tolerance_) * size);

    std::fill(sums_.begin(), sums_.end(), broadcast(Number(0)));
    std::size_t count = 0;
    for (std::size_t chunk = 0; chunk <= chunks; ++chunk)
      if (std::experimental::any_of(chunk_best_[r][chunk] >= threshold)) {
        const std::size_t begin = chunk * kChunk * kLane;
        if (chunk < chunks)
          count += add_chunk(r, begin, std::min(begin + kChunk * kLane, shared), shared, threshold);
        else
          count += add_chunk(r, shared, visible(row), shared, threshold);
      }
    for (std::size_t v = 0; v < sums_.size(); ++v)
      head_.average[v][row] = std::experimental::reduce(sums_[v]) / static_cast<Number>(count);
  }

  /// Adds the values of the selected keys among begin .. end-1; their number. The packs before
  /// `shared` are whole.
  std::size_t add_chunk(std::size_t r, std::size_t begin, std::size_t end, std::size_t shared,
                        const Pack& threshold) {
    std::array<std::size_t, kChunk> at_selected;
    std::array<typename Pack::mask_type, kChunk> selected;
    std::size_t packs = 0, count = 0;
    for (std::size_t at = begin; at < end; at += kLane) {
      Pack scores = D == 0 && at < shared ? kept_[r][at / kLane] : row_scores(r, at);
      if (at >= shared) hide(scores, at, end);
      const auto mask = scores >= threshold;
      if (!std::experimental::any_of(mask)) continue;
      at_selected[packs] = at;
      selected[packs++] = mask;
      count += static_cast<std::size_t>(std::experimental::popcount(mask));
    }
    for (std::size_t v = 0; v < sums_.size(); ++v) {
      Pack sum = sums_[v];
      for (std::size_t p = 0; p < packs; ++p)
        where(selected[p], sum) += Pack(head_.value[v] + at_selected[p], kAligned);
      sums_[v] = sum;
    }
    return count;
  }

  static constexpr Number kNone = -std::numeric_limits<Number>::infinity();
  DenseHead<Number>& head_;
  double tolerance_;
  std::size_t dimension_;
  std::vector<Number> largest_key_;
  std::array<std::vector<Pack>, kRows> chunk_best_;
  std::array<std::vector<Pack>, kRows> kept_;  ///< scores with the keys that all rows see
  std::vector<Number> queries_;                ///< dimension x row of the tile
  std::vector<Pack> sums_;
};

/// Answers every `stride`-th tile of rows of the head.
template <class Number>
void attend_densely(DenseHead<Number>& head, double tolerance, std::size_t stride) {
  switch (head.key.arrays()) {
    case 1:
      return DenseRows<Number, 1>(head, tolerance).answer(stride);
    case 2:
      return DenseRows<Number, 2>(head, tolerance).answer(stride);
    case 3:
      return DenseRows<Number, 3>(head, tolerance).answer(stride);
    case 4:
      return DenseRows<Number, 4>(head, tolerance).answer(stride);
    case 5:
      return DenseRows<Number, 5>(head, tolerance).answer(stride);
    case 6:
      return DenseRows<Number, 6>(head, tolerance).answer(stride);
    default:
      return DenseRows<Number, 0>(head, tolerance).answer(stride);
  }
}

}  // namespace logdepth
