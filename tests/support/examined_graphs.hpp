#pragma once

#include <string>

#include "proofs-check/check/graphs.hpp"

namespace logdepth::support {

/// Fails, with the shrunk graph, unless a file was asked and was right on every graph.
void expect_right_on_graphs(const Examination<AskedGraph>& report, const std::string& name);

}  // namespace logdepth::support
