// MS25 Theorem 4.1 and Corollary 4.2: log depth recognises regular languages.
#include <fmt/core.h>

#include <utility>

#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "constructions/MS25/regular_language_uniform_radix_cor4_2.hpp"
#include "proofs-check/claims/claim_list.hpp"
#include "proofs-check/claims/sample_languages.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_papers_MS25 {
namespace {

/// One aperiodic language, one group that is abelian, one solvable, one not, and all maps of two
/// points, where resets and permutations meet.
std::vector<SampleLanguage> samples() {
  return {regex_sample("b*(ab*ab*)*", "even number of a", 9), monoid_sample("A5", 8),
          monoid_sample("S3", 8), monoid_sample("T2", 5),
          regex_sample("(a|b)*abb", "ends in abb", 9)};
}

using Builder = std::function<Program(const Action&, const std::string& name)>;

std::vector<Instance> instances(const Builder& construction,
                                const std::vector<std::uint64_t>& tight_at) {
  std::vector<Instance> result;
  for (const SampleLanguage& sample : samples()) {
    Instance instance;
    instance.name = sample.text;
    instance.program = [construction, sample] {
      return construction(sample.action(), sample.name);
    };
    instance.against = sample.against;
    instance.bounds = {sample.up_to, 10, 100};
    // A missing loop shows in the even number of a's at every length.
    if (result.empty()) instance.tight_at = tight_at;
    result.push_back(std::move(instance));
  }
  return result;
}

Claim theorem_4_1(const std::string& name, Form form, const Builder& construction) {
  Claim claim = claim_named(name, form);
  claim.title = "Regular languages in log depth";
  claim.statement =
      "For every regular language L there is a looped transformer with causal heads that decides, "
      "on any string w$, whether w is in L, with ceil(log2 |w|) loops.";
  claim.source = "MS25 §4, Theorem 4.1";
  claim.claimed.text = "(0, 8, 9), depth 8 ceil(log2 |w|) + 9";
  claim.claimed.initial = 0;
  claim.claimed.repeated = 8;
  claim.claimed.final = 9;
  claim.claimed.depth = [](std::uint64_t n) { return 8 * ceil_log2(n) + 9; };
  claim.claimed.counted = "|w|, without $";
  claim.instances = instances(construction, {2, 3, 5, 9});
  claim.curve = "regular languages";
  return claim;
}

/// The paper's binary tree. Its last level is the final block, so a loop is missed first at powers
/// of two.
Claim tree() {
  Claim claim = theorem_4_1("thm-4.1/tree", Form::repaired,
                            [](const Action& action, const std::string& name) {
                              return regular_language_tree_MS25_thm4_1(action, name);
                            });
  claim.file = "constructions/MS25/regular_language_tree_thm4_1.cpp";
  claim.tests = {"tests/claims/tree.cpp", "tests/claims/tree_depth.cpp"};
  claim.instances[0].tight_at = {2, 4, 8};
  claim.picture = true;
  return claim;
}

Claim scan(const std::string& name, ScanPositions positions) {
  Claim claim = theorem_4_1(name, Form::optimised,
                            [positions](const Action& action, const std::string& language) {
                              return regular_language_scan_MS25_thm4_1(
                                  action, language, {positions, ScanTable::automatic});
                            });
  claim.file = "constructions/MS25/regular_language_scan_thm4_1.cpp";
  claim.tests = {"tests/claims/scan.cpp", "tests/claims/scan_languages.cpp",
                 "tests/claims/scan_depth.cpp"};
  claim.picture = true;
  return claim;
}

/// One repeated layer and no other, from the first-flag alone: found by hand, not built.
Claim one_layer_from_the_first_flag() {
  Claim claim = theorem_4_1("thm-4.1/one-layer-first-flag", Form::optimised, {});
  claim.statement =
      "The same by one repeated layer and no other, (0, 1, 0), where the position encoding only "
      "separates the first position.";
  claim.instances.clear();
  claim.curve.clear();
  claim.reason =
      "the compiler has no type for it: the only feed-forward mask would be a direction in the "
      "first pass, which normalises the position, and of constant norm in the others, which "
      "multiply; a mask has one norm type for all passes";
  return claim;
}

constexpr std::uint64_t kRadixLength = 100;

Claim corollary_4_2(const std::string& name, Form form) {
  Claim claim = claim_named(name, form);
  claim.title = "Regular languages, a network per length";
  claim.statement =
      "For every regular language L there is a family of transformers T_n with causal heads such "
      "that T_n decides, on any string w$ of length n, whether w is in L.";
  claim.source = "MS25 §4, Corollary 4.2";
  claim.claimed.text = "4 ceil(log2 n) + 5 layers, n = |w$|";
  claim.claimed.depth = [](std::uint64_t n) { return 4 * ceil_log2(n + 1) + 5; };
  claim.claimed.counted = "|w$| = |w| + 1";
  claim.curve = "regular languages";
  return claim;
}

Claim radix(const std::string& name, Form form, unsigned k, ScanPositions positions) {
  const auto construct = [k, positions](const Action& action, const std::string& language,
                                        std::uint64_t length) {
    return regular_language_radix_MS25_cor4_2(action, language,
                                              {k, length, positions, ScanTable::automatic});
  };
  Claim claim = corollary_4_2(name, form);
  claim.file = "constructions/MS25/regular_language_radix_cor4_2.cpp";
  claim.tests = {"tests/claims/radix.cpp", "tests/claims/radix_depth.cpp"};
  claim.instances = instances(
      [construct](const Action& action, const std::string& language) {
        return construct(action, language, kRadixLength);
      },
      {});
  claim.family = [construct](std::uint64_t length) {
    const SampleLanguage sample = samples()[0];
    return construct(sample.action(), sample.name, length);
  };
  claim.picture = k == 4 && positions == ScanPositions::first_flag;

  // One layer fewer, at the shortest length that needs it.
  Instance shortest = claim.instances[0];
  const std::uint64_t length = std::uint64_t{k} * k + 1;
  shortest.name += fmt::format(", at most {} letters", length);
  shortest.program = [construct, length] {
    const SampleLanguage sample = samples()[0];
    return construct(sample.action(), sample.name, length);
  };
  shortest.bounds.up_to = 4;
  shortest.tight_at = {length};
  claim.instances.push_back(std::move(shortest));
  return claim;
}

/// One network for all lengths, k-fold intervals in r - 1 of the r layers of its loop.
Claim uniform_radix(const std::string& name, unsigned k, unsigned r) {
  Claim claim = corollary_4_2(name, Form::optimised);
  const UniformRadixOptions options{k, r, ScanTable::automatic};
  claim.file = "constructions/MS25/regular_language_uniform_radix_cor4_2.cpp";
  claim.tests = {"tests/claims/uniform_radix.cpp", "tests/claims/uniform_radix_depth.cpp"};
  claim.hypotheses = {"one network for all lengths, more than the corollary requires"};
  claim.instances = instances(
      [options](const Action& action, const std::string& language) {
        return regular_language_uniform_radix_MS25_cor4_2(action, language, options);
      },
      {2, reach_of_a_block(options) + 1});
  return claim;
}

}  // namespace

std::vector<Claim> MS25_thm4_1_claims() {
  return {
      tree(),
      scan("thm-4.1/scan-two-circle", ScanPositions::two_circle),
      scan("thm-4.1/scan-circle", ScanPositions::circle),
      scan("thm-4.1/scan-first-flag", ScanPositions::first_flag),
      one_layer_from_the_first_flag(),
      radix("cor-4.2/radix-2-first-flag", Form::repaired, 2, ScanPositions::first_flag),
      radix("cor-4.2/radix-2", Form::optimised, 2, ScanPositions::two_circle),
      radix("cor-4.2/radix-3-first-flag", Form::optimised, 3, ScanPositions::first_flag),
      radix("cor-4.2/radix-4-first-flag", Form::optimised, 4, ScanPositions::first_flag),
      uniform_radix("cor-4.2/uniform-radix-2-3", 2, 3),
      uniform_radix("cor-4.2/uniform-radix-3-3", 3, 3),
  };
}

}  // namespace logdepth::inline proofs_check_papers_MS25
