#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace logdepth {

/// The least value from `first` to `last` that is good together with the next `above` ones and one
/// above a bad value (or `first` itself): found from `hint` by doubling steps and halving, then up
/// past bad ones. Goodness need not be monotone, and nothing is said about other values. `good` is
/// asked at most once per value. Precondition: first <= hint <= last.
inline std::optional<std::uint32_t> first_good(std::uint32_t first, std::uint32_t last,
                                               std::uint32_t above, std::uint32_t hint,
                                               const std::function<bool(std::uint32_t)>& good) {
  std::map<std::uint32_t, bool> known;
  const auto is_good = [&](std::uint32_t value) {
    const auto found = known.find(value);
    return found != known.end() ? found->second : known.emplace(value, good(value)).first->second;
  };
  std::uint32_t bad = hint, found = hint;
  for (std::uint32_t step = 1; is_good(bad) && bad > first; step *= 2) {
    found = bad;
    bad -= std::min(step, bad - first);
  }
  for (std::uint32_t step = 1; !is_good(found); step *= 2) {
    if (found == last) return std::nullopt;
    bad = found;
    found += std::min(step, last - found);
  }
  while (found > bad + 1 && !is_good(bad)) {
    const std::uint32_t middle = bad + (found - bad) / 2;
    (is_good(middle) ? found : bad) = middle;
  }
  if (is_good(bad)) found = bad;  // the first of all
  for (std::uint32_t next = found; next <= found + above; ++next) {
    if (next > last) return std::nullopt;
    if (!is_good(next)) found = next + 1;
  }
  return found;
}

/// How the code phi(p) = (p, 1)/sqrt(p^2 + 1) of a position is computed.
enum class PhiBy {
  root,  ///< one root, two divisions
  averages  ///< from (p/(p+1), 1/(p+1)), as a network has them, times one over their root, as norms are
};

template <class Number>
std::array<Number, 2> phi(std::uint64_t position, PhiBy by) {
  const auto p = static_cast<Number>(position);
  if (by == PhiBy::root) {
    const Number norm = std::sqrt(p * p + Number(1));
    return {p / norm, Number(1) / norm};
  }
  const Number tokens = p + Number(1), rest = p / tokens, first = Number(1) / tokens;
  const Number scale = Number(1) / std::sqrt(rest * rest + first * first);
  return {rest * scale, first * scale};
}

enum class ScoreBy { product, distance };  ///< q.k, or -|q - k|^2

/// The smallest position below `limit` at which a causal head that looks for its own code among those of 0 .. p does
/// not have its largest score at p alone; a tie with another position is wrong too. Precondition: limit <= 2^27.
///
/// Which keys can win at p, for the unit roundoff u: every component of a code is off by at most 6 u, the small one
/// relative to itself. A product is then off by at most 64 u, and a key wins or ties only if the exact scores are
/// 128 u apart or less. A distance is 0 only of equal codes, whose small components are a ratio of at most 1 + 16 u
/// apart. Both bounds grow with the distance between the positions, so keys are tried from p downwards until they are
/// passed. They are generous, cost a few keys and are no part of the answer.
template <class Number>
std::optional<std::uint64_t> first_wrong_position(PhiBy by, ScoreBy scores, std::uint64_t limit) {
  const bool product = scores == ScoreBy::product;
  const double unit = std::ldexp(1.0, -std::numeric_limits<Number>::digits);
  const auto may_win = [&](double t, double s) {
    if (!product) return (t - s) * (t + s) / (2 * (1 + t * t)) <= 16 * unit;
    return (t - s) * (t - s) / ((1 + t * t) * (1 + s * s)) / 2 <= 128 * unit;
  };
  const auto score = [&](const std::array<Number, 2>& q, const std::array<Number, 2>& k) {
    if (product) return q[0] * k[0] + q[1] * k[1];
    const Number x = q[0] - k[0], y = q[1] - k[1];
    return -(x * x + y * y);
  };
  for (std::uint64_t position = 0; position < limit; ++position) {
    const auto query = phi<Number>(position, by);
    const Number own = score(query, query);
    for (std::uint64_t other = position; other-- > 0;) {
      if (!may_win(static_cast<double>(position), static_cast<double>(other))) break;
      if (score(query, phi<Number>(other, by)) >= own) return position;
    }
  }
  return std::nullopt;
}

}  // namespace logdepth
