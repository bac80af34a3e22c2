#pragma once

#include <string>

#include "proofs-check/check/graphs.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::support {

/// Fails, with the shrunk graph, unless a file is right on all graphs within the bounds.
Examination<AskedGraph> expect_right_on_graphs(const Model& model, const Bounds& bounds,
                                               const std::string& name);

}  // namespace logdepth::support
