// MS25 Lemma 3.1: fixed depth transformers divide small integers.
#include "constructions/MS25/division_floor_lem3_1.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "proofs-check/claims/claim_list.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

Claim division(const std::string& name, Form form, const DivisionOptions& options) {
  Claim claim = claim_named(name, form);
  claim.title = "Division of small integers";
  claim.statement =
      "If the stream of every token i holds psi(i), psi(m) and phi(a_i), a_i <= i, a "
      "transformer with causal heads and masked pre-norm adds phi(floor(a_i / m)) and "
      "phi(a_i mod m).";
  claim.source = "MS25 §3, Lemma 3.1 and Appendix B";
  claim.file = "constructions/MS25/division_lem3_1.cpp";
  claim.tests = {"tests/claims/division.cpp"};
  claim.claimed.text = "7 layers";
  claim.claimed.initial = 7;
  claim.claimed.repeated = claim.claimed.final = 0;
  claim.claimed.depth = [](std::uint64_t) { return std::uint64_t{7}; };

  Instance instance;
  instance.program = [options] { return division_MS25_lem3_1(options); };
  instance.against = AgainstDivision{};
  // phi(i) and dir(i, m) as given numbers have the same cost as computed ones.
  instance.bounds = {48, 2, 512};
  claim.instances.push_back(instance);
  return claim;
}

/// One network for a given length.
Claim floor_division(const std::string& name, bool own_argument) {
  constexpr std::uint64_t kLength = 512;
  Claim claim = division(name, Form::optimised, {});
  claim.file = "constructions/MS25/division_floor_lem3_1.cpp";
  claim.tests = {"tests/claims/division_floor.cpp"};
  claim.hypotheses = {"phi(i), dir(i, m) and dir(i, L) are given as unit vectors, not raw psi",
                      "one network for at most 8 L tokens"};
  if (own_argument) claim.hypotheses.push_back("a_i = i: every position divides itself");
  claim.instances[0].program = [own_argument] {
    return division_floor_MS25_lem3_1(kLength, own_argument);
  };
  return claim;
}

}  // namespace

std::vector<Claim> MS25_lem3_1_claims() {
  std::vector<Claim> claims = {
      division("lem-3.1/paper", Form::repaired, {DivisionForm::paper}),
      division("lem-3.1/compact", Form::optimised, {DivisionForm::compact}),
      division("lem-3.1/own-argument", Form::optimised, {DivisionForm::compact, true}),
      division("lem-3.1/unit-inputs", Form::optimised, {DivisionForm::compact, false, true}),
      division("lem-3.1/own-argument-unit-inputs", Form::optimised,
               {DivisionForm::compact, true, true}),
      floor_division("lem-3.1/floor", false),
      floor_division("lem-3.1/floor-own-argument", true)};
  claims[0].picture = claims[1].picture = true;
  claims[2].hypotheses = {"a_i = i: every position divides itself"};
  claims[3].hypotheses = {"phi(i) and dir(i, m) are given as unit vectors, not raw psi"};
  claims[4].hypotheses = {"a_i = i, and phi(i) and dir(i, m) are given as unit vectors"};
  return claims;
}

}  // namespace logdepth::inline proofs_check_papers_MS25
