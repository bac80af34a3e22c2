#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/exact/run_model.hpp"

namespace logdepth::inline report_pictures {

/// What a run of a file of the division lemma says at one token.
struct DivisionResult {
  std::uint64_t dividend = 0, divisor = 1;           ///< as given
  std::optional<std::uint64_t> quotient, remainder;  ///< as read; absent: no natural number
  /// Whether they are phi of what is right, exactly.
  bool quotient_is_right = false, remainder_is_right = false;
};

/// Of every token of a file with the names of the division lemma (proofs-check/check/
/// test_division.hpp); none for other files, and where the input is not of natural numbers.
std::vector<DivisionResult> division_results(Runner& runner, const Tokens& tokens,
                                             const Stream<ValueId>& stream);

}  // namespace logdepth::inline report_pictures
