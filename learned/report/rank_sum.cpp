#include "learned/report/rank_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

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

}  // namespace logdepth::inline learned_report
