#include "runtime/columns/families.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <variant>

namespace logdepth { inline namespace runtime_columns {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

Wide checked_sum(Wide a, Wide b) {
  Wide sum;
  if (__builtin_add_overflow(a, b, &sum)) throw HandOver("a product of vectors beyond 128 bits");
  return sum;
}

mpz_class to_mpz(Wide x) {
  const UnsignedWide size = x < 0 ? -static_cast<UnsignedWide>(x) : static_cast<UnsignedWide>(x);
  mpz_class z = static_cast<unsigned long>(size >> 64);
  z <<= 64;
  z += static_cast<unsigned long>(size);
  return x < 0 ? mpz_class(-z) : z;
}

/// A number on this side of x, by more than doubles err, with eleven bits.
Rational rounded(double x, int side) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const auto n = static_cast<std::int64_t>(std::floor(mantissa * 1024)) + (side > 0 ? 2 : -1);
  const int shift = 10 - exponent;
  if (x == 0 || shift > 62) return {side > 0 ? 1 : -1, std::int64_t{1} << 62};
  return {n, std::int64_t{1} << shift};  // |x| <= 1: the shift is not negative
}

}  // namespace

bool all_zero(const Reals& numbers) {
  return std::ranges::all_of(numbers, [](const Real& x) { return x.is_zero(); });
}

bool add_denominator(std::int64_t& common, std::int64_t denominator) {
  return !__builtin_mul_overflow(common, denominator / std::gcd(common, denominator), &common);
}

WholeNumbers whole_numbers(const Reals& numbers) {
  std::int64_t denominator = 1;
  for (const Real& x : numbers) {
    const auto small = x.is_rational() ? x.rational_part().small() : std::nullopt;
    if (!small || !add_denominator(denominator, small->denominator)) return {};
  }
  WholeNumbers whole{{}, denominator};
  for (const Real& x : numbers) {
    const auto [n, d] = *x.rational_part().small();
    std::int64_t scaled;
    if (n == INT64_MIN || __builtin_mul_overflow(n, denominator / d, &scaled) ||
        scaled == INT64_MIN)
      return {};
    whole.numerators.push_back(scaled);
  }
  return whole;
}

std::vector<std::int64_t> integer_multiple(const Reals& numbers) {
  const auto irrational =
      std::ranges::find_if(numbers, [](const Real& x) { return !x.is_rational(); });
  if (irrational != numbers.end()) {
    Reals quotients;
    for (const Real& x : numbers) {
      auto quotient = rational_factor(x, *irrational);
      if (!quotient) throw HandOver("a vector of numbers without a common measure");
      quotients.emplace_back(irrational->sign() < 0 ? -*quotient : *std::move(quotient));
    }
    return integer_multiple(quotients);
  }
  WholeNumbers whole = whole_numbers(numbers);
  if (whole.denominator == 0) throw HandOver("a vector beyond 64 bits");
  std::int64_t content = 0;
  for (const std::int64_t x : whole.numerators) content = std::gcd(content, x);
  for (std::int64_t& x : whole.numerators) x /= std::max<std::int64_t>(content, 1);
  return std::move(whole.numerators);
}

void ColumnFamily::vector(std::size_t e, std::int64_t* out) const {
  if (kind == Kind::direction) {
    std::copy_n(vectors.data() + e * dims, dims, out);
    return;
  }
  const auto p = static_cast<std::int64_t>(e);
  if (code.kind == PositionCode::Kind::fine) {
    const std::int64_t a = 2 * p + code.parameter;
    out[0] = a * a - 1;
    out[1] = 2 * a;
  } else {
    const std::int64_t t = p + 1;
    out[0] = 1 - t * t;
    out[1] = 2 * t;
  }
}

/// Doubles are rounded outwards to eleven bits.
const std::pair<Rationals, Rationals>& ColumnFamily::measured() const {
  if (!measured_.first.empty()) return measured_;
  measured_ = {low, high};
  if (kind != Kind::direction) return measured_;
  std::vector<double> least(dims, 1), most(dims, -1);
  for (std::size_t e = 0; e < vectors.size(); e += dims) {
    double square = 0;
    for (std::uint32_t d = 0; d < dims; ++d)
      square += static_cast<double>(vectors[e + d]) * static_cast<double>(vectors[e + d]);
    for (std::uint32_t d = 0; d < dims; ++d) {
      const double x = static_cast<double>(vectors[e + d]) / std::sqrt(square);
      least[d] = std::min(least[d], x);
      most[d] = std::max(most[d], x);
    }
  }
  for (std::uint32_t d = 0; d < dims; ++d) {
    if (const auto below = rounded(least[d], -1); low[d] < below) measured_.first[d] = below;
    if (const auto above = rounded(most[d], 1); above < high[d]) measured_.second[d] = above;
  }
  return measured_;
}

void ColumnFamily::make_vectors(const std::shared_ptr<LabelMemory>& memory) {
  held_ = HeldBytes(memory, memory->tokens() * dims * sizeof(std::int64_t));
  vectors.resize(memory->tokens() * dims);
}

SharedFamily code_family(const Model& model, std::size_t tokens) {
  auto family = std::make_shared<ColumnFamily>(ColumnFamily::Kind::code);
  const auto* position = std::get_if<CodePosition>(&model.position);
  if (!position || position->fills.empty()) return family;
  // Components of vector() are below a^2, and have to stay within 62 bits.
  if (2 * std::uint64_t{tokens} + position->code.parameter >= std::uint64_t{1} << 31)
    throw HandOver("positions beyond 30 bits");
  family->code = position->code;
  family->dims = position->code.kind == PositionCode::Kind::two_circle ? 4 : 2;
  family->block = 2;
  const bool mirrored = position->code.kind == PositionCode::Kind::fine;
  for (std::uint32_t c = 0; c < family->dims; c += 2) {
    family->low.insert(family->low.end(), {Rational(mirrored ? 0 : -1), Rational(0)});
    family->high.insert(family->high.end(), {Rational(mirrored ? 1 : 0), Rational(1)});
  }
  return family;
}

bool is_block_scalar(const Reals& square, const ColumnFamily& family, Reals& multiples) {
  multiples.clear();
  if (family.block == 0) return false;
  const std::uint32_t n = family.dims;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j) {
      if (i != j && !square[i * n + j].is_zero()) return false;
      if (i == j && i % family.block != 0 && !(square[i * n + i] == square[(i - 1) * n + i - 1]))
        return false;
    }
  for (std::uint32_t c = 0; c < n; c += family.block) multiples.push_back(square[c * n + c]);
  return true;
}

Projection::Projection(const std::int64_t* g, const std::int64_t* vector, std::uint32_t dims)
    : square_(0) {
  for (std::uint32_t d = 0; d < dims; ++d) {
    dot_ = checked_sum(dot_, Wide(g[d]) * vector[d]);
    square_ = checked_sum(square_, Wide(vector[d]) * vector[d]);
  }
  if (dot_ < -std::numeric_limits<Wide>::max())
    throw HandOver("a product of vectors beyond 128 bits");
}

Projection Projection::operator-() const {
  Projection negated = *this;
  negated.dot_ = -dot_;
  return negated;
}

int Projection::compare(const Projection& a, const Projection& b) {
  if (a.sign() != b.sign() || a.sign() == 0) return (a.sign() > b.sign()) - (a.sign() < b.sign());
  // Of one sign: a / sqrt(s) and b / sqrt(t) compare as their squares do, a^2 t and b^2 s.
  Wide left, right;
  if (!__builtin_mul_overflow(a.dot_, a.dot_, &left) &&
      !__builtin_mul_overflow(left, b.square_, &left) &&
      !__builtin_mul_overflow(b.dot_, b.dot_, &right) &&
      !__builtin_mul_overflow(right, a.square_, &right))
    return ((left > right) - (left < right)) * a.sign();
  const mpz_class x = to_mpz(a.dot_), y = to_mpz(b.dot_);
  const mpz_class big_left = x * x * to_mpz(b.square_), big_right = y * y * to_mpz(a.square_);
  return (big_left > big_right) - (big_left < big_right) > 0 ? a.sign()
         : big_left == big_right                             ? 0
                                                             : -a.sign();
}

Reals transposed_product(const Reals& x, const Reals& y, std::size_t rows) {
  if (rows == 0) return {};
  const std::size_t a = x.size() / rows, b = y.size() / rows;
  Reals result(a * b);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < a; ++i)
      if (!x[r * a + i].is_zero()) add_multiple(result, i * b, y, r * b, b, x[r * a + i]);
  return result;
}

void add_multiple(Reals& into, std::size_t at, const Reals& from, std::size_t begin,
                  std::size_t count, const Real& weight) {
  for (std::size_t d = 0; d < count; ++d)
    if (!from[begin + d].is_zero()) add(into[at + d], weight * from[begin + d]);
}

void add(Real& into, const Real& x) {
  into = into.is_zero() ? x : into + x;
}

}}  // namespace logdepth::runtime_columns
