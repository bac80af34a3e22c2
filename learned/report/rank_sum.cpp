#include "learned/report/rank_sum.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/law_text.hpp"
#include "report/statistics.hpp"

namespace logdepth::inline learned_report {
namespace {

/// Twice the rank of each value, from 2 on: equal values have the mean of their ranks, so that all are whole.
std::vector<std::size_t> doubled_ranks(const std::vector<std::pair<double, bool>>& sorted) {
  std::vector<std::size_t> ranks(sorted.size());
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first;
    while (end < sorted.size() && sorted[end].first == sorted[first].first) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[i] = first + 1 + end;
    first = end;
  }
  return ranks;
}

}  // namespace

double rank_sum_p(const std::vector<double>& one, const std::vector<double>& other) {
  if (one.empty() || other.empty()) return 1;
  std::vector<std::pair<double, bool>> sorted;
  for (const double value : one) sorted.emplace_back(value, true);
  for (const double value : other) sorted.emplace_back(value, false);
  std::ranges::sort(sorted);
  const std::vector<std::size_t> ranks = doubled_ranks(sorted);
  const std::size_t chosen = one.size(), all = sorted.size(), most = all * (all + 1);
  std::size_t observed = 0;
  for (std::size_t i = 0; i < all; ++i)
    if (sorted[i].second) observed += ranks[i];
  // ways[c][s]: as many ways to choose c of the values with the doubled rank sum s.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks)
    for (std::size_t c = chosen; c-- > 0;)
      for (std::size_t s = 0; s + rank <= most; ++s) ways[c + 1][s + rank] += ways[c][s];
  const double expected = static_cast<double>(chosen * (all + 1));
  const double distance = std::fabs(static_cast<double>(observed) - expected);
  double total = 0, far = 0;
  for (std::size_t s = 0; s <= most; ++s) {
    total += ways[chosen][s];
    if (std::fabs(static_cast<double>(s) - expected) >= distance) far += ways[chosen][s];
  }
  return far / total;
}

std::string rank_sum_text(const std::vector<double>& one, const std::vector<double>& other) {
  const auto sample = [](const std::vector<double>& values) {
    return fmt::format("{} ({})", decimal(report::median(values).value()),
                       counted(values.size(), "network"));
  };
  const double p = rank_sum_p(one, other);
  return fmt::format("medians {} and {}, exact rank sum test over networks, two-sided p {}",
                     sample(one), sample(other), p < 1e-4 ? "< 0.0001" : "= " + fixed_text(p, 4));
}

}  // namespace logdepth::inline learned_report
