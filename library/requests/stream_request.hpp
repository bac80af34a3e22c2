#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/numbers/real.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline library_requests {

/// Raw streams as tokens. They have to be what the file's program says of its input, if the file
/// carries one that fits: all proofs start from that. Weights of another origin say nothing about
/// their input. Errors: InputError, as tokens_of.
Outcome<Tokens> declared_tokens(const Model& model, std::vector<std::vector<Real>> rows);

inline constexpr std::uint64_t kLargestDividend = 1000000;
/// The raw streams that end with the token that divides: position i may divide at most i, so every
/// position divides its own number, the last one what is asked. Errors: InputError where the file is
/// none of the division lemma, and for the divisor 0.
std::vector<std::vector<Real>> dividing_rows(const Model& model, std::uint64_t dividend,
                                             std::uint64_t divisor);

/// Quotient and remainder, exactly.
struct DividedNumbers {
  std::string quotient, remainder;
};
/// What these logits of a token say, as texts; absent where they are the codes of no numbers, as in
/// floating point.
std::optional<DividedNumbers> divided_numbers(const Model& model,
                                              const std::vector<std::string>& logits);

}  // namespace logdepth::inline library_requests
