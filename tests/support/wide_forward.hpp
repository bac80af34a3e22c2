#pragma once

#include "tests/support/plain_forward.hpp"
#include "tests/support/real_oracle.hpp"

namespace logdepth {

/// The same definition in 714 bits, where no norm leaves a field. What is smaller than 2^-500 is
/// taken for zero, so that ties are ties.
PlainRunOf<laws::Wide> wide_forward(const Model& model, const Tokens& tokens);

}  // namespace logdepth
