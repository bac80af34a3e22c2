#include "bench/phi_head.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace logdepth {

template <class Number>
PhiHead run_phi_head(std::uint64_t tokens, double tolerance) {
  std::vector<Number> x, y;
  for (std::uint64_t i = 1; i <= tokens; ++i) {
    const auto number = static_cast<Number>(i);
    const Number length = std::sqrt(number * number + Number(1));
    x.push_back(number / length);
    y.push_back(Number(1) / length);
  }
  PhiHead result;
  std::vector<Number> scores(tokens);
  for (std::uint64_t i = 0; i < tokens; ++i) {
    Number best = -1;
    for (std::uint64_t j = 0; j <= i; ++j) {
      scores[j] = x[i] * x[j] + y[i] * y[j];
      best = std::max(best, scores[j]);
    }
    const Number threshold = best - static_cast<Number>(tolerance);
    const auto selected = std::count_if(scores.begin(), scores.begin() + i + 1,
                                        [&](Number score) { return score >= threshold; });
    if (selected == 1 && scores[i] >= threshold) continue;
    ++result.wrong;
    if (!result.first_wrong) result.first_wrong = i + 1;
  }
  return result;
}

template PhiHead run_phi_head<double>(std::uint64_t tokens, double tolerance);
template PhiHead run_phi_head<float>(std::uint64_t tokens, double tolerance);

}  // namespace logdepth
