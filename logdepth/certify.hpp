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

/// What is certified of a transformer, or why nothing is.
struct Certification {
  std::string theorem;                ///< its name; empty where there is none
  std::string scope;                  ///< "every length", "at most 16 letters"
  std::string statement;              ///< what `logdepth-recheck` prints
  bool outputs_certified = false;     ///< false: nothing, or selections (heads and norms) alone
  std::string certificate;            ///< the proof: the bytes that `logdepth certify -o` writes
  std::vector<FailedTheorem> failed;  ///< where there is no theorem, each that was tried
  /// A theorem is about the answers. The theorem `selections` is not: its outputs may be wrong.
  bool certified() const { return outputs_certified; }
};

/// Certifies the weights correct for every word of every length, from the matrices alone, or, where no theorem is about
/// the answers, what heads select: the code of `logdepth-recheck` accepts the certificate (TRUST.md). Errors: none.
[[nodiscard]] Certification certify(const Transformer& transformer);

/// Checks a certificate, whoever made it, as `logdepth-recheck` does. Errors: InputError for what is no
/// certificate.
[[nodiscard]] Certification recheck(const Transformer& transformer, const std::string& certificate);

}  // namespace logdepth
