#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "runtime/attention_rules.hpp"

namespace logdepth {
namespace {

using Row = std::vector<ValueId>;

struct RowHash {
  std::size_t operator()(const Row& row) const {
    std::size_t hash = row.size();
    for (const ValueId id : row) hash = hash * 0x9E3779B97F4A7C15u + id + (hash >> 29);
    return hash;
  }
};

/// Equal rows of a table, numbered by first occurrence.
struct Groups {
  std::vector<std::uint32_t> of_position;
  std::vector<std::size_t> first_position;

  Groups(const std::vector<ValueId>& table, std::size_t rows, std::size_t dimension) {
    std::unordered_map<Row, std::uint32_t, RowHash> index;
    of_position.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      Row row(table.begin() + static_cast<std::ptrdiff_t>(i * dimension),
              table.begin() + static_cast<std::ptrdiff_t>((i + 1) * dimension));
      const auto [entry, inserted] =
          index.emplace(std::move(row), static_cast<std::uint32_t>(first_position.size()));
      if (inserted) first_position.push_back(i);
      of_position.push_back(entry->second);
    }
  }
  std::size_t size() const { return first_position.size(); }
};

/// Scores of one query with the distinct keys: in double with one bound, exactly on demand.
class Scores {
 public:
  Scores(const HeadRows<ValueId>& rows, const ValuePool& pool, const Groups& keys)
      : rows_(rows), pool_(pool), keys_(keys), dimension_(rows.score_dimension) {
    approximate_.resize(dimension_ * keys.size());
    largest_.assign(dimension_, 0);
    error_.assign(dimension_, 0);
    for (std::size_t g = 0; g < keys.size(); ++g)
      for (std::size_t d = 0; d < dimension_; ++d) {
        const Approximation& x = pool_.approximation(key(g, d));
        approximate_[d * keys.size() + g] = x.value;
        largest_[d] = std::max(largest_[d], std::abs(x.value));
        error_[d] = std::max(error_[d], x.bound);
      }
    score_.resize(keys.size());
  }

  /// Computes the double scores of the first `groups` keys with the query at `position`.
  void set_query(std::size_t position, std::size_t groups) {
    query_ = position;
    exact_.clear();
    std::fill(score_.begin(), score_.begin() + static_cast<std::ptrdiff_t>(groups), 0.0);
    double magnitude = 0;
    double inherited = 0;
    for (std::size_t d = 0; d < dimension_; ++d) {
      const Approximation& q = pool_.approximation(query(d));
      const double* k = approximate_.data() + d * keys_.size();
      for (std::size_t g = 0; g < groups; ++g) score_[g] += q.value * k[g];
      magnitude += std::abs(q.value) * largest_[d];
      inherited += std::abs(q.value) * error_[d] + q.bound * (largest_[d] + error_[d]);
    }
    // |computed - exact| <= rounding of d products and d sums, each relative 2^-53 to the running
    // magnitude, plus the errors of the factors; doubled to cover the rounding of this bound itself
    // and a lower limit for products that underflow.
    const double rounding =
        (static_cast<double>(dimension_) + 2) * std::numeric_limits<double>::epsilon() * magnitude;
    bound_ = 2 * (rounding + inherited) + 1e-290;
    if (!std::isfinite(bound_)) bound_ = std::numeric_limits<double>::infinity();
  }

  /// Sign of score(g) - score(h).
  int compare(std::uint32_t g, std::uint32_t h, AttentionStatistics& statistics) {
    const double difference = score_[g] - score_[h];
    if (difference > 2 * bound_ || difference < -2 * bound_) {
      ++statistics.decided_in_double;
      return difference > 0 ? 1 : -1;
    }
    ++statistics.decided_exactly;
    const Real& a = exact(g);
    const Real& b = exact(h);
    if (a == b) {
      ++statistics.exact_ties;
      return 0;
    }
    return a < b ? -1 : 1;
  }

 private:
  ValueId key(std::size_t g, std::size_t d) const {
    return rows_.keys[keys_.first_position[g] * dimension_ + d];
  }
  ValueId query(std::size_t d) const { return rows_.queries[query_ * dimension_ + d]; }

  const Real& exact(std::uint32_t g) {
    const auto found = exact_.find(g);
    if (found != exact_.end()) return found->second;
    Real sum;
    for (std::size_t d = 0; d < dimension_; ++d) {
      const ValueId q = query(d);
      const ValueId k = key(g, d);
      if (q != ValuePool::kZero && k != ValuePool::kZero) sum = sum + pool_[q] * pool_[k];
    }
    return exact_.emplace(g, std::move(sum)).first->second;
  }

  const HeadRows<ValueId>& rows_;
  const ValuePool& pool_;
  const Groups& keys_;
  std::size_t dimension_;
  std::size_t query_ = 0;
  std::vector<double> approximate_;  // dimension x groups, so the inner loop runs over keys
  std::vector<double> largest_, error_;
  std::vector<double> score_;
  double bound_ = 0;
  std::map<std::uint32_t, Real> exact_;  // node addresses stay valid
};

/// Running sum of the values at the selected positions.
class Average {
 public:
  Average(const HeadRows<ValueId>& rows, ValuePool& pool)
      : rows_(rows), pool_(pool), sums_(rows.value_dimension), result_(rows.value_dimension) {}

  void restart() { count_ = 0; }
  void add(std::size_t position) {
    last_ = position;
    if (++count_ == 1) return;  // a single position is read as it is; most rows end here
    if (count_ == 2) {
      for (std::size_t d = 0; d < sums_.size(); ++d) sums_[d] = pool_[value(first_, d)];
    }
    for (std::size_t d = 0; d < sums_.size(); ++d) {
      const ValueId v = value(position, d);
      if (v != ValuePool::kZero) sums_[d] = sums_[d] + pool_[v];
    }
  }
  void start_with(std::size_t position) {
    first_ = last_ = position;
    count_ = 1;
  }
  std::size_t count() const { return count_; }
  std::size_t last() const { return last_; }

  std::span<const ValueId> mean() {
    if (count_ == 1) {
      for (std::size_t d = 0; d < result_.size(); ++d) result_[d] = value(first_, d);
    } else {
      const Rational share(1, static_cast<std::int64_t>(count_));
      for (std::size_t d = 0; d < result_.size(); ++d)
        result_[d] = sums_[d].is_zero() ? ValuePool::kZero : pool_.intern(sums_[d].scaled(share));
    }
    return result_;
  }

 private:
  ValueId value(std::size_t position, std::size_t d) const {
    return rows_.values[position * rows_.value_dimension + d];
  }
  const HeadRows<ValueId>& rows_;
  ValuePool& pool_;
  std::vector<Real> sums_;
  std::vector<ValueId> result_;
  std::size_t first_ = 0, last_ = 0, count_ = 0;
};

}  // namespace

bool attend_by_distinct_keys(const HeadRows<ValueId>& rows, ValuePool& pool,
                             AttentionStatistics& statistics, const RowSink& sink) {
  const Groups queries(rows.queries, rows.tokens, rows.score_dimension);
  const Groups keys(rows.keys, rows.tokens, rows.score_dimension);
  std::vector<std::vector<std::size_t>> rows_of_query(queries.size());
  for (std::size_t i = 0; i < rows.tokens; ++i) rows_of_query[queries.of_position[i]].push_back(i);
  // groups_before[j]: how many distinct keys stand at positions 0..j.
  std::vector<std::size_t> groups_before(rows.tokens);
  std::size_t seen = 0;
  for (std::size_t j = 0; j < rows.tokens; ++j) {
    if (keys.first_position[keys.of_position[j]] == j) ++seen;
    groups_before[j] = seen;
  }

  Scores scores(rows, pool, keys);
  Average average(rows, pool);
  std::vector<char> tied(keys.size(), 0);
  std::vector<std::uint32_t> tie_groups;

  for (const std::vector<std::size_t>& members : rows_of_query) {
    const std::size_t end = rows.causal ? members.back() + 1 : rows.tokens;
    scores.set_query(members.front(), groups_before[end - 1]);
    statistics.scores += groups_before[end - 1];
    average.restart();
    auto next_row = members.begin();
    for (std::size_t j = 0; j < end; ++j) {
      const std::uint32_t group = keys.of_position[j];
      if (keys.first_position[group] == j) {
        const int order =
            tie_groups.empty() ? 1 : scores.compare(group, tie_groups.front(), statistics);
        if (order > 0) {
          for (const std::uint32_t g : tie_groups) tied[g] = 0;
          tie_groups.assign(1, group);
          tied[group] = 1;
          average.start_with(j);
        } else if (order == 0) {
          tie_groups.push_back(group);
          tied[group] = 1;
          average.add(j);
        }
      } else if (tied[group]) {
        average.add(j);
      }
      const bool last_visible = j + 1 == end;
      while (next_row != members.end() && (rows.causal ? *next_row == j : last_visible)) {
        const std::function<std::vector<std::size_t>()> positions = [&] {
          std::vector<std::size_t> selected;
          for (std::size_t i = 0; i <= j; ++i)
            if (tied[keys.of_position[i]]) selected.push_back(i);
          return selected;
        };
        sink(
            {*next_row, j + 1, average.count(), average.last(), tie_groups.size() == 1, &positions},
            average.mean());
        ++next_row;
      }
    }
    for (const std::uint32_t g : tie_groups) tied[g] = 0;
    tie_groups.clear();
  }
  return true;
}

}  // namespace logdepth
