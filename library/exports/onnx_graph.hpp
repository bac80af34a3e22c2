#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "library/exports/float_arrays.hpp"

namespace logdepth::exports {

/// The bytes of an ONNX model: inputs `tokens` [batch, length] (and `given` [batch, length, values]),
/// any number of tokens up to the network's; outputs `logits` [batch, length, rows] and the stream
/// after every layer. Loops are those of the longest input. The configuration goes into its metadata.
template <class Real>
std::string onnx_graph(const Model& model, const Network& network, const FloatArrays<Real>& arrays,
                       const nlohmann::json& config);

}  // namespace logdepth::exports
