#pragma once

#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_lemmas {

/// Query and key of a head as linear forms of cells, one pair per score dimension. Cells are read up
/// to one common positive factor, which does not move an arg max.
struct HeadSchema {
  std::vector<LinearForm> query, key;
};

/// The score of a selector. The comments of head_schema.cpp prove, for each kind of selector, the
/// inequality that makes its arg max the selected set, for every position and every length.
HeadSchema head_schema(const Program& program, const Selector& selector);

}  // namespace logdepth::inline compiler_lemmas
