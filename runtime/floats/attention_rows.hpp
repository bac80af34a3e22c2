#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define LOGDEPTH_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LOGDEPTH_WIDE
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/floats/number.hpp"
#include "runtime/floats/pass.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/floats/token_steps.hpp"

namespace logdepth::inline runtime_floats::float_pass {
inline namespace LOGDEPTH_SIDE {

/// Averaging-hard attention in floating point that knows what it cannot tell.
///
/// Scores. Key dimensions of one known norm (a block) are scored by the distance to the query that
/// is scaled to that norm: q.k = |q||k| - (|q| / 2|k|) |q' - k|^2 with q' = q |k| / |q|, and the
/// first term is the same for all keys. Two codes that are close have a small difference, which
/// floating point computes with a small relative error, where the product loses it below the
/// rounding of 1. With Z = -2 score, up to a constant of the row:
///     Z_j = sum_b w_b |q'_b - k_jb|^2 - sum_d 2 q_d k_jd,    w_b = |q_b| / |k_b|,
/// and the smallest Z is selected.
///
/// Errors. The first sum is r_j^2 for a Euclidean distance r_j between vectors that are known up to
/// a in all, so |r_j - r~_j| <= a and |r_j^2 - r~_j^2| <= 2 a r~_j + a^2. The weights and the
/// arithmetic change it by at most a factor 1 + rho, the second sum is off by at most e. With P a
/// bound of the second sum, X_j = Z_j + P >= 0 bounds r_j^2, and
///     |X_j - X~_j| <= E(X~_j),    E(X) = e + 2 a sqrt(X) + a^2 + rho X,
/// where a and rho are widened a little, so that the terms of second order are in them.
///
/// Selection (rule `bounded`). The smallest X is at most U = X~min + E(X~min). A key with
/// X~ - E(X~) > U is not selected. The function is convex in sqrt(X), so these are the keys beyond
///     sqrt(T) = (a + sqrt(a^2 + (1 - rho)(U + e + a^2))) / (1 - rho).
/// All others are candidates. If they are one, it is selected. If any distance of two scores below
/// the separation of the head means a tie, and all candidates are that close, all are selected.
/// Otherwise the average of the selected ones lies in the convex hull of the candidates' values.
enum class RowState : std::uint8_t { single, tie, alike, ambiguous };
/// What the scores of a row say of its head's promise.
enum class RowContract : std::uint8_t { open, kept, broken };

/// What a row needs beyond its query.
struct RowBounds {
  double a = 0, e = 0, rho = 0;
  double products = 0;  ///< P
  double scale = 0;     ///< |q||k|, for Rule::snapped
};

template <class Real>
struct HeadView {
  bool causal;
  std::uint32_t products, metric, blocks;
  const std::uint32_t* block_end;  ///< dimensions, counted from `products`
  const Real* block_norm;          ///< of the keys
  const double* key_error;         ///< per dimension, largest over the tokens
  const double* key_size;          ///< per dimension, largest over the tokens
  bool scaled;
  double gap;
  typename PlanHead<Real>::Selects selects;
  bool matches;
  Numbers<Real> query, key;  ///< the query is replaced by the scaled one
  Real* weight;              ///< per block and token
  RowBounds* bounds;         ///< per token
};

/// |x| of every number.
template <class Real>
struct Magnitude {
  Numbers<Real> x;
  double* size;
  LOGDEPTH_BOTH void operator()(std::size_t i) const { size[i] = magnitude(x.value[i]); }
};

/// Replaces the query of a token by the scaled one, products by twice the query.
template <class Real>
struct PrepareQuery {
  HeadView<Real> head;
  Rounding rounding;
  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    RowBounds row;
    for (std::uint32_t d = 0; d < head.products; ++d) {
      Ball<Real> q = head.query.at(d, token);
      const double size = magnitude(q.value);
      row.products += 2 * size * head.key_size[d];
      row.e += 2 * (size * head.key_error[d] + q.error * (head.key_size[d] + head.key_error[d]));
      q.value = q.value + q.value;
      head.query.set(d, token, q);
    }
    row.scale = row.products / 2;
    double squares = 0;
    std::uint32_t begin = 0;
    for (std::uint32_t b = 0; b < head.blocks; begin = head.block_end[b], ++b)
      prepare_block(token, b, begin, row, squares);
    row.e += rounding.loss(head.products + head.metric + 4, 2 * row.products);
    row.rho += rounding.gamma(head.products + head.metric + 8);
    // Weights that are off by a factor 1 + rho also scale what a causes.
    row.a = safely_above(::sqrt(squares)) * (1 + 2 * row.rho);
    row.rho *= 1 + 2 * row.rho;
    row.e = safely_above(row.e) + rounding.smallest;
    row.products = safely_above(row.products);
    // Scores that overflow are worth nothing.
    if (!(magnitude(Real(8 * (row.products + row.scale))) < INFINITY)) row.e = INFINITY;
    head.bounds[token] = row;
  }

  LOGDEPTH_BOTH void prepare_block(std::size_t token, std::uint32_t b, std::uint32_t begin,
                                   RowBounds& row, double& squares) const {
    Real sum(0);
    // Squares may underflow: as much as a query of that size.
    double query_error = (head.block_end[b] - begin) * rounding.smallest, key_error = 0;
    for (std::uint32_t d = begin; d < head.block_end[b]; ++d) {
      const Ball<Real> q = head.query.at(head.products + d, token);
      sum = sum + q.value * q.value;
      query_error += q.error * q.error;
      key_error += head.key_error[head.products + d] * head.key_error[head.products + d];
    }
    query_error = safely_above(::sqrt(query_error));
    key_error = safely_above(::sqrt(key_error));
    const Real norm = root(sum);
    const Real key_norm = head.block_norm[b];
    const double size = magnitude(norm), key_size = magnitude(key_norm);
    double weight = 1, moved = query_error;
    head.weight[b * head.query.stride + token] = Real(1);
    if (!head.scaled || head.blocks == 1) {
      const double few = rounding.gamma(head.metric + 8);
      const double low = size - rounding.loss(head.metric + 8, size) - query_error;
      const bool direction = low > 0 && size < INFINITY;
      for (std::uint32_t d = begin; d < head.block_end[b]; ++d) {
        Ball<Real> q = head.query.at(head.products + d, token);
        q.value = direction ? q.value * key_norm / norm : Real(0);
        head.query.set(head.products + d, token, q);
      }
      // |x/|x| - y/|y|| <= 2 |x - y| / (|x| + |y|) in a Euclidean space (Dunkl and Williams 1964).
      moved = key_size * (2 * query_error / (low + size) + few);
      if (!head.scaled) {
        weight = size / key_size;
        if (direction) {
          row.rho += query_error / low + few;
          head.weight[b * head.query.stride + token] = norm / key_norm;
        } else {
          // No direction: the block adds at most |q||k| to the score, and is left out.
          head.weight[b * head.query.stride + token] = Real(0);
          row.e += 2 * (size + query_error) * key_size;
          weight = moved = 0;
        }
      } else if (!direction) {
        moved = 2 * key_size;
      }
    }
    row.scale += weight * key_size * key_size;
    squares += weight * (moved + key_error) * (moved + key_error);
  }
};

/// Z of one key; the dimensions are known to the compiler.
template <class Real, int Products, int Metric, bool Weighted>
struct ScoreOfKey {
  Real query[Products + Metric];
  Real weight[Weighted ? Metric : 1];
  const Real* key;
  std::size_t stride;

  LOGDEPTH_BOTH ScoreOfKey(const HeadView<Real>& head, std::size_t row)
      : key(head.key.value), stride(head.key.stride) {
    for (int d = 0; d < Products + Metric; ++d)
      query[d] = head.query.value[d * head.query.stride + row];
    if constexpr (Weighted) {
      std::uint32_t b = 0;
      for (int d = 0; d < Metric; ++d) {
        while (static_cast<std::uint32_t>(d) >= head.block_end[b]) ++b;
        weight[d] = head.weight[b * head.query.stride + row];
      }
    }
  }
  LOGDEPTH_BOTH Real operator()(std::size_t j) const {
    Real z(0);
    for (int d = 0; d < Metric; ++d) {
      const Real difference = query[Products + d] - key[(Products + d) * stride + j];
      if constexpr (Weighted) {
        z = z + weight[d] * (difference * difference);
      } else {
        z = z + difference * difference;
      }
    }
    for (int d = 0; d < Products; ++d) z = z - query[d] * key[d * stride + j];
    return z;
  }
};

/// The same for any dimensions.
template <class Real>
struct ScoreOfAnyKey {
  const Real *query, *weight, *key;
  const std::uint32_t* block_end;
  std::size_t stride;
  std::uint32_t products, blocks;

  LOGDEPTH_BOTH ScoreOfAnyKey(const HeadView<Real>& head, std::size_t row)
      : query(head.query.value + row),
        weight(head.weight + row),
        key(head.key.value),
        block_end(head.block_end),
        stride(head.key.stride),
        products(head.products),
        blocks(head.blocks) {}
  LOGDEPTH_BOTH Real operator()(std::size_t j) const {
    Real z(0);
    std::uint32_t d = 0;
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (; d < block_end[b]; ++d) {
        const std::size_t at = (products + d) * stride;
        const Real difference = query[at] - key[at + j];
        z = z + weight[b * stride] * (difference * difference);
      }
    for (d = 0; d < products; ++d) z = z - query[d * stride] * key[d * stride + j];
    return z;
  }
};

/// The smallest score among the keys begin .. end-1; infinity if there is none. The one loop where
/// time goes; on x86 it is compiled for several generations of processors, which differ in how many
/// keys they take at once and in no bit of the result.
template <class Real, class Score>
LOGDEPTH_WIDE LOGDEPTH_BOTH Real smallest_score(const Score& of, std::size_t begin,
                                                std::size_t end) {
  const Score score = of;  // in registers, not behind a pointer
  Real best(static_cast<double>(INFINITY));
  if constexpr (std::is_floating_point_v<Real>) {
#ifndef __CUDACC__
#pragma omp simd reduction(min : best)
#endif
    for (std::size_t j = begin; j < end; ++j) {
      const Real z = score(j);
      best = z < best ? z : best;
    }
  } else {
    for (std::size_t j = begin; j < end; ++j) {
      const Real z = score(j);
      if (z < best) best = z;
    }
  }
  return best;
}

/// Which keys of a row are candidates.
template <class Real, class Score>
struct Candidates {
  static constexpr std::size_t kChunks = 64;
  static constexpr std::size_t kListed = 64;

  const Score& score;
  std::size_t visible, chunk;
  Real lowest[kChunks];  ///< per chunk of keys
  Real best, threshold;
  std::uint32_t listed[kListed];  ///< the first candidates
  std::size_t count = 0;          ///< of all

  LOGDEPTH_BOTH Candidates(const Score& of, std::size_t keys)
      : score(of),
        visible(keys),
        chunk(chunk_of(keys)),
        best(static_cast<double>(INFINITY)),
        threshold(0) {
    for (std::size_t c = 0; c * chunk < visible; ++c) {
      lowest[c] = smallest_score<Real>(score, c * chunk, end_of(c));
      if (lowest[c] < best) best = lowest[c];
    }
  }
  /// Long enough for whole vectors, and for the loop to outweigh its beginning and end.
  LOGDEPTH_BOTH static std::size_t chunk_of(std::size_t keys) {
    const std::size_t even = (keys + kChunks - 1) / kChunks;
    return even < 128 ? 128 : (even + 15) / 16 * 16;
  }
  LOGDEPTH_BOTH std::size_t end_of(std::size_t c) const {
    return (c + 1) * chunk < visible ? (c + 1) * chunk : visible;
  }
  /// Calls visit(j) for every key with a score up to `limit`, in order.
  template <class Visit>
  LOGDEPTH_BOTH void each_within(const Real& limit, Visit visit) const {
    for (std::size_t c = 0; c * chunk < visible; ++c) {
      if (!(lowest[c] <= limit)) continue;
      for (std::size_t j = c * chunk; j < end_of(c); ++j)
        if (score(j) <= limit) visit(j);
    }
  }
  /// Keys up to `limit` become the candidates.
  LOGDEPTH_BOTH void select(const Real& limit) {
    threshold = limit;
    count = 0;
    each_within(limit, [&](std::size_t j) {
      if (count < kListed) listed[count] = static_cast<std::uint32_t>(j);
      ++count;
    });
  }
  template <class Visit>
  LOGDEPTH_BOTH void each_candidate(Visit visit) const {
    if (count > kListed) return each_within(threshold, visit);
    for (std::size_t i = 0; i < count; ++i) visit(listed[i]);
  }
};

/// Answers one row of a head: the averages of the selected values.
template <class Real, class Score>
struct AttendRow {
  HeadView<Real> head;
  Numbers<Real> value, average;
  std::uint32_t values;
  std::size_t tokens;
  Choice choice;
  Rounding rounding;
  RowState* state;
  RowContract* contract;

  /// Rows are dealt from both ends, 32 at a time: neighbours cost the same under a causal mask, and
  /// so do large shares.
  LOGDEPTH_BOTH std::size_t dealt(std::size_t i) const {
    const std::size_t whole = tokens / 64 * 64;  // the rest stays where it is
    const std::size_t from_end = i / 64 * 32 + i % 32;
    if (i >= whole) return i;
    return i / 32 % 2 == 0 ? from_end : whole - 1 - from_end;
  }
  LOGDEPTH_BOTH void operator()(std::size_t i) const { answer(dealt(i)); }

  LOGDEPTH_BOTH void answer(std::size_t row) const {
    const Score score(head, row);
    Candidates<Real, Score> keys(score, head.causal ? row + 1 : tokens);
    if (choice.temperature > 0) {
      state[row] = RowState::alike;
      return soften(row, keys);
    }
    const RowBounds& bounds = head.bounds[row];
    const double best = as_double(keys.best);
    const double smallest = best + bounds.products > 0 ? best + bounds.products : 0;
    double excess = 0;
    if (choice.rule == Choice::Rule::snapped) excess = 2 * choice.tolerance * bounds.scale;
    if (choice.rule == Choice::Rule::bounded) {
      excess = reach(bounds, smallest) - smallest;
      excess = safely_above(excess) + 0x1p-50 * bounds.products;
      excess += 4 * rounding.u * (magnitude(keys.best) + excess);
    }
    keys.select(keys.best + Real(excess));
    decide(row, keys, bounds, smallest, excess);
    contract[row] = contract_of(state[row], keys, bounds, smallest);
  }

 private:
  /// The state of a row, and the averages of what is selected.
  LOGDEPTH_BOTH void decide(std::size_t row, const Candidates<Real, Score>& keys,
                            const RowBounds& bounds, double smallest, double excess) const {
    if (keys.count == 0 || (!(excess < INFINITY) && keys.count < keys.visible)) {
      // Scores beyond the range of the format: any key may be selected.
      state[row] = RowState::ambiguous;
      for (std::uint32_t v = 0; v < values; ++v) average.set(v, row, {Real(0), INFINITY});
      return;
    }
    if (keys.count == 1) {
      state[row] = RowState::single;
      for (std::uint32_t v = 0; v < values; ++v) average.set(v, row, value.at(v, keys.listed[0]));
      return;
    }
    const bool tie = choice.rule != Choice::Rule::bounded || tied(keys, bounds, smallest, excess);
    bool differ = false;
    for (std::uint32_t v = 0; v < values; v += kTogether)
      differ |= average_of(v, values - v < kTogether ? values - v : kTogether, row, keys, tie);
    state[row] = tie ? RowState::tie : differ ? RowState::ambiguous : RowState::alike;
  }

  /// A tie selects all candidates, and a single one is selected; of others nothing is certain.
  LOGDEPTH_BOTH RowContract contract_of(RowState found, const Candidates<Real, Score>& keys,
                                        const RowBounds& bounds, double smallest) const {
    using Selects = typename PlanHead<Real>::Selects;
    if (head.matches && smallest > uncertainty(bounds, smallest)) return RowContract::broken;
    const bool certain = found == RowState::single || found == RowState::tie;
    if (!certain || head.selects == Selects::anything) return RowContract::open;
    const std::size_t promised = head.selects == Selects::one ? 1 : keys.visible;
    return keys.count == promised ? RowContract::kept : RowContract::broken;
  }
  LOGDEPTH_BOTH static double uncertainty(const RowBounds& b, double x) {
    return safely_above(b.e + 2 * b.a * ::sqrt(x) + b.a * b.a + b.rho * x);
  }
  /// T of the comment above.
  LOGDEPTH_BOTH static double reach(const RowBounds& b, double smallest) {
    if (!(b.rho < 0.5)) return INFINITY;
    const double most = smallest + uncertainty(b, smallest) + b.e + b.a * b.a;
    const double root_of = (b.a + ::sqrt(b.a * b.a + (1 - b.rho) * most)) / (1 - b.rho);
    return safely_above(root_of * root_of);
  }

  /// Candidates closer than the head's separation are ties. A score that is certainly less than
  /// the separation away and certainly not the largest contradicts it: then nothing is concluded.
  LOGDEPTH_BOTH bool tied(const Candidates<Real, Score>& keys, const RowBounds& bounds,
                          double smallest, double excess) const {
    const double separation = 2 * head.gap;  // Z counts scores twice
    // Exact scores of candidates are between smallest - off and smallest + excess + off.
    const double off = uncertainty(bounds, smallest + excess);
    if (!(excess + 2 * off < separation)) return false;
    const double band = separation - off - uncertainty(bounds, smallest + separation);
    if (!(band > excess)) return true;
    bool contradicted = false;
    keys.each_within(keys.best + Real(band),
                     [&](std::size_t j) { contradicted |= keys.threshold < keys.score(j); });
    return !contradicted;
  }

  static constexpr std::uint32_t kTogether = 8;
  struct OneAverage {
    CompensatedSum<Real> sum;
    Real low = Real(0), high = Real(0);
    double largest_error = 0, errors = 0;
  };
  /// The averages of `several` values, from `first` on, over the candidates, in one pass over them;
  /// whether they hold provably different ones.
  LOGDEPTH_BOTH bool average_of(std::uint32_t first, std::uint32_t several, std::size_t row,
                                const Candidates<Real, Score>& keys, bool tie) const {
    const std::size_t count = keys.count;
    OneAverage averages[kTogether];
    bool begun = false;
    keys.each_candidate([&](std::size_t j) {
      for (std::uint32_t v = 0; v < several; ++v) {
        OneAverage& a = averages[v];
        const Ball<Real> x = value.at(first + v, j);
        a.sum.add(x.value);
        a.errors += x.error;
        if (x.error > a.largest_error) a.largest_error = x.error;
        if (!begun || x.value < a.low) a.low = x.value;
        if (!begun || a.high < x.value) a.high = x.value;
      }
      begun = true;
    });
    bool differ = false;
    for (std::uint32_t v = 0; v < several; ++v) {
      const OneAverage& a = averages[v];
      const double spread = as_double(a.high - a.low);
      Ball<Real> result{a.low, spread == 0 ? 0 : a.sum.error(count, rounding)};
      if (spread != 0) result.value = a.sum.over(count);
      if (tie) {
        result.error += spread == 0 ? a.largest_error
                                    : safely_above(a.errors / static_cast<double>(count) *
                                                   (1 + 0x1p-50 * static_cast<double>(count)));
      } else {
        result.error = safely_above(result.error + spread * (1 + 4 * rounding.u) + a.largest_error);
      }
      average.set(first + v, row, result);
      differ |= spread > 2 * a.largest_error * (1 + 4 * rounding.u);
    }
    return differ;
  }

  /// Softmax: the bounds say nothing about it.
  LOGDEPTH_BOTH void soften(std::size_t row, const Candidates<Real, Score>& keys) const {
    for (std::uint32_t v = 0; v < values; ++v) average.set(v, row, {Real(0), 0});
    Real total(0);
    const Real half_temperature(choice.temperature / 2);
    for (std::size_t j = 0; j < keys.visible; ++j) {
      const Real w = exponential(half_temperature * (keys.best - keys.score(j)));
      if (!(w > Real(0))) continue;
      total = total + w;
      for (std::uint32_t v = 0; v < values; ++v) {
        Real& sum = average.value[v * average.stride + row];
        sum = sum + w * value.value[v * value.stride + j];
      }
    }
    for (std::uint32_t v = 0; v < values; ++v) {
      Real& sum = average.value[v * average.stride + row];
      sum = sum / total;
    }
  }
};

}  // namespace LOGDEPTH_SIDE
}  // namespace logdepth::inline runtime_floats::float_pass
