#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/floats/number.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/floats/token_steps.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

inline namespace LOGDEPTH_SIDE {

/// What a row needs beyond its query.
struct RowBounds {
  double a = 0, e = 0, rho = 0;
  double products = 0;  ///< P
  double scale = 0;     ///< |q||k|, for Rule::snapped
  double farthest = 0;  ///< no X is larger
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
    row.e = safely_above(row.e) + (head.products + head.metric + 1) * rounding.smallest;
    row.products = safely_above(row.products);
    row.farthest = (row.farthest + 2 * row.products) * (1 + 0x1p-10);
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
    double weight = 1, moved = query_error, length = size;
    head.weight[b * head.query.stride + token] = Real(1);
    if (!head.scaled || head.blocks == 1) {
      const double few = rounding.gamma(head.metric + 8);
      const double low = size - rounding.loss(head.metric + 8, size) - query_error;
      const bool direction = low > 0 && size < INFINITY;
      length = direction ? key_size : 0;
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
    const double apart = length + key_size + key_error;
    row.farthest += weight * apart * apart;
  }
};

}  // namespace LOGDEPTH_SIDE

inline namespace LOGDEPTH_SIDE {

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
  std::size_t rows, keys;  ///< the strides
  std::uint32_t products, blocks;

  LOGDEPTH_BOTH ScoreOfAnyKey(const HeadView<Real>& head, std::size_t row)
      : query(head.query.value + row),
        weight(head.weight ? head.weight + row : nullptr),  // a head without blocks has none
        key(head.key.value),
        block_end(head.block_end),
        rows(head.query.stride),
        keys(head.key.stride),
        products(head.products),
        blocks(head.blocks) {}
  LOGDEPTH_BOTH Real operator()(std::size_t j) const {
    Real z(0);
    std::uint32_t d = 0;
    for (std::uint32_t b = 0; b < blocks; ++b)
      for (; d < block_end[b]; ++d) {
        const std::size_t at = products + d;
        const Real difference = query[at * rows] - key[at * keys + j];
        z = z + weight[b * rows] * (difference * difference);
      }
    for (d = 0; d < products; ++d) z = z - query[d * rows] * key[d * keys + j];
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

/// How many keys score up to a limit, and a number that different sets of them rarely share.
struct KeysWithin {
  std::uint64_t count = 0, print = 0;
};
template <class Real, class Score>
LOGDEPTH_WIDE LOGDEPTH_BOTH KeysWithin keys_within(const Score& of, const Real& limit,
                                                   std::size_t begin, std::size_t end) {
  const Score score = of;
  const Real most = limit;
  std::uint64_t count = 0, print = 0;
#ifndef __CUDACC__
#pragma omp simd reduction(+ : count, print)
#endif
  for (std::size_t j = begin; j < end; ++j) {
    const std::uint64_t kept = score(j) <= most ? ~std::uint64_t{0} : 0;
    const std::uint64_t scattered = (j & 0xFFFFFFFF) * 0x9E3779B1;
    count -= kept;
    print += kept & (scattered ^ scattered >> 29);
  }
  return {count, print};
}

/// Which keys of a row are candidates.
template <class Real, class Score>
struct Candidates {
  static constexpr std::size_t kChunks = 64;
  static constexpr std::size_t kBlock = 64;  ///< keys that are looked at one by one, or not at all
  static constexpr std::size_t kListed = 64;

  const Score& score;
  std::size_t visible, chunk;
  Real lowest[kChunks];  ///< per chunk of keys
  Real best, threshold;
  std::uint32_t listed[kListed];  ///< the first candidates
  std::size_t count = 0;          ///< of all
  std::uint64_t print = 0;        ///< of all, as in KeysWithin

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
  /// Calls visit(begin, end, within) for the blocks of keys that have scores up to `limit`, in
  /// order.
  template <class Visit>
  LOGDEPTH_BOTH void each_block(const Real& limit, Visit visit) const {
    for (std::size_t c = 0; c * chunk < visible; ++c) {
      if (!(lowest[c] <= limit)) continue;
      const std::size_t last = end_of(c);
      for (std::size_t begin = c * chunk; begin < last; begin += kBlock) {
        const std::size_t end = begin + kBlock < last ? begin + kBlock : last;
        const KeysWithin within = keys_within(score, limit, begin, end);
        if (within.count > 0) visit(begin, end, within);
      }
    }
  }
  /// Calls visit(j) for every key with a score up to `limit`, in order.
  template <class Visit>
  LOGDEPTH_BOTH void each_within(const Real& limit, Visit visit) const {
    each_block(limit, [&](std::size_t begin, std::size_t end, const KeysWithin&) {
      for (std::size_t j = begin; j < end; ++j)
        if (score(j) <= limit) visit(j);
    });
  }
  LOGDEPTH_BOTH std::size_t count_within(const Real& limit) const {
    std::size_t found = 0;
    each_block(limit,
               [&](std::size_t, std::size_t, const KeysWithin& within) { found += within.count; });
    return found;
  }
  /// Keys up to `limit` become the candidates.
  LOGDEPTH_BOTH void select(const Real& limit) {
    threshold = limit;
    count = 0;
    print = 0;
    each_block(limit, [&](std::size_t begin, std::size_t end, const KeysWithin& within) {
      std::size_t next = count;
      count += within.count;
      const std::size_t last = count < kListed ? count : kListed;
      for (std::size_t j = begin; next < last && j < end; ++j)
        if (score(j) <= limit) listed[next++] = static_cast<std::uint32_t>(j);
      print += within.print;
    });
  }
  template <class Visit>
  LOGDEPTH_BOTH void each_candidate(Visit visit) const {
    if (count > kListed) return each_within(threshold, visit);
    for (std::size_t i = 0; i < count; ++i) visit(listed[i]);
  }
};

}  // namespace LOGDEPTH_SIDE

}}}  // namespace logdepth::runtime_floats::float_pass
