#pragma once

#include <string>

#include "runtime/file/model.hpp"

namespace logdepth {

/// The network as Graphviz text: the residual stream runs down on the left, every sublayer reads it
/// through its mask, one card per head and per group of feed-forward units, and adds to it. Read
/// from the weights file alone (circuit_view.hpp); the same model gives the same bytes.
std::string circuit_dot(const Model& model);

}  // namespace logdepth
