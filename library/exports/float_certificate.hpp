#pragma once

#include <string>

#include "library/exports/float_bounds.hpp"
#include "library/exports/network.hpp"
#include "logdepth/export.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// A certificate of floating-point answers, for recheck/float_recheck.py: a network, and bounds for
/// every word up to its length.
struct CertifiedNetwork {
  Network network;
  FloatBounds bounds;
};

/// The network of an export, with temperatures and tolerances by what is shown of every word rather
/// than by separation laws. Errors: as network_of and choose_weighing; ExportWrong for what is not
/// shown, naming layer and head.
CertifiedNetwork certified_network(const Model& model, const ExportSettings& settings);

/// The certificate as JSON. `tensors`: hash of model.safetensors, empty without an export.
std::string float_certificate(const Model& model, const CertifiedNetwork& certified,
                              const std::string& tensors);

/// What it says, in sentences.
std::string certificate_text(const CertifiedNetwork& certified);

}  // namespace logdepth::exports
