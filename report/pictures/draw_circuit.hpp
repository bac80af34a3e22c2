#pragma once

#include <string>

#include "report/pictures/circuit_cards.hpp"

namespace logdepth::inline report_pictures {

/// The network as one graph of Graphviz text: the residual stream runs down, every sublayer reads it
/// through its mask, card by card, and adds to it. The same model gives the same bytes.
std::string circuit_dot(const CircuitCards& circuit);

}  // namespace logdepth::inline report_pictures
