// The dense loop of exact_cost, with the instructions of this machine.
#include <algorithm>

#include "bench/dense_attention.hpp"
#include "bench/lookup_head.hpp"

namespace logdepth {
namespace {

template <class Number>
class TiledLoop final : public HeadContender {
 public:
  TiledLoop(const LookupHead& head, double tolerance)
      : tolerance_(tolerance), head_(true, head.tokens, head.dimension, head.values) {
    fill(head_.query, head.query);
    fill(head_.key, head.key);
    fill(head_.value, head.value);
  }
  void answer() override { attend_densely(head_, tolerance_, 1); }
  std::vector<double> averages() const override {
    std::vector<double> averages;
    for (std::size_t v = 0; v < head_.average.arrays(); ++v)
      averages.insert(averages.end(), head_.average[v], head_.average[v] + head_.tokens);
    return averages;
  }

 private:
  void fill(Columns<Number>& columns, const std::vector<double>& numbers) const {
    for (std::size_t c = 0; c < columns.arrays(); ++c)
      for (std::size_t j = 0; j < head_.tokens; ++j)
        columns[c][j] = static_cast<Number>(numbers[c * head_.tokens + j]);
  }

  double tolerance_;
  DenseHead<Number> head_;
};

}  // namespace

template <class Number>
HeadContenderPtr tiled_loop(const LookupHead& head, double tolerance) {
  return std::make_unique<TiledLoop<Number>>(head, tolerance);
}
template HeadContenderPtr tiled_loop<double>(const LookupHead&, double);
template HeadContenderPtr tiled_loop<float>(const LookupHead&, double);

}  // namespace logdepth
