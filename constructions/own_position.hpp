#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth {

/// What the embedding says about positions: a rational code, or only which position is the first.
enum class ScanPositions { two_circle, circle, first_flag };
inline constexpr std::array kScanPositions = {ScanPositions::two_circle, ScanPositions::circle,
                                              ScanPositions::first_flag};
/// "two-circle", "circle", "first-flag": as the weights file will say.
const char* positions_name(ScanPositions positions);

/// The cells by which a token knows its own position.
struct OwnPosition {
  PositionCode code = PositionCode::two_circle;
  CellId one = 0;               ///< the constant
  CellId key = 0;               ///< I, the code of the own position
  std::optional<CellId> first;  ///< fst, first-flag only
  CellId ratio = 0;             ///< a, first-flag only: (p, 1)/(p+1)
};

/// Declares one, I and for the first-flag fst and a, fills them from the position encoding where
/// that is possible, and says under the hypotheses which encoding it is.
OwnPosition declare_own_position(Program& program, ScanPositions positions);

/// Computes the code of the own position into I and `pointers`, in one initial layer; only for the
/// first-flag.
void compute_own_position(Program& program, const OwnPosition& position,
                          const std::vector<CellId>& pointers);

}  // namespace logdepth
