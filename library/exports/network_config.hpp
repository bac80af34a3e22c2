#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "library/exports/self_test.hpp"
#include "logdepth/export.hpp"

namespace logdepth::exports {

/// config.json (library/exports/README.md): all that is not a matrix.
nlohmann::json network_config(const Model& model, const Network& network, const SelfTest& test,
                              const ExportSettings& settings);

/// A page for whoever receives an export (README.md of a folder): what the network computes, how it
/// is opened, where its answers are read, what is proved and what is tested. `config`:
/// that of network_config, with `unrolled`.
std::string model_card(const nlohmann::json& config, ExportTarget target, bool certificate);

/// The bytes of an ONNX model: inputs `tokens` [batch, length] (and `given` [batch, length, values]),
/// any number of tokens up to the network's; outputs `logits` [batch, length, rows] and the stream
/// after every layer. Loops are those of the longest input. The configuration goes into its metadata.
std::string onnx_graph(const Model& model, const Network& network, const FloatArrays& arrays,
                       const nlohmann::json& config);

}  // namespace logdepth::exports
