#pragma once

#include <optional>

#include "compiler/analysis/abstract_value.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth::inline compiler_lemmas {

/// How large a component of a number cell is at least where it is not zero, in every run of size N,
/// proved from how it came about; absent where nothing is proved.
std::optional<SeparationLaw> zero_law(const Program& program, const Component& number,
                                      const AbstractState& contents);

}  // namespace logdepth::inline compiler_lemmas
