// The text as it stands, one claim per defect: the repaired construction with one change back.
#include <algorithm>

#include "proofs-check/claims/claim_list.hpp"

namespace logdepth::inline proofs_check_claims {

std::vector<Claim> as_written_claims(const std::vector<Claim>& others) {
  std::vector<Claim> claims;
  for (const Defect& defect : all_defects()) {
    Claim claim = claim_named(defect.id, Form::as_written);
    claim.paper = defect.paper;
    const auto same = std::find_if(others.begin(), others.end(), [&](const Claim& other) {
      return other.paper == claim.paper && other.id == claim.id;
    });
    if (same != others.end()) {
      claim.title = same->title;
      claim.claimed.text = same->claimed.text;
      claim.claimed.initial = same->claimed.initial;
      claim.claimed.repeated = same->claimed.repeated;
      claim.claimed.final = same->claimed.final;
    }
    if (claim.title.empty()) claim.title = defect.place;
    claim.statement = defect.quote;
    claim.source = defect.paper + ", " + defect.place;
    claim.file = defect.file;
    claim.tests = {"tests/claims/defects.cpp"};
    claim.defect = &defect;
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace logdepth::inline proofs_check_claims
