#include "runtime/file/position_code.hpp"

#include <bit>

namespace logdepth::inline runtime_file {

std::array<Real, 2> phi_code(const Rational& x) {
  const Rational square = x * x + Rational(1);
  return {Real(x).divided_by_root(square), Real(1).divided_by_root(square)};
}

std::array<Rational, 2> circle(const Rational& t) {
  const Rational square = t * t;
  const Rational scale = (Rational(1) + square).inverse();
  return {(Rational(1) - square) * scale, Rational(2) * t * scale};
}

std::vector<Rational> circle_code(std::uint64_t position) {
  const auto point = circle(Rational(static_cast<std::int64_t>(position + 1)));
  return {point[0], point[1]};
}

std::vector<Rational> two_circle_code(std::uint64_t position) {
  const std::uint64_t t = position + 1;
  const int level = static_cast<int>(std::bit_width(t)) - 1;
  const auto within = circle(Rational(static_cast<std::int64_t>(t), std::int64_t{1} << level));
  const auto which = circle(Rational(level + 1));
  return {within[0], within[1], which[0], which[1]};
}

std::vector<Rational> fine_code(std::uint32_t b, std::uint64_t position) {
  const auto point = circle(Rational(static_cast<std::int64_t>(2 * position + b)));
  return {-point[0], point[1]};
}

std::vector<Rational> rational_code(PositionCode code, std::uint64_t position) {
  if (code.kind == PositionCode::Kind::two_circle) return two_circle_code(position);
  return code.kind == PositionCode::Kind::fine ? fine_code(code.parameter, position)
                                               : circle_code(position);
}

}  // namespace logdepth::inline runtime_file
