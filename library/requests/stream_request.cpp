#include "library/requests/stream_request.hpp"

#include <numeric>

#include "compiler/file/carried_program.hpp"
#include "compiler/meaning/interpret.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/real_text.hpp"

namespace logdepth::inline library_requests {

Outcome<Tokens> declared_tokens(const Model& model, std::vector<std::vector<Real>> rows) {
  Outcome<Tokens> tokens = tokens_of(model, std::move(rows));
  const CarriedProgram carried(model, Trust::plausible);
  if (carried.trust() != Trust::plausible || !tokens.has_value()) return tokens;
  try {
    start_states(*carried.program(), tokens.value());
  } catch (const InputError& error) {
    return OutsideHypotheses{error.what()};
  }
  return tokens;
}

std::vector<std::vector<Real>> dividing_rows(const Model& model, std::uint64_t dividend,
                                             std::uint64_t divisor) {
  division_file(model);
  if (divisor == 0) throw InputError("--by: expected at least 1, found 0");
  DivisionInput input{divisor, std::vector<std::uint64_t>(static_cast<std::size_t>(dividend + 1))};
  std::iota(input.dividends.begin(), input.dividends.end(), std::uint64_t{0});
  return division_rows(model, input);
}

std::optional<DividedNumbers> divided_numbers(const Model& model,
                                              const std::vector<std::string>& logits) {
  const DivisionFile file = division_file(model);
  const auto number = [&](std::size_t first) -> std::optional<Rational> {
    const auto x = parse_real(logits[file.rows[first]]);
    const auto y = parse_real(logits[file.rows[first + 1]]);
    return x && y ? phi_argument(*x, *y) : std::nullopt;
  };
  const auto quotient = number(0), remainder = number(2);
  if (!quotient || !remainder) return std::nullopt;
  return DividedNumbers{quotient->text(), remainder->text()};
}

}  // namespace logdepth::inline library_requests
