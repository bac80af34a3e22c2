#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/compare.hpp"
#include "runtime/file/model.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace compiler_difference {

/// "layer 3, attention, token 5, cell x[0]: expected 1, found 0"
std::string describe(const FirstDifference& difference);

/// The first place where the exact run of a weights file leaves the meaning of its program; its `text` is left empty.
/// Interprets the program sublayer by sublayer beside an exact run of the weights, comparing every
/// cell of every token, that mirrors hold the negative and padding holds zero, then every output
/// and prefix product or state of every token, last the number of loops, and stops at the first difference. The model needs its index
/// of cells.
/// Errors: InputError when a cell is missing in the index or the depths do not correspond.
Outcome<std::optional<FirstDifference>> first_difference(const Program& program, const Model& model,
                                                         const Tokens& tokens);
/// The same for a word.
Outcome<std::optional<FirstDifference>> first_difference(const Program& program, const Model& model,
                                                         const std::vector<std::string>& letters);

/// The first place where a floating-point run leaves the exact run of the same weights for another
/// reason than rounding: sublayer by sublayer, token by token, in the order of the coordinates, the
/// first number whose exact value is farther away than its error bound. Under the rules `plain` and
/// `snapped` the bounds presume that every decision was right, so this is the first consequence of
/// a wrong selection or a wrong test for zero; under `bounded` there must be none. The run stops
/// there. Precondition: options.temperature is absent (softmax has no bounds).
Outcome<std::optional<FirstDifference>> first_float_difference(const Model& model,
                                                               const PrecisionFacts& facts,
                                                               const FloatOptions& options,
                                                               const Tokens& tokens);

}}  // namespace logdepth::compiler_difference
