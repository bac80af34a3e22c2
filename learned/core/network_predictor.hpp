#pragma once

#include "learned/core/network.hpp"
#include "learned/records/predictor.hpp"

namespace logdepth::inline learned_core {

/// A network as measures see it. Several numbers of loops are one pass that is read out after each
/// of them; decoding keeps keys and values. The network must outlive the result.
Predictor predictor_of(const Network& network, TrainingConfig::Precision precision);

}  // namespace logdepth::inline learned_core
