#pragma once

#include <string>
#include <vector>

#include "logdepth/compile.hpp"

namespace logdepth {

/// A theorem that was tried, and the step at which its proof fails.
struct FailedTheorem {
  std::string theorem;  ///< its name
  std::string reason;   ///< with layer, head or coordinate, and what was expected
};

/// What is proved of a transformer, or why nothing is.
struct Certification {
  std::string theorem;                ///< its name; empty where nothing is proved
  std::string scope;                  ///< "every length", "at most 16 letters"
  std::string statement;              ///< what `logdepth-recheck` prints
  bool outputs_proved = false;        ///< false: heads and norms, not what the outputs compute
  std::string certificate;            ///< the proof: the bytes that `logdepth certify -o` writes
  std::vector<FailedTheorem> failed;  ///< where nothing is proved, each theorem that was tried
  /// A theorem covers the weights.
  bool proved() const { return !theorem.empty(); }
};

/// Proves the weights correct for every word of every length, from the matrices alone, and checks the
/// proof with the code of `logdepth-recheck` (TRUST.md). Errors: none.
[[nodiscard]] Certification certify(const Transformer& transformer);

/// Checks a certificate, whoever made it, as `logdepth-recheck` does. Errors: InputError for what is no
/// certificate.
[[nodiscard]] Certification recheck(const Transformer& transformer, const std::string& certificate);

}  // namespace logdepth
