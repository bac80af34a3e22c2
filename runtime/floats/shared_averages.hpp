#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/floats/attention_rows.hpp"

namespace logdepth::inline runtime_floats::float_pass {
inline namespace LOGDEPTH_SIDE {

/// Rows with the same candidates share one running sum over them: a row reads it where its own
/// tokens end. Averages of many ties then cost an addition per token, not one per token and row.

/// Whether two rows have the same candidates.
template <class Real, class Score>
LOGDEPTH_WIDE LOGDEPTH_BOTH bool same_candidates(const Score& of, const Real& limit,
                                                 const Score& of_other, const Real& other_limit,
                                                 std::size_t keys) {
  const Score score = of, other_score = of_other;
  const Real most = limit, other_most = other_limit;
  std::uint64_t differ = 0;
#ifndef __CUDACC__
#pragma omp simd reduction(| : differ)
#endif
  for (std::size_t j = 0; j < keys; ++j) {
    const std::uint64_t here = score(j) <= most ? 1 : 0;
    const std::uint64_t there = other_score(j) <= other_most ? 1 : 0;
    differ |= here ^ there;
  }
  return differ == 0;
}

/// same[i]: whether row[i] has the candidates of row other[i].
template <class Real, class Score>
struct CompareCandidates {
  AttendRow<Real, Score> rows;
  const std::uint32_t *row, *other;
  std::uint8_t* same;
  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    const Score score(rows.head, row[i]), other_score(rows.head, other[i]);
    same[i] = same_candidates(score, rows.waiting[row[i]].threshold, other_score,
                              rows.waiting[other[i]].threshold, rows.keys())
                  ? 1
                  : 0;
  }
};

/// The averages of the rows that wait for the same candidates, several values at a time.
template <class Real, class Score>
struct AverageShared {
  static constexpr std::uint32_t kTogether = 8;

  AttendRow<Real, Score> rows;
  std::size_t sets;
  const std::uint32_t *start, *row;  ///< per set of candidates: rows, in order
  std::uint8_t* differ;              ///< per `kTogether` values and row: some provably do

  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    const std::size_t set = i % sets, block = i / sets;
    const auto first = static_cast<std::uint32_t>(block * kTogether);
    const std::uint32_t several = rows.values - first < kTogether ? rows.values - first : kTogether;
    ValueAverage<Real> averages[kTogether];
    std::size_t count = 0;
    std::uint32_t next = start[set];
    const auto answer = [&] {
      const std::size_t at = row[next++];
      const bool tie = rows.state[at] == RowState::waiting_tie;
      bool some = false;
      for (std::uint32_t v = 0; v < several; ++v) {
        rows.average.set(first + v, at, averages[v].over(count, tie, rows.rounding));
        some |= averages[v].differs(rows.rounding);
      }
      differ[block * rows.tokens + at] = some ? 1 : 0;
    };
    each_token(set, [&](std::size_t token) {
      while (rows.head.causal && row[next] < token) answer();
      for (std::uint32_t v = 0; v < several; ++v)
        averages[v].add(rows.value.at(first + v, token), count == 0);
      ++count;
    });
    while (next < start[set + 1]) answer();
  }

 private:
  /// The candidates that the last row of a set sees, in order.
  template <class Visit>
  LOGDEPTH_BOTH void each_token(std::size_t set, Visit visit) const {
    const KeyGroups& groups = rows.groups;
    const std::size_t end = rows.head.causal ? row[start[set + 1] - 1] + 1 : rows.tokens;
    const Waiting<Real>& any = rows.waiting[row[start[set]]];
    if (any.candidates == Waiting<Real>::kAll) {
      for (std::size_t token = 0; token < end; ++token) visit(token);
      return;
    }
    if ((any.candidates & Waiting<Real>::kSeveral) == 0) {
      for (std::uint32_t i = groups.start[any.candidates];
           i < groups.start[any.candidates + 1] && groups.member[i] < end; ++i)
        visit(groups.member[i]);
      return;
    }
    const Score score(rows.head, row[start[set]]);
    for (std::size_t token = 0; token < end; ++token)
      if (score(groups.of ? groups.of[token] : token) <= any.threshold) visit(token);
  }
};

/// What a row that waited has become.
template <class Real>
struct EndWaiting {
  RowState* state;
  const std::uint32_t* row;
  const std::uint8_t* differ;
  std::size_t blocks, tokens;
  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    bool some = false;
    for (std::size_t b = 0; b < blocks; ++b) some |= differ[b * tokens + row[i]] != 0;
    RowState& own = state[row[i]];
    own = own == RowState::waiting_tie ? RowState::tie
          : some                       ? RowState::ambiguous
                                       : RowState::alike;
  }
};

/// What a row of a head without a mask has in common with an earlier one of the same query: all.
template <class Real>
struct CopyRow {
  Numbers<Real> average;
  std::uint32_t values;
  const std::uint32_t *of, *first;  ///< per token: its query; per query: the row that was answered
  RowState* state;
  RowContract* contract;
  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    const std::size_t from = first[of[token]];
    if (from == token) return;
    for (std::uint32_t v = 0; v < values; ++v) average.set(v, token, average.at(v, from));
    state[token] = state[from];
    contract[token] = contract[from];
  }
};

}  // namespace LOGDEPTH_SIDE
}  // namespace logdepth::inline runtime_floats::float_pass
