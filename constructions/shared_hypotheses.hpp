#pragma once

#include <string>

#include "runtime/file/hypotheses.hpp"

namespace logdepth::inline constructions {

/// Hypotheses that several constructions have.
inline std::string causal_network() {
  return clause(Assumption::causal_heads) + ", masked pre-norm without epsilon, exact numbers";
}
/// Neither is said of all heads.
inline std::string causal_and_unmasked_network() {
  return "averaging-hard attention, causal and unmasked heads, masked pre-norm without epsilon, "
         "exact "
         "numbers";
}
inline std::string words_of_any_length() {
  return clause(Assumption::begin_token) + ", then the letters; " + clause(Assumption::any_length) +
         ", the empty word included";
}

}  // namespace logdepth::inline constructions
