#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "compiler/program/program.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::inline compiler_meaning {

/// The cells of every token at one moment of a program.
struct CellStates {
  std::size_t tokens = 0;
  std::vector<std::size_t> first;  ///< per cell: offset of its component 0 in a row
  std::size_t row_size = 0;
  std::vector<Real> values;  ///< tokens x row_size
  /// N of DirectionType::integers: the number of tokens, or the largest given natural number if
  /// that is larger.
  Rational size;

  Real& at(std::size_t token, const Component& c) {
    return values[token * row_size + first[c.cell] + c.index];
  }
  const Real& at(std::size_t token, const Component& c) const {
    return values[token * row_size + first[c.cell] + c.index];
  }
};

/// The program broke what one of its own statements says while it was interpreted: a pointer that
/// codes no visible position, a lookup without exactly one rule, a write to an occupied cell,
/// something to find that is not there.
class BrokenProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace logdepth::inline compiler_meaning
