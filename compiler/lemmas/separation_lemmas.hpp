#pragma once

#include <optional>
#include <span>

#include "compiler/program/program.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth::inline compiler_lemmas {

/// How far the numbers of different values lie apart, at least, in a run of size N: positions are
/// below N, and N >= 2 wherever two positions are compared. The inequalities are proved in
/// separation_lemmas.cpp, for every N.

/// k.k - q.k of the codes k, q of two different positions.
SeparationLaw code_gap(PositionCode code);
/// The same for the query (e - back, L) of unit length and the code phi over L of max(e - back, 0),
/// e and the other positions below N.
SeparationLaw shifted_phi_gap(std::uint32_t L, std::uint32_t back);
/// 1 - q.k of two different directions of integer vectors with `size` components, which are at most
/// bound * N in absolute value.
SeparationLaw direction_gap(std::uint32_t size, std::uint32_t bound);

/// The numbers that component 0 of a unit vector of two components can be.
struct FirstComponent {
  /// The code of a position; absent: of an integer vector, by `bound` as above.
  std::optional<PositionCode> code;
  std::uint32_t bound = 1;
};
/// |a - b| of two such numbers a != b. Absent for a rational code beside another kind.
std::optional<SeparationLaw> difference(const FirstComponent& a, const FirstComponent& b);

/// The law that follows from each of several for N >= 2. Precondition: at least one.
SeparationLaw least(std::span<const SeparationLaw> laws);

}  // namespace logdepth::inline compiler_lemmas
