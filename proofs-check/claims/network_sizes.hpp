#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "compiler/program/program.hpp"
#include "objects/action.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth::inline proofs_check_claims {

/// MS25 §2 and footnote 4: networks for inputs of at most n letters, on all of those lengths. The
/// words of a length are each letter again and again and two drawn with seed 1; the verdict and
/// every prefix are compared with the product of the letters.

/// For every n up to `largest` the looped network unrolled: as deep as that on n letters, without
/// loops, the same numbers in the residual stream where both have as many layers, and right on every
/// shorter word too.
Calculation unrolled_network(const Program& program, const Action& action, const std::string& name,
                             std::uint64_t largest);

/// For every n up to `largest` the network of n, on words of 0 to n letters.
Calculation on_shorter_words(const std::function<Program(std::uint64_t n)>& network,
                             const Action& action, const std::string& name, std::uint64_t largest);

}  // namespace logdepth::inline proofs_check_claims
