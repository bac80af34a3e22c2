#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/meaning/cell_states.hpp"

namespace logdepth::inline compiler_meaning {

/// The code of a position, component by component.
std::vector<Real> code_of(PositionCode code, std::uint64_t position);

/// What the cells of a program hold at one moment, in the words of the program.
class CellReader {
 public:
  CellReader(const Program& program, const CellStates& states)
      : program_(program), states_(states) {}

  std::uint32_t size(CellId id) const { return size_of(program_.cells[id].type); }
  std::vector<Real> cell(std::size_t token, CellId id) const;
  bool blank(std::size_t token, CellId id) const;
  bool holds(std::size_t token, const Literal& literal) const;
  Real value(std::size_t token, const LinearForm& form) const;

 private:
  const Program& program_;
  const CellStates& states_;
};

}  // namespace logdepth::inline compiler_meaning
