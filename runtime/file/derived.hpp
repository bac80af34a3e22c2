#pragma once

#include <string>

#include "runtime/file/model.hpp"

namespace logdepth::inline runtime_file {

/// What of a model follows from the rest of it.

/// The depth counted on the layers and loops, with the largest input: "ceil(log2 n) + 1",
/// "3, n <= 8".
[[nodiscard]] std::string stated_depth(const Model& model);

/// Nothing is known of the numbers: right for any weights file.
PrecisionFacts no_facts(const Model& model);

}  // namespace logdepth::inline runtime_file
