// The float runtime's rows on the host and, compiled with the same options for the same generations
// of processors, the loop that a user would write.
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "bench/lookup_head.hpp"
#include "bench/rows_on_device.hpp"
#include "runtime/floats/thrust_backend.hpp"

namespace logdepth {
namespace {

struct HostBackend : float_pass::ThrustBackend {
  int threads = 1;
  template <class Step>
  void each(std::size_t count, const Step& step) const {
    tbb::task_arena arena(threads);
    arena.execute([&] { ThrustBackend::each(count, step); });
  }
  void wait() const {}
};

template <class Number>
struct Query {
  std::array<Number, 4> at;
};

/// Fills in the scores of keys 0 .. end-1; the largest.
template <class Number, std::size_t Dimension, bool Distances>
LOGDEPTH_WIDE Number score_keys(const Query<Number>& query, const Number* key, std::size_t stride,
                                std::size_t end, Number* scores) {
  const Query<Number> q = query;
  Number best = -std::numeric_limits<Number>::infinity();
#pragma omp simd reduction(max : best)
  for (std::size_t j = 0; j < end; ++j) {
    Number score = 0;
    for (std::size_t d = 0; d < Dimension; ++d) {
      const Number x = q.at[d], k = key[d * stride + j];
      if constexpr (Distances) {
        score -= (x - k) * (x - k);
      } else {
        score += x * k;
      }
    }
    scores[j] = score;
    best = score > best ? score : best;
  }
  return best;
}

template <class Number, std::size_t Dimension, bool Distances>
class PlainLoop final : public HeadContender {
 public:
  PlainLoop(const LookupHead& head, double tolerance)
      : tokens_(head.tokens),
        values_(head.values),
        tolerance_(static_cast<Number>(tolerance)),
        query_(head.query.begin(), head.query.end()),
        key_(head.key.begin(), head.key.end()),
        value_(head.value.begin(), head.value.end()),
        average_(head.value.size()),
        scores_(head.tokens),
        sums_(head.values) {}

  void answer() override {
    for (std::size_t i = 0; i < tokens_; ++i) answer_row(i);
  }
  std::vector<double> averages() const override { return {average_.begin(), average_.end()}; }

 private:
  void answer_row(std::size_t i) {
    Query<Number> query{};
    for (std::size_t d = 0; d < Dimension; ++d) query.at[d] = query_[d * tokens_ + i];
    const Number threshold = score_keys<Number, Dimension, Distances>(query, key_.data(), tokens_,
                                                                      i + 1, scores_.data()) -
                             tolerance_;
    std::fill(sums_.begin(), sums_.end(), Number(0));
    std::size_t count = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      if (scores_[j] < threshold) continue;
      ++count;
      for (std::size_t v = 0; v < values_; ++v) sums_[v] += value_[v * tokens_ + j];
    }
    for (std::size_t v = 0; v < values_; ++v)
      average_[v * tokens_ + i] = sums_[v] / static_cast<Number>(count);
  }

  std::size_t tokens_, values_;
  Number tolerance_;
  std::vector<Number> query_, key_, value_, average_, scores_, sums_;
};

}  // namespace

template <class Number>
HeadContenderPtr rows_on_host(const LookupHead& head, int threads) {
  HostBackend backend;
  backend.threads = threads;
  return std::make_unique<RowsOnDevice<HostBackend, Number>>(backend, head);
}
template HeadContenderPtr rows_on_host<double>(const LookupHead&, int);
template HeadContenderPtr rows_on_host<float>(const LookupHead&, int);

template <class Number>
HeadContenderPtr plain_loop(const LookupHead& head, bool distances, double tolerance) {
  if (head.dimension == 2 && distances)
    return std::make_unique<PlainLoop<Number, 2, true>>(head, tolerance);
  if (head.dimension == 2) return std::make_unique<PlainLoop<Number, 2, false>>(head, tolerance);
  if (distances) return std::make_unique<PlainLoop<Number, 4, true>>(head, tolerance);
  return std::make_unique<PlainLoop<Number, 4, false>>(head, tolerance);
}
template HeadContenderPtr plain_loop<double>(const LookupHead&, bool, double);
template HeadContenderPtr plain_loop<float>(const LookupHead&, bool, double);

}  // namespace logdepth
