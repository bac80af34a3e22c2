#include "learned/core/attention_rows.hpp"

// The same loops compiled twice on x86-64: for every machine, and for those with AVX2, chosen when
// the program runs.
#if defined(__x86_64__)
#define LOGDEPTH_WIDE __attribute__((target("avx2,fma")))
#else
#define LOGDEPTH_WIDE
#endif
#define LOGDEPTH_ALWAYS_INLINE inline __attribute__((always_inline))

namespace logdepth { inline namespace learned_core {
namespace {

template <class Number>
LOGDEPTH_ALWAYS_INLINE Number dot(const Number* a, const Number* b, std::int64_t width) {
  Number sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t c = 0; c < width; ++c) sum += a[c] * b[c];
  return sum;
}

template <class Number>
LOGDEPTH_ALWAYS_INLINE void add_multiple(Number* to, Number factor, const Number* from,
                                         std::int64_t width) {
#pragma omp simd
  for (std::int64_t c = 0; c < width; ++c) to[c] += factor * from[c];
}

/// The index of the distance of row i from key j.
LOGDEPTH_ALWAYS_INLINE std::int64_t distance_index(std::int64_t i, std::int64_t j,
                                                   std::int64_t most) {
  const std::int64_t distance = i - j;
  return (distance < -most ? -most : distance >= most ? most - 1 : distance) + most;
}

template <class Number>
LOGDEPTH_ALWAYS_INLINE std::int64_t visible_keys(const AttentionRows<Number>& rows,
                                                 std::int64_t i) {
  return rows.causal && i + 1 < rows.visible ? i + 1 : rows.visible;
}

template <class Number>
LOGDEPTH_ALWAYS_INLINE void forward(AttentionRows<Number>& rows, Number* result,
                                    std::int64_t result_stride) {
  const std::int64_t most = rows.most_distance;
  for (std::int64_t i = 0; i < rows.tokens; ++i) {
    const std::int64_t visible = visible_keys(rows, i);
    const std::uint8_t* const open = rows.open ? rows.open + i * rows.tokens : nullptr;
    Number* const weights = rows.weights + i * rows.tokens;
    Number largest = -INFINITY;
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      weights[j] =
          rows.scale * dot(rows.queries + i * rows.stride, rows.keys + j * rows.stride, rows.width);
      if (rows.by_distance) weights[j] += rows.by_distance[distance_index(i, j, most)];
      largest = weights[j] > largest ? weights[j] : largest;
    }
    Number sum = 0;
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      weights[j] = std::exp(weights[j] - largest);
      sum += weights[j];
    }
    Number* const out = result + i * result_stride;
    for (std::int64_t c = 0; c < rows.width; ++c) out[c] = 0;
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      weights[j] /= sum;
      add_multiple(out, weights[j], rows.values + j * rows.stride, rows.width);
    }
  }
}

template <class Number>
LOGDEPTH_ALWAYS_INLINE void backward(AttentionRows<Number>& rows, const Number* above,
                                     std::int64_t above_stride,
                                     const AttentionGradients<Number>& gradients) {
  const std::int64_t most = rows.most_distance;
  for (std::int64_t i = 0; i < rows.tokens; ++i) {
    const std::int64_t visible = visible_keys(rows, i);
    const std::uint8_t* const open = rows.open ? rows.open + i * rows.tokens : nullptr;
    const Number* const weights = rows.weights + i * rows.tokens;
    const Number* const up = above + i * above_stride;
    Number mean = 0;  // of the weights' gradients under the weights
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      rows.scratch[j] = dot(up, rows.values + j * rows.stride, rows.width);
      mean += weights[j] * rows.scratch[j];
      add_multiple(gradients.values + j * rows.stride, weights[j], up, rows.width);
    }
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      const Number slope = weights[j] * (rows.scratch[j] - mean);
      const Number scaled = rows.scale * slope;
      add_multiple(gradients.queries + i * rows.stride, scaled, rows.keys + j * rows.stride,
                   rows.width);
      add_multiple(gradients.keys + j * rows.stride, scaled, rows.queries + i * rows.stride,
                   rows.width);
      if (rows.by_distance) gradients.by_distance[distance_index(i, j, most)] += slope;
    }
  }
}

bool wide() {
#if defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported;
#else
  return false;
#endif
}

template <class Number>
LOGDEPTH_WIDE void forward_wide(AttentionRows<Number>& rows, Number* result, std::int64_t stride) {
  forward(rows, result, stride);
}
template <class Number>
LOGDEPTH_WIDE void backward_wide(AttentionRows<Number>& rows, const Number* above,
                                 std::int64_t stride, const AttentionGradients<Number>& gradients) {
  backward(rows, above, stride, gradients);
}

}  // namespace

void attention_forward(AttentionRows<float>& rows, float* result, std::int64_t stride) {
  wide() ? forward_wide(rows, result, stride) : forward(rows, result, stride);
}
void attention_forward(AttentionRows<double>& rows, double* result, std::int64_t stride) {
  wide() ? forward_wide(rows, result, stride) : forward(rows, result, stride);
}
void attention_backward(AttentionRows<float>& rows, const float* above, std::int64_t stride,
                        const AttentionGradients<float>& gradients) {
  wide() ? backward_wide(rows, above, stride, gradients) : backward(rows, above, stride, gradients);
}
void attention_backward(AttentionRows<double>& rows, const double* above, std::int64_t stride,
                        const AttentionGradients<double>& gradients) {
  wide() ? backward_wide(rows, above, stride, gradients) : backward(rows, above, stride, gradients);
}

}}  // namespace logdepth::learned_core
