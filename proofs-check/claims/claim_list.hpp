#pragma once

#include <string>
#include <vector>

#include "proofs-check/claims/claim.hpp"

namespace logdepth::inline proofs_check_claims {

/// Every claim, in the order of its paper: first as written, then repaired and optimised. They stand
/// in proofs-check/papers/PAPER/*_claims.cpp and *_defects.cpp; CMake lists them.
const std::vector<Claim>& all_claims();

/// The claims with this id ("thm-4.1") or this one ("thm-4.1/tree"), in order.
/// Errors: InputError that lists the ids when there is none.
std::vector<const Claim*> find_claims(const std::vector<Claim>& claims, const std::string& name);

/// One claim per defect of the text, checked against what the claims in `others` are.
std::vector<Claim> as_written_claims(const std::vector<Claim>& others);

}  // namespace logdepth::inline proofs_check_claims
