#include "report/pictures/run_answers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace logdepth { inline namespace report_pictures {
namespace {

/// Natural numbers beyond this one are not drawn.
constexpr double kLargest = 1 << 20;

/// The x of (x, 1) times a positive number.
std::optional<std::uint64_t> natural(const std::pair<Real, Real>& code) {
  const double below = code.second.approximate().value;
  if (below <= 0) return std::nullopt;
  const double x = std::round(code.first.approximate().value / below);
  if (!(x >= 0 && x <= kLargest)) return std::nullopt;
  const auto number = static_cast<std::uint64_t>(x);
  if (!(code.second * Real(Rational(static_cast<std::int64_t>(number))) == code.first))
    return std::nullopt;
  return number;
}

/// Whether this is phi(x) = (x, 1) / sqrt(x^2 + 1).
bool is_phi(const std::pair<Real, Real>& code, std::uint64_t x) {
  const Rational number(static_cast<std::int64_t>(x));
  const Rational square = number * number + Rational(1);
  return code.second == Real(1).divided_by_root(square) &&
         code.first == Real(number).divided_by_root(square);
}

/// The places of NAME.0 and NAME.1 in a list of names.
using Places = std::pair<std::size_t, std::size_t>;
std::optional<Places> places(const std::vector<std::string>& names, const std::string& name) {
  const auto first = std::find(names.begin(), names.end(), name + ".0");
  const auto second = std::find(names.begin(), names.end(), name + ".1");
  if (first == names.end() || second == names.end()) return std::nullopt;
  return Places(first - names.begin(), second - names.begin());
}

std::pair<Real, Real> at(const std::vector<Real>& values, const Places& where) {
  return {values[where.first], values[where.second]};
}

}  // namespace

std::vector<DivisionResult> division_results(Runner& runner, const Tokens& tokens,
                                             const Stream<ValueId>& stream) {
  const auto* input = std::get_if<CellsInput>(&runner.model().input);
  const auto* output = std::get_if<CellsOutput>(&runner.model().output);
  if (!input || !output) return {};
  const auto divisor = places(input->names, "m"), dividend = places(input->names, "a");
  const auto quotient = places(output->names, "quotient");
  const auto remainder = places(output->names, "remainder");
  if (!divisor || !quotient || !remainder) return {};
  std::vector<DivisionResult> results;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    const auto by = natural(at(tokens.given[token], *divisor));
    const auto what = dividend ? natural(at(tokens.given[token], *dividend)) : token;
    if (!by || *by == 0 || !what) return {};
    const std::vector<Real> logits = runner.logits(stream, token);
    const auto q = at(logits, *quotient), r = at(logits, *remainder);
    results.push_back(
        {*what, *by, natural(q), natural(r), is_phi(q, *what / *by), is_phi(r, *what % *by)});
  }
  return results;
}

}}  // namespace logdepth::report_pictures
