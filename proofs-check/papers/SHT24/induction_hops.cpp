// k-hop induction heads: Sanford, Hsu and Telgarsky, "Transformers, parallel computation, and
// logarithmic depth", 2024.
#include <fmt/core.h>

#include "constructions/SHT24/induction_hops_thm4_2.hpp"
#include "oracle/induction_hops_oracle.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_SHT24 {
namespace {

Claim hops_claim(const std::string& name, Form form) {
  Claim claim = claim_named(name, form);
  claim.title = "k-hop induction heads";
  claim.statement =
      "For every k a transformer of depth ceil(log2 k) + 2 outputs at every token the letter that "
      "k "
      "hops lead to, each to the place behind the last occurrence of the letter.";
  claim.source =
      "Sanford, Hsu and Telgarsky, \"Transformers, parallel computation, and logarithmic depth\" "
      "(2024), Definition 4.1 and Theorem 4.2";
  claim.file = "constructions/SHT24/induction_hops_thm4_2.cpp";
  claim.tests = {"tests/claims/induction_hops.cpp"};
  claim.claimed.text = "depth floor(log2 k) + 2";
  return claim;
}

Instance instance(const HopsOptions& options, std::size_t up_to) {
  const bool by_token = options.form == HopsForm::token;
  const std::string name = by_token ? "token" : std::to_string(options.hops);
  return {.name = fmt::format("{}k = {}, {} letters", by_token ? "up to " : "", options.hops,
                              options.letters),
          .program = [options] { return induction_hops(options); },
          .against = AgainstLanguage{"khop:" + name,
                                     [options, name, by_token] {
                                       return make_induction_hops_oracle(
                                           Alphabet(induction_hops(options).alphabet),
                                           by_token ? std::nullopt
                                                    : std::optional<std::uint64_t>(options.hops),
                                           "khop:" + name);
                                     }},
          .bounds = {up_to, 200, 60}};
}

}  // namespace

PaperPart SHT24_induction_hops() {
  Claim written = hops_claim("khop/fixed", Form::as_written);
  written.statement =
      "For every k a transformer of depth floor(log2 k) + 2 outputs at every token the letter that "
      "k hops lead to.";
  written.file.clear();
  written.tests.clear();
  written.reason =
      "for k that is no power of two this is one layer less than any network here: pointers "
      "doubled "
      "in each layer behind the first two reach 2^(L-2) hops; that no network does it was not "
      "shown";
  Claim fixed = hops_claim("khop/fixed", Form::optimised);
  for (const std::uint32_t hops : {1, 2, 3, 5, 16})
    fixed.instances.push_back(instance({HopsForm::fixed, hops, 3}, 6));
  Claim loops = hops_claim("khop/loops", Form::optimised);
  loops.statement =
      "For every power of two k a looped transformer of depth log2 k + 2 does the same, one loop "
      "per doubling.";
  loops.instances = {instance({HopsForm::loops, 8, 3}, 6)};
  Claim token = hops_claim("khop/token", Form::optimised);
  token.statement =
      "One network of depth ceil(log2 K) + 2 does it for every k up to K, with which "
      "the word begins.";
  token.instances = {instance({HopsForm::token, 5, 2}, 5), instance({HopsForm::token, 8, 2}, 4)};
  return {{written, fixed, loops, token}, {}};
}

}}  // namespace logdepth::proofs_check_papers_SHT24
