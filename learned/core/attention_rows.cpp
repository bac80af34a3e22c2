#include "learned/core/attention_rows.hpp"

#include <cmath>

// The same loops compiled twice on x86-64: for every machine, and for those with AVX2, chosen when
// the program runs.
#if defined(__x86_64__)
#define LOGDEPTH_WIDE __attribute__((target("avx2,fma")))
#else
#define LOGDEPTH_WIDE
#endif
#define LOGDEPTH_ALWAYS_INLINE inline __attribute__((always_inline))

namespace logdepth {
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

template <class Number>
LOGDEPTH_ALWAYS_INLINE void forward(AttentionRows<Number>& rows, Number* result,
                                    std::int64_t result_stride) {
  const Number scale = 1 / std::sqrt(static_cast<Number>(rows.width));
  for (std::int64_t i = 0; i < rows.tokens; ++i) {
    const std::int64_t visible = rows.causal ? i + 1 : rows.tokens;
    const std::uint8_t* const open = rows.open ? rows.open + i * rows.tokens : nullptr;
    Number* const weights = rows.weights + i * rows.tokens;
    Number largest = -INFINITY;
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      weights[j] =
          scale * dot(rows.queries + i * rows.stride, rows.keys + j * rows.stride, rows.width);
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
                                     std::int64_t above_stride, Number* queries, Number* keys,
                                     Number* values) {
  const Number scale = 1 / std::sqrt(static_cast<Number>(rows.width));
  for (std::int64_t i = 0; i < rows.tokens; ++i) {
    const std::int64_t visible = rows.causal ? i + 1 : rows.tokens;
    const std::uint8_t* const open = rows.open ? rows.open + i * rows.tokens : nullptr;
    const Number* const weights = rows.weights + i * rows.tokens;
    const Number* const up = above + i * above_stride;
    Number mean = 0;  // of the weights' gradients under the weights
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      rows.scratch[j] = dot(up, rows.values + j * rows.stride, rows.width);
      mean += weights[j] * rows.scratch[j];
      add_multiple(values + j * rows.stride, weights[j], up, rows.width);
    }
    for (std::int64_t j = 0; j < visible; ++j) {
      if (open && !open[j]) continue;
      const Number slope = scale * weights[j] * (rows.scratch[j] - mean);
      add_multiple(queries + i * rows.stride, slope, rows.keys + j * rows.stride, rows.width);
      add_multiple(keys + j * rows.stride, slope, rows.queries + i * rows.stride, rows.width);
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
                                 std::int64_t stride, Number* queries, Number* keys,
                                 Number* values) {
  backward(rows, above, stride, queries, keys, values);
}

}  // namespace

void attention_forward(AttentionRows<float>& rows, float* result, std::int64_t stride) {
  wide() ? forward_wide(rows, result, stride) : forward(rows, result, stride);
}
void attention_forward(AttentionRows<double>& rows, double* result, std::int64_t stride) {
  wide() ? forward_wide(rows, result, stride) : forward(rows, result, stride);
}
void attention_backward(AttentionRows<float>& rows, const float* above, std::int64_t stride,
                        float* queries, float* keys, float* values) {
  wide() ? backward_wide(rows, above, stride, queries, keys, values)
         : backward(rows, above, stride, queries, keys, values);
}
void attention_backward(AttentionRows<double>& rows, const double* above, std::int64_t stride,
                        double* queries, double* keys, double* values) {
  wide() ? backward_wide(rows, above, stride, queries, keys, values)
         : backward(rows, above, stride, queries, keys, values);
}

}  // namespace logdepth
