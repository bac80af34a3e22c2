// Which keys can win at position p. Write u for the unit roundoff of what goes into a product (that
// of the sums is not larger), s for exact and s' for computed scores of vectors with circles of
// norm 1.
//   Codes. Every component of a code is off by at most 6 u absolutely: squaring, adding, a root or
//   a subtraction, dividing and rounding for the product are at most six operations on numbers of
//   size at most 1, or relative to the result where the numbers are larger. The second component of
//   phi and circle, which is small, is off by at most 6 u relative to itself.
//   Products. |s' - s| <= 64 u for one circle and for two: both codes 6 sqrt(2) u per circle, and
//   at most four roundings of numbers <= 2. A key wins or ties only if s(p, p) - s(p, j) <= 128 u.
//   Distances. Equal codes have distance exactly 0, and no two that differ have: a difference of
//   floating-point numbers is zero only if they are equal, and its square is far above underflow.
//   So j ties only if all components of the two computed codes agree.
//   distance_mixed. Query and key are off by at most 8 u in each component, so that p itself is at
//   a computed distance of at most 24 u. A key wins or ties only if |q - k| <= 64 u.
// Each bound grows with |t - t'| between the codes of one circle (their angles are monotone in t),
// so keys are tried outwards from p until it is passed; for two circles on every level L whose own
// circle allows it. The bounds are generous and cost a few keys; they are no part of the answer.
#include "proofs-check/precision/first_wrong_position.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cmath>

#include "logdepth/errors.hpp"

namespace logdepth::inline proofs_check_precision {
namespace {

constexpr std::uint64_t kMaxLimit = std::uint64_t{1} << 27;

bool is_phi(PositionKey key) {
  return key == PositionKey::phi || key == PositionKey::phi_averaged;
}

/// 1 - cos of the angle between two codes of a circle, rounded down a little for phi.
double gap(PositionKey key, double t, double other) {
  const double share = (t - other) * (t - other) / ((1 + t * t) * (1 + other * other));
  return is_phi(key) ? share / 2 : 2 * share;
}

/// A code in the arithmetic of `Number`; one circle leaves the last two components zero.
template <class Number>
using Code = std::array<Number, 4>;

template <class Number>
std::array<Number, 2> circle_of(Number t) {
  const Number square = t * t, norm = Number(1) + square;
  return {(Number(1) - square) / norm, Number(2) * t / norm};
}

template <class Number>
std::array<Number, 2> phi_of(Number p) {
  const Number norm = std::sqrt(p * p + Number(1));
  return {p / norm, Number(1) / norm};
}

template <class Number>
std::array<Number, 2> phi_of_averages(Number p) {
  const Number tokens = p + Number(1), rest = p / tokens, first = Number(1) / tokens;
  const Number scale = Number(1) / std::sqrt(rest * rest + first * first);
  return {rest * scale, first * scale};
}

template <class Number>
class Search {
 public:
  Search(PositionKey key, FloatFormat format, ScoreForm form)
      : key_(key),
        form_(form),
        bits_(significand_bits(format)),
        rounded_(format == FloatFormat::tf32 || format == FloatFormat::bf16),
        unit_(std::ldexp(1.0, -bits_)) {}

  bool is_wrong(std::uint64_t position) const {
    const Code<Number> key = code(key_, position);
    const Code<Number> query =
        form_ == ScoreForm::distance_mixed ? code(PositionKey::phi_averaged, position) : key;
    const Number own = score(query, key);
    const std::uint64_t offset = is_phi(key_) ? 0 : 1;  // circles code p + 1
    const std::uint64_t t = position + offset;
    const auto beats = [&](std::uint64_t other) {
      return score(query, code(key_, other - offset)) >= own;
    };
    if (key_ != PositionKey::two_circle) {
      for (std::uint64_t other = t; other-- > offset;) {
        if (!may_win(t, other)) break;
        if (beats(other)) return true;
      }
      return false;
    }
    const int level = std::bit_width(t) - 1;
    for (int l = level; l >= 0; --l) {
      const double of_levels = gap(PositionKey::circle, level + 1, l + 1);
      if (of_levels > budget()) break;
      const std::uint64_t first = std::uint64_t{1} << l;
      const std::uint64_t last = l == level ? t : 2 * first - 1;
      const double turn = std::ldexp(static_cast<double>(t), -level);
      const auto possible = [&](std::uint64_t other) {
        return of_levels +
                   gap(PositionKey::circle, turn, std::ldexp(static_cast<double>(other), -l)) <=
               budget();
      };
      const std::uint64_t nearest = t >> (level - l);
      for (std::uint64_t other = nearest; other >= first && possible(other); --other)
        if (other != t && beats(other)) return true;
      for (std::uint64_t other = nearest + 1; other <= last && possible(other); ++other)
        if (beats(other)) return true;
    }
    return false;
  }

 private:
  /// How large an exact gap a computed score can bridge; that of a distance is its half square.
  double budget() const {
    if (form_ == ScoreForm::product) return 128 * unit_;
    // Distances: codes that agree in all components are at most 4 * 8 u apart.
    return (64 * unit_) * (64 * unit_) / 2;
  }

  bool may_win(std::uint64_t position, std::uint64_t other) const {
    const auto t = static_cast<double>(position), s = static_cast<double>(other);
    if (form_ == ScoreForm::product) return gap(key_, t, s) <= budget();
    if (form_ == ScoreForm::distance_mixed) return gap(key_, t, s) <= budget();
    // The small components, as a ratio less one, rounded down for phi.
    const double apart = is_phi(key_) ? (t - s) * (t + s) / (2 * (1 + t * t))
                                      : (t - s) * (s * t - 1) / (t * (1 + s * s));
    return apart <= 16 * unit_;
  }

  Number fed(Number x) const {
    return rounded_ ? static_cast<Number>(round_to_bits(static_cast<double>(x), bits_)) : x;
  }

  Code<Number> code(PositionKey key, std::uint64_t position) const {
    const auto p = static_cast<Number>(position);
    const std::uint64_t t = position + 1;
    if (key != PositionKey::two_circle) {
      const auto unit = key == PositionKey::phi            ? phi_of(p)
                        : key == PositionKey::phi_averaged ? phi_of_averages(p)
                                                           : circle_of(static_cast<Number>(t));
      return {fed(unit[0]), fed(unit[1]), Number(0), Number(0)};
    }
    const int level = std::bit_width(t) - 1;
    const auto turn = circle_of(std::ldexp(static_cast<Number>(t), -level));
    const auto height = circle_of(static_cast<Number>(level + 1));
    return {fed(turn[0]), fed(turn[1]), fed(height[0]), fed(height[1])};
  }

  /// From the first component to the last; additions of zero change nothing.
  Number score(const Code<Number>& q, const Code<Number>& k) const {
    Number sum = 0;
    for (std::size_t c = 0; c < q.size(); ++c) {
      const Number difference = q[c] - k[c];
      sum += form_ == ScoreForm::product ? q[c] * k[c] : difference * difference;
    }
    return form_ == ScoreForm::product ? sum : -sum / 2;
  }

  PositionKey key_;
  ScoreForm form_;
  int bits_;
  bool rounded_;
  double unit_;
};

template <class Number>
std::optional<std::uint64_t> search(const FirstWrong& what) {
  const Search<Number> search(what.key, what.format, what.form);
  for (std::uint64_t position = 0; position < what.limit; ++position)
    if (search.is_wrong(position)) return position;
  return std::nullopt;
}

}  // namespace

const char* float_format_name(FloatFormat format) {
  switch (format) {
    case FloatFormat::fp64:
      return "fp64";
    case FloatFormat::fp32:
      return "fp32";
    case FloatFormat::tf32:
      return "tf32";
    case FloatFormat::bf16:
      break;
  }
  return "bf16";
}

int significand_bits(FloatFormat format) {
  switch (format) {
    case FloatFormat::fp64:
      return 53;
    case FloatFormat::fp32:
      return 24;
    case FloatFormat::tf32:
      return 11;
    case FloatFormat::bf16:
      break;
  }
  return 8;
}

const char* position_key_name(PositionKey key) {
  switch (key) {
    case PositionKey::phi:
      return "phi";
    case PositionKey::phi_averaged:
      return "phi of averages";
    case PositionKey::circle:
      return "circle";
    case PositionKey::two_circle:
      break;
  }
  return "two-circle";
}

const char* score_form_name(ScoreForm form) {
  return form == ScoreForm::product    ? "product"
         : form == ScoreForm::distance ? "distance"
                                       : "mixed distance";
}

double round_to_bits(double x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

FirstWrong first_wrong_position(PositionKey key, FloatFormat format, ScoreForm form,
                                std::uint64_t limit) {
  if (limit > kMaxLimit)
    throw InputError(fmt::format("first wrong position: expected at most {} positions, found {}",
                                 kMaxLimit, limit));
  if (form == ScoreForm::distance_mixed && key != PositionKey::phi)
    throw InputError("first wrong position: queries of another kind are for keys phi");
  FirstWrong result{key, format, form, std::nullopt, limit};
  result.position = format == FloatFormat::fp64 ? search<double>(result) : search<float>(result);
  return result;
}

std::vector<FirstWrong> positions_to_search(std::uint64_t limit) {
  std::vector<FirstWrong> all;
  for (const PositionKey key : kPositionKeys)
    for (const FloatFormat format : kFloatFormats)
      for (const ScoreForm form : kScoreForms)
        if (form != ScoreForm::distance_mixed || key == PositionKey::phi)
          all.push_back({key, format, form, std::nullopt, limit});
  return all;
}

}  // namespace logdepth::inline proofs_check_precision
