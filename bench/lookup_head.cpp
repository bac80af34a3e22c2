#include "bench/lookup_head.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace logdepth {
namespace {

constexpr std::uint32_t kValues = 29;  ///< as many as the heads of the A5 scan average

class SplitMix64 {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_ = 1;
};

/// circle(t / scale): numerators and denominators below 2^53 are exact, so each number is rounded
/// once.
std::pair<double, double> circle(std::uint64_t t, std::uint64_t scale) {
  const auto a = static_cast<double>(t), b = static_cast<double>(scale);
  return {(b - a) * (b + a) / (a * a + b * b), 2 * a * b / (a * a + b * b)};
}

std::vector<double> code(std::uint32_t dimension, std::uint64_t position) {
  const std::uint64_t t = position + 1;
  const auto level = static_cast<std::uint64_t>(std::bit_width(t)) - 1;
  const auto [x, y] = circle(t, dimension == 4 ? std::uint64_t{1} << level : 1);
  if (dimension == 2) return {x, y};
  const auto [z, w] = circle(level + 1, 1);
  return {x, y, z, w};
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

}  // namespace

LookupHead make_lookup_head(std::size_t tokens, std::uint32_t dimension, std::size_t keys) {
  LookupHead head{tokens, dimension, kValues, {}, {}, {}, 0, {}, {}};
  head.query.resize(dimension * tokens);
  head.key.resize(dimension * tokens);
  head.value.resize(kValues * tokens);
  head.expected.resize(kValues * tokens);
  head.selected.resize(tokens);
  keys = std::min(keys, tokens);

  std::vector<std::vector<double>> codes;
  for (std::size_t k = 0; k < keys; ++k) codes.push_back(code(dimension, k));
  // Codes of neighbours are closest: q.k is 1/2 |q - k|^2 below the largest score. A little less
  // makes good for their rounding.
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k < keys; ++k)
    nearest = std::min(nearest, squared_distance(codes[k - 1], codes[k]));
  head.gap = std::isfinite(nearest) ? nearest / 2 * 0.999 : 1;

  SplitMix64 random;
  std::vector<double> sums(keys * kValues, 0), counts(keys, 0);
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::size_t own = i % keys, target = random.below(std::min(i + 1, keys));
    for (std::uint32_t v = 0; v < kValues; ++v) {
      head.value[v * tokens + i] = static_cast<double>(random.next() >> 56);
      sums[own * kValues + v] += head.value[v * tokens + i];
    }
    counts[own] += 1;
    for (std::uint32_t d = 0; d < dimension; ++d) {
      head.key[d * tokens + i] = codes[own][d];
      head.query[d * tokens + i] = codes[target][d];
    }
    head.selected[i] = counts[target];
    for (std::uint32_t v = 0; v < kValues; ++v)
      head.expected[v * tokens + i] = sums[target * kValues + v];
  }
  return head;
}

}  // namespace logdepth
