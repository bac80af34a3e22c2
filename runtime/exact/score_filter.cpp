#include "runtime/exact/score_filter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "runtime/exact/exact_sum.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// Integers below this are doubles, and so are their sums and products.
constexpr double kExactInDouble = 0x1p53;
constexpr std::int64_t kLargestDenominator = std::int64_t{1} << 30;

/// Common denominators of many numbers, as long as they stay small.
class Denominators {
 public:
  void add(const Real& x) {
    if (!small_ || x.is_zero()) return;
    const auto parts = x.is_rational() ? x.rational_part().small() : std::nullopt;
    small_ = parts && parts->denominator <= kLargestDenominator;
    if (small_) common_ = std::lcm(common_, parts->denominator);
    small_ = small_ && common_ <= kLargestDenominator;
  }
  std::optional<std::int64_t> common() const {
    return small_ ? std::optional(common_) : std::nullopt;
  }

 private:
  std::int64_t common_ = 1;
  bool small_ = true;
};

/// factor * x, which must be an integer; exact while its size is below 2^53.
double scaled(const Real& x, std::int64_t factor) {
  const Rational::Small parts = *x.rational_part().small();
  const std::int64_t multiple = factor / parts.denominator;  // without a remainder
  return static_cast<double>(parts.numerator) * static_cast<double>(multiple);
}

}  // namespace

ScoreFilter::ScoreFilter(const Question& question) : q_(question) {
  for (const auto& block : q_.blocks)
    dimensions_.insert(dimensions_.end(), block.begin(), block.end());
  const std::size_t classes = q_.keys.size();
  keys_.resize(dimensions_.size() * classes);
  Denominators denominators;
  for (std::size_t c = 0; c < classes; ++c)
    for (const std::uint32_t d : dimensions_)
      denominators.add((*q_.pool)[q_.vector(q_.keys.vector[c])[d]]);
  integer_ = denominators.common().has_value();
  load(denominators.common().value_or(1));
  const double largest = largest_.empty() ? 0 : *std::max_element(largest_.begin(), largest_.end());
  if (!integer_ || largest < kExactInDouble) return;
  integer_ = false;  // the conversion has rounded
  load(1);
}

void ScoreFilter::load(std::int64_t common) {
  const std::size_t classes = q_.keys.size();
  largest_.assign(dimensions_.size(), 0);
  error_.assign(dimensions_.size(), 0);
  for (std::size_t c = 0; c < classes; ++c) {
    const auto vector = q_.vector(q_.keys.vector[c]);
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      const ValueId id = vector[dimensions_[d]];
      const Approximation x =
          integer_ ? Approximation{scaled((*q_.pool)[id], common), 0} : q_.pool->approximation(id);
      keys_[d * classes + c] = x.value;
      largest_[d] = std::max(largest_[d], std::abs(x.value));
      error_[d] = std::max(error_[d], x.bound);
    }
  }
}

ScoreFilter::Query ScoreFilter::query(TupleId id) const {
  Query query;
  double magnitude = 0, inherited = 0;
  if (integer_) {
    Denominators denominators;
    for (const std::uint32_t d : dimensions_) denominators.add((*q_.pool)[q_.vector(id)[d]]);
    if (const auto common = denominators.common()) {
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        query.values.push_back(scaled((*q_.pool)[q_.vector(id)[dimensions_[d]]], *common));
        magnitude += std::abs(query.values.back()) * largest_[d];
        inherited = std::max({inherited, std::abs(query.values.back()), largest_[d]});
      }
      // Every product and every partial sum is an integer of at most `magnitude`, far from where
      // the rounding of `magnitude` itself could matter.
      if (magnitude < kExactInDouble / 2 && inherited < kExactInDouble / 2) {
        query.rounded = false;
        return query;
      }
      query.values.clear();
      magnitude = inherited = 0;
    }
  }
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const Approximation& x = q_.pool->approximation(q_.vector(id)[dimensions_[d]]);
    query.values.push_back(x.value);
    magnitude += std::abs(x.value) * largest_[d];
    inherited += std::abs(x.value) * error_[d] + x.bound * (largest_[d] + error_[d]);
  }
  // |computed - exact| <= rounding of d products and d sums, each relative 2^-53 to the running
  // magnitude, plus the errors of the factors; doubled to cover the rounding of this bound itself
  // and a lower limit for products that underflow.
  const double rounding = (static_cast<double>(dimensions_.size()) + 2) *
                          std::numeric_limits<double>::epsilon() * magnitude;
  query.bound = 2 * (rounding + inherited) + 1e-290;
  if (!std::isfinite(query.bound)) query.bound = std::numeric_limits<double>::infinity();
  return query;
}

double ScoreFilter::score(const Query& query, std::size_t begin, std::size_t end,
                          double* score) const {
  const std::size_t classes = q_.keys.size();
  std::fill(score + begin, score + end, 0.0);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const double factor = query.values[d];
    if (factor == 0) continue;
    const double* key = keys_.data() + d * classes;
    for (std::size_t c = begin; c < end; ++c) score[c] += factor * key[c];
  }
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t c = begin; c < end; ++c) largest = score[c] > largest ? score[c] : largest;
  return largest;
}

Real ScoreFilter::exact(TupleId query, std::uint32_t key_class) const {
  const auto q = q_.vector(query), k = q_.vector(q_.keys.vector[key_class]);
  ExactSum sum;
  for (const std::uint32_t d : dimensions_)
    if (q[d] != ValuePool::kZero && k[d] != ValuePool::kZero)
      sum.add_product((*q_.pool)[q[d]], (*q_.pool)[k[d]]);
  return sum.value();
}

}  // namespace logdepth::inline runtime_exact
