#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace report_pictures {

/// What a run of a file of the division lemma says at one token.
struct DivisionResult {
  std::uint64_t dividend = 0, divisor = 1;           ///< as given
  std::optional<std::uint64_t> quotient, remainder;  ///< as read; absent: no natural number
  /// Whether they are phi of what is right, exactly.
  bool quotient_is_right = false, remainder_is_right = false;
};

/// Of every token of a file with the names of the division lemma (proofs-check/check/
/// divisions.hpp); none for other files, and where the input is not of natural numbers.
std::vector<DivisionResult> division_results(Runner& runner, const Tokens& tokens,
                                             const Stream<ValueId>& stream);

/// What is right of an input, as an oracle says it, and where the run leaves the program of its
/// file: a picture of the run shows in red what is otherwise. What is absent is not compared;
/// promises of heads always are.
struct RunReview {
  std::optional<std::string> wrong_answer = {};  ///< as a sentence: expected this, found that
  std::optional<bool> verdict = {};              ///< of the input, or of the pair of vertices
  std::optional<std::vector<PrefixAnswer>> prefixes = {};  ///< after the first 1, 2, ... letters
  std::optional<std::vector<std::vector<bool>>> reaches = {};  ///< [from][to]
  std::optional<FirstDifference> difference = {};

  /// Whether a run that is refused is drawn as far as it came. One in which a contract is broken
  /// always is.
  bool although_refused = false;
};

}}  // namespace logdepth::report_pictures
