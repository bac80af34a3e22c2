#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/exact/nested_arithmetic.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// One head over nested radicals: quadratic, and every score that double does not decide as an
/// exact sum. Scores are remembered by query and key.
class NestedHead {
 public:
  NestedHead(HeadRows<NestedId>& rows, NestedArithmetic& arithmetic)
      : rows_(rows), a_(arithmetic) {}

  /// The positions with the largest score among the first `visible`.
  std::vector<std::size_t> selected(std::size_t row, std::size_t visible) {
    std::vector<TupleId> keys(rows_.keys.begin(),
                              rows_.keys.begin() + static_cast<std::ptrdiff_t>(visible));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const std::vector<TupleId> best = best_keys(rows_.queries[row], keys);
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < visible; ++j)
      if (std::binary_search(best.begin(), best.end(), rows_.keys[j])) positions.push_back(j);
    return positions;
  }

 private:
  struct Score {
    Approximation near;
    std::optional<NestedRadical> exact;  ///< once it was needed
  };

  /// Of some distinct keys, increasing.
  std::vector<TupleId> best_keys(TupleId query, const std::vector<TupleId>& keys) {
    double floor = -std::numeric_limits<double>::infinity();
    for (const TupleId key : keys) {
      const Approximation near = score(query, key).near;
      floor = std::max(floor, near.value - near.bound);
    }
    std::vector<TupleId> best;
    for (const TupleId key : keys) {
      Score& candidate = score(query, key);
      // Not of an infinite bound alone: inf - inf is no number, and compares as open.
      if (candidate.near.value + candidate.near.bound < floor) continue;
      if (!best.empty()) {
        const int order = a_.sign_of(exact(query, key) - exact(query, best.front()));
        if (order < 0) continue;
        if (order > 0) best.clear();
      }
      best.push_back(key);
    }
    return best;
  }

  Score& score(TupleId query, TupleId key) {
    const auto [at, is_new] = scores_.try_emplace({query, key});
    if (is_new) at->second.near = near(query, key);
    return at->second;
  }

  Approximation near(TupleId query, TupleId key) const {
    const auto q = (*rows_.vectors)[query], k = (*rows_.vectors)[key];
    Approximation sum;
    double sizes = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
      const Approximation& x = a_.pool().approximation(q[c]);
      const Approximation& y = a_.pool().approximation(k[c]);
      sum.value += x.value * y.value;
      sum.bound += std::abs(x.value) * y.bound + std::abs(y.value) * x.bound + x.bound * y.bound;
      sizes += std::abs(x.value * y.value);
    }
    // Products and sums of n doubles lose at most (n + 1) 2^-53 of their sizes to first order, and
    // the bound itself as much of its own; products of tiny numbers may lose all they are.
    const double n = static_cast<double>(q.size() + 4);
    sum.bound = sum.bound * (1 + n * 0x1p-50) + sizes * n * 0x1p-52 + 1e-290;
    return sum;
  }

  const NestedRadical& exact(TupleId query, TupleId key) {
    Score& known = score(query, key);
    if (!known.exact) {
      const auto q = (*rows_.vectors)[query], k = (*rows_.vectors)[key];
      NestedRadical sum;
      for (std::size_t c = 0; c < q.size(); ++c) a_.accumulate_product(sum, q[c], k[c]);
      known.exact = std::move(sum);
    }
    return *known.exact;
  }

  HeadRows<NestedId>& rows_;
  NestedArithmetic& a_;
  std::map<std::pair<TupleId, TupleId>, Score> scores_;
};

/// The average of a value part over the selected positions.
TupleId average(HeadRows<NestedId>::ValuePart& part, const std::vector<std::size_t>& positions,
                NestedArithmetic& a) {
  const TupleId first = part.ids[positions.front()];
  if (std::all_of(positions.begin(), positions.end(),
                  [&](std::size_t j) { return part.ids[j] == first; }))
    return first;
  const Rational share(1, static_cast<std::int64_t>(positions.size()));
  std::vector<NestedId> averages;
  for (std::size_t c = 0; c < part.tuples->length(); ++c) {
    NestedRadical sum;
    for (const std::size_t j : positions) a.accumulate(sum, share, (*part.tuples)[part.ids[j]][c]);
    averages.push_back(a.close(sum));
  }
  return part.tuples->intern(averages.data());
}

}  // namespace

void NestedArithmetic::attend(
    HeadRows<NestedId>& rows, HeadMemory& /*memory*/,
    const std::function<void(const SelectedRow&, std::span<const TupleId>)>& sink) {
  NestedHead head(rows, *this);
  for (std::size_t row = 0; row < rows.tokens(); ++row) {
    SelectedRow selected;
    selected.row = row;
    selected.visible = rows.causal ? row + 1 : rows.tokens();
    const std::vector<std::size_t> positions = head.selected(row, selected.visible);
    selected.count = positions.size();
    selected.last = positions.back();
    selected.one_key = std::all_of(positions.begin(), positions.end(), [&](std::size_t j) {
      return rows.keys[j] == rows.keys[positions.front()];
    });
    const std::function<std::vector<std::size_t>()> all = [&] { return positions; };
    selected.positions = &all;
    std::vector<TupleId> averages;
    for (auto& part : rows.values) averages.push_back(average(part, positions, *this));
    sink(selected, averages);
  }
}

}  // namespace logdepth::inline runtime_exact
