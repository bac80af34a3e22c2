#pragma once

#include <cstdint>

#include "compiler/program/program.hpp"
#include "constructions/construction.hpp"

namespace logdepth { inline namespace constructions_MS25 {

/// The option --own-argument of the constructions that have it.
inline Option own_argument_option() {
  return {"own-argument", FlagOption{}, "a_i = i: divide the position itself (compact, floor)"};
}

enum class DivisionForm {
  compact,  ///< fewest layers from the lemma's own hypothesis
  paper     ///< the paper's seven steps, repaired
};

/// What the lemma may assume to be in the stream.
struct DivisionOptions {
  DivisionForm form = DivisionForm::compact;
  /// a_i = i: the result is that of the position itself; no `a` in the input (compact only).
  bool own_argument = false;
  /// The unit vectors phi(i) and dir(i, m) are given instead of raw psi(i), psi(m) (compact only).
  bool unit_inputs = false;
};

/// MS25 Lemma 3.1. Input `cells`: raw `i` = (i, 1) at position i, raw `m` = (m, 1) with m >= 1, and
/// unit `a` = phi(a_i) with 0 <= a_i <= i. Outputs at every token: `quotient` = phi(floor(a_i / m))
/// and `remainder` = phi(a_i mod m), where phi(x) = (x, 1)/sqrt(x^2 + 1). Everything else that the
/// network wrote is zero again, but with own_argument, where nothing is taken back. Source: MS25 Lemma 3.1 and Appendix B.
Program division_MS25_lem3_1(const DivisionOptions& options = {});

/// MS25 Lemma 3.1 for inputs of at most `length` tokens, by a look-up that rounds down. Input
/// `cells`, with L = ceil(length / 8): unit `I` = phi(i), `I<L>` = dir(i, L), `R` = dir(i, m) with
/// m >= 1, and without `own_argument` `a` = phi(a_i) with 0 <= a_i <= i. Outputs as in
/// division_MS25_lem3_1. 3 layers, 2 with `own_argument` (a_i = i). Errors: InputError for length 0,
/// SizeLimit above 2^24.
Program division_floor_MS25_lem3_1(std::uint64_t length, bool own_argument);

}}  // namespace logdepth::constructions_MS25
