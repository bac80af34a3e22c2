#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "objects/action.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth::inline proofs_check_claims {

/// A language to try a construction on: what it compiles, and what judges it.
struct SampleLanguage {
  std::string name;  ///< the expression, or the monoid
  std::string text;
  std::function<Action()> action;
  AgainstLanguage against;
  std::size_t up_to = 0;  ///< every word of at most so many letters
};

SampleLanguage regex_sample(const std::string& expression, const std::string& text,
                            std::size_t up_to);
/// The word problem of a named monoid.
SampleLanguage monoid_sample(const std::string& name, std::size_t up_to);

}  // namespace logdepth::inline proofs_check_claims
