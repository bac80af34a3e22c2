#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/analysis/abstract_interpretation.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace compiler_lemmas {

/// Query and key of a head as linear forms of cells, one pair per score dimension. Cells are read up
/// to one common positive factor, which does not move an arg max.
struct HeadSchema {
  std::vector<LinearForm> query, key;
};

/// The score of a selector. The comments of head_schema.cpp prove, for each kind of selector, the
/// inequality that makes its arg max the selected set, for every position and every length.
HeadSchema head_schema(const Program& program, const Selector& selector);

/// How far the numbers of different values lie apart, at least, in a run of size N: positions are
/// below N, and N >= 2 wherever two positions are compared. The inequalities are proved in
/// head_schema.cpp, for every N.

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

/// The length of the query of a term of `find` in a run that keeps the head's contract, or 1 if it is
/// longer; absent where nothing is proved.
std::optional<SeparationLaw> query_length(const Program& program, const Ratio& wanted);

/// The law that follows from each of several for N >= 2. Precondition: at least one.
SeparationLaw least(std::span<const SeparationLaw> laws);

/// How large a component of a number cell is at least where it is not zero, in every run of size N,
/// proved from how it came about; absent where nothing is proved.
std::optional<SeparationLaw> zero_law(const Program& program, const Component& number,
                                      const AbstractState& contents);

}}  // namespace logdepth::compiler_lemmas
