#pragma once

#include <nlohmann/json.hpp>

#include "recheck/weights.hpp"

namespace logdepth::inline proofs_check_certify {

/// A certificate of the theorem of scans: product cells, what their labels stand for, pointers of the loop. Throws
/// recheck::Refused where there is nothing to take them from.
nlohmann::json scan_certificate(const recheck::Weights& weights);

/// The same of the theorem of the tree: product cells, and the coordinates that tell whether a token is active.
nlohmann::json tree_certificate(const recheck::Weights& weights);

}  // namespace logdepth::inline proofs_check_certify
