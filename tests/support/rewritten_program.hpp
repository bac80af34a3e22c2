#pragma once

#include "compiler/program/program.hpp"
#include "logdepth/program.hpp"

namespace logdepth::support {

/// A program written down once more, item by item, with the words of the builder.
/// Precondition: the program keeps the types that the words have; its factors have at most 63 bits.
cells::Program rewritten(const Program& program);

}  // namespace logdepth::support
