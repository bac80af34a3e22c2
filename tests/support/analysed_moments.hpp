#pragma once

#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"
#include "tests/support/token_ranges.hpp"

namespace logdepth::support {

/// What the tokens of any compiled program can hold before each sublayer, as far as the compiler's
/// analysis knows it (compiler/analysis, in the states that the masks are typed in): tokens by kind and
/// by whether they are first, cells each by itself. More than what occurs, never less.
/// Precondition: `model` is the program's, not unrolled.
Moments analysed_moments(const Program& program, const Model& model);

}  // namespace logdepth::support
