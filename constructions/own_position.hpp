#pragma once

#include <array>
#include <optional>
#include <vector>

#include "constructions/construction.hpp"
#include "logdepth/program.hpp"

namespace logdepth { inline namespace constructions {

/// What the embedding says about positions: a rational code, or only which position is the first.
enum class ScanPositions { two_circle, circle, fine, first_flag };
inline constexpr std::array kScanPositions = {ScanPositions::two_circle, ScanPositions::circle,
                                              ScanPositions::fine, ScanPositions::first_flag};
/// "two-circle", "circle", "fine", "first-flag": as the weights file will say.
const char* positions_name(ScanPositions positions);

/// The option --positions of a construction that can use these, the one that it likes best first.
Option positions_option(const std::vector<ScanPositions>& possible = {kScanPositions.begin(),
                                                                      kScanPositions.end()});
ScanPositions positions_of(const Values& values);

/// The cells by which a token knows its own position.
struct OwnPosition {
  PositionCode code;
  cells::Constant one;
  std::optional<cells::Flag> first;    ///< fst, first-flag only: p = 0
  std::optional<cells::Number> ratio;  ///< a, first-flag only: (p, 1)/(p+1), raw
  cells::Key I;                        ///< the code of p
};

/// Declares one, I and for the first-flag fst and a, fills them from the position encoding where
/// that is possible, and says under the hypotheses which encoding it is. `parameter`: of the code,
/// L for the first-flag and b for fine.
OwnPosition declare_own_position(cells::Program& program, ScanPositions positions,
                                 std::uint32_t parameter = 1);

/// The code of the own position into I and `pointers`, in one initial layer for the first-flag; else
/// nothing, the encoding has done it. MS25 Lemma A.6, k = 0: the causal averages of [not first] and [first] are
/// (p, 1)/(p+1); that of (p, L) is phi(p/L).
cells::Statements own_position(const OwnPosition& position, const cells::CellList& pointers = {});

}}  // namespace logdepth::constructions
