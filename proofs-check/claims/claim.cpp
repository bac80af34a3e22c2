#include "proofs-check/claims/claim.hpp"

namespace logdepth::inline proofs_check_claims {

std::string form_name(Form form) {
  switch (form) {
    case Form::as_written:
      return "as-written";
    case Form::repaired:
      return "repaired";
    case Form::optimised:
      return "optimised";
  }
  return "";
}

std::string full_name(const Claim& claim) {
  return claim.variant.empty() ? claim.id : claim.id + "/" + claim.variant;
}

Claim claim_named(const std::string& name, Form form) {
  Claim claim;
  const std::size_t slash = name.find('/');
  claim.id = name.substr(0, slash);
  if (slash != std::string::npos) claim.variant = name.substr(slash + 1);
  claim.form = form;
  return claim;
}

}  // namespace logdepth::inline proofs_check_claims
