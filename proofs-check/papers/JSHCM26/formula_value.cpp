// The value of formulas: Jerad et al., arXiv 2601.01754, 2026.
#include "constructions/JSHCM26/formula_value_lem4_1.hpp"
#include "oracle/formula_oracle.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_JSHCM26 {
namespace {

Instance instance(const std::string& algebra, std::size_t up_to) {
  return {.name = algebra,
          .program = [algebra] { return formula_value({algebra}); },
          .against = AgainstLanguage{"formula:" + algebra,
                                     [algebra] {
                                       return make_formula_oracle(
                                           Alphabet(formula_value({algebra}).alphabet), algebra);
                                     }},
          .bounds = {up_to, 100, 40}};
}

}  // namespace

PaperPart JSHCM26_formula_value() {
  Claim claim = claim_named("formula/two-squares", Form::optimised);
  claim.title = "Value of formulas";
  claim.statement =
      "A looped transformer of depth 4 ceil(log2 n) + 7 finds the value of every formula of n "
      "letters in postfix order and refuses all other words, without padding.";
  claim.source =
      "Jerad et al., arXiv 2601.01754 (2026), Lemma 4.1 and Corollary 4.1; Rytter (1985)";
  claim.claimed.text = "O(log n) loops";
  claim.file = "constructions/JSHCM26/formula_value_lem4_1.cpp";
  claim.tests = {"tests/claims/formula_value.cpp"};
  claim.instances = {instance("boolean", 6), instance("mod2", 6), instance("mod3", 5)};
  return {{claim}, {}};
}

}}  // namespace logdepth::proofs_check_papers_JSHCM26
