// Past temporal logic: Yang, Chiang and Angluin, "Masked hard-attention transformers recognize exactly
// the star-free languages", 2024.
#include "constructions/YCA24/past_ltl.hpp"

#include "oracle/past_ltl_oracle.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_YCA24 {
namespace {

Claim ltl_claim(const std::string& name, Form form) {
  Claim claim = claim_named(name, form);
  claim.title = "Past temporal logic";
  claim.statement =
      "For every formula of past temporal logic a transformer accepts the words at whose last "
      "letter "
      "it holds, at most one layer per temporal operator inside another.";
  claim.source =
      "Yang, Chiang and Angluin, \"Masked hard-attention transformers recognize exactly the "
      "star-free "
      "languages\" (2024)";
  claim.claimed.text = "a transformer for every formula";
  return claim;
}

}  // namespace

PaperPart YCA24_past_ltl() {
  Claim past = ltl_claim("ltl/past", Form::optimised);
  Claim all = ltl_claim("ltl/future", Form::as_written);
  all.statement =
      "The same for every formula of temporal logic, operators of the future among them.";
  all.reason =
      "an operator of the future reads later positions, which no causal head sees, and heads that "
      "see "
      "all select the last position, never the first to the right";
  past.file = "constructions/YCA24/past_ltl.cpp";
  past.tests = {"tests/claims/past_ltl.cpp"};
  for (const std::string text : {"H(a -> Y b)", "b & Y(b & Y a)", "(a S b) -> O(a & Y a)"})
    past.instances.push_back(
        {.name = text,
         .program =
             [text] {
               return past_ltl(parse_past_formula(text, std::vector<std::string>{"a", "b"}), text);
             },
         .against = AgainstLanguage{"ltl:" + text,
                                    [text] {
                                      return make_past_ltl_oracle(
                                          parse_past_formula(text,
                                                             std::vector<std::string>{"a", "b"}),
                                          "ltl:" + text);
                                    }},
         .bounds = {8, 60, 100}});
  return {{all, past}, {}};
}

}}  // namespace logdepth::proofs_check_papers_YCA24
