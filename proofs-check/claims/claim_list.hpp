#pragma once

#include <string>
#include <vector>

#include "proofs-check/claims/claim.hpp"

namespace logdepth {

/// Every claim of MS25, in the order of the paper: first as written, then repaired and optimised.
const std::vector<Claim>& claims_MS25();

/// The claims with this id ("thm-4.1") or this one ("thm-4.1/tree"), in order.
/// Errors: InputError that lists the ids when there is none.
std::vector<const Claim*> find_claims(const std::vector<Claim>& claims, const std::string& name);

// The parts of the list, one file each.
std::vector<Claim> building_block_claims();
std::vector<Claim> division_claims();
std::vector<Claim> regular_language_claims();
std::vector<Claim> connectivity_claims();
/// Cor. 4.3, Cor. 5.2 and the numbers of §1: what follows from the formulas.
std::vector<Claim> number_claims();
/// Theorems about classes of networks, which no single weights file can show.
std::vector<Claim> unexecuted_claims();
/// One claim per defect of the text, checked against what the claims in `others` are.
std::vector<Claim> as_written_claims(const std::vector<Claim>& others);

}  // namespace logdepth
