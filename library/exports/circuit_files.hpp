#pragma once

#include <string>

#include "compiler/file/circuit.hpp"
#include "logdepth/export.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// The files of `--to circuit` (docs/circuits.md).

/// circuit.json. Edges of kind `none` are left out: they are all the others that are possible.
std::string circuit_json(const Model& model, const Circuit& circuit, CircuitNorms norms);

/// Writes circuit.json and what EAP-IG, auto-circuit and pyvene read, with pairs of words that differ in a letter and in
/// the verdict. Errors: ExportRefused for a network without verdict where pairs are asked for, and for inputs
/// that are no words; InputError for a length that is none or beyond the file's limit.
ExportReport write_circuit(const Model& model, const ExportSettings& settings,
                           const std::string& path);

}  // namespace logdepth::exports
