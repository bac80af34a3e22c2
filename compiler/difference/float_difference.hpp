#pragma once

#include <optional>

#include "compiler/difference/first_difference.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/precision_facts.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline compiler_difference {

/// The first place where a floating-point run leaves the exact run of the same weights for another
/// reason than rounding: sublayer by sublayer, token by token, in the order of the coordinates, the
/// first number whose exact value is farther away than its error bound. Under the rules `plain` and
/// `snapped` the bounds presume that every decision was right, so this is the first consequence of
/// a wrong selection or a wrong test for zero; under `bounded` there must be none. The run stops
/// there. Precondition: options.temperature is absent (softmax has no bounds).
Outcome<std::optional<Difference>> first_float_difference(const Model& model,
                                                          const PrecisionFacts& facts,
                                                          const FloatOptions& options,
                                                          const Tokens& tokens);

}  // namespace logdepth::inline compiler_difference
