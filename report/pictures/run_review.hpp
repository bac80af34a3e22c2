#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth::inline report_pictures {

/// What is right of an input, as an oracle says it, and where the run leaves the program of its
/// file: a picture of the run shows in red what is otherwise. What is absent is not compared;
/// promises of heads always are.
struct RunReview {
  std::optional<std::string> wrong_answer = {};  ///< as a sentence: expected this, found that
  std::optional<bool> verdict = {};              ///< of the input, or of the pair of vertices
  std::optional<std::vector<PrefixAnswer>> prefixes = {};  ///< after the first 1, 2, ... letters
  std::optional<std::vector<std::vector<bool>>> reaches = {};  ///< [from][to]
  std::optional<Difference> difference = {};

  /// Whether a run that is refused is drawn as far as it came. One in which a contract is broken
  /// always is.
  bool although_refused = false;
};

}  // namespace logdepth::inline report_pictures
