// Krohn-Rhodes cascades: which automata have constant depth, and why `nearest` rounds exactly.
#include "constructions/KR65/regular_language_cascade.hpp"

#include <fmt/core.h>
#include <gmpxx.h>

#include <algorithm>
#include <utility>

#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_KR65 {
namespace {

/// Two rows, the second with the positions from the first-flag.
std::vector<Claim> in_both_encodings(const std::string& fine, const std::string& first_flag,
                                     const Claim& common,
                                     const std::vector<SampleLanguage>& samples) {
  std::vector<Claim> claims;
  for (const auto positions : {ScanPositions::fine, ScanPositions::first_flag}) {
    Claim claim = common;
    const Claim named =
        claim_named(positions == ScanPositions::fine ? fine : first_flag, Form::optimised);
    claim.id = named.id;
    claim.variant = named.variant;
    claim.form = named.form;
    claim.file = "constructions/KR65/regular_language_cascade.cpp";
    claim.tests = {"tests/claims/cascade.cpp"};
    for (const SampleLanguage& sample : samples)
      claim.instances.push_back(sample_instance(sample, [sample, positions] {
        return regular_language_cascade_KR65(cascade_of(sample.action()), sample.text, {positions});
      }));
    claims.push_back(std::move(claim));
  }
  return claims;
}

Claim in_constant_depth(const std::string& title, const std::string& statement,
                        const std::string& source) {
  Claim claim;
  claim.title = title;
  claim.statement = statement;
  claim.source = source;
  claim.claimed.text = "constant depth";
  claim.claimed.repeated = 0;
  return claim;
}

std::vector<Claim> aperiodic() {
  const Claim claim = in_constant_depth(
      "Aperiodic languages in constant depth",
      "A regular language whose syntactic monoid is aperiodic is recognised by one transformer of "
      "constant depth, for words of every length.",
      "Krohn and Rhodes 1965; as networks: Liu et al. 2023");
  return in_both_encodings(
      "cascade/aperiodic", "cascade/aperiodic-first-flag", claim,
      {regex_sample("(a|b)*abb", "ends in abb", 9), monoid_sample("flipflop", 6),
       regex_sample("(a(ab)*b)*", "brackets of depth 2", 9),
       regex_sample("(a|b)*a(a|b){4}", "an a is the fifth letter from the end", 9)});
}

std::vector<Claim> solvable() {
  const Claim claim = in_constant_depth(
      "Solvable groups in constant depth",
      "A regular language whose syntactic monoid has solvable groups only is recognised by one "
      "transformer of constant depth, for words of every length.",
      "Barrington and Therien 1988; as networks: Liu et al. 2023");
  return in_both_encodings("cascade/solvable", "cascade/solvable-first-flag", claim,
                           {regex_sample("b*(ab*ab*)*", "even number of a", 9),
                            monoid_sample("Z9", 40), monoid_sample("S3", 8), monoid_sample("A4", 7),
                            monoid_sample("S4", 7), monoid_sample("T2", 5)});
}

/// The hardest: all maps of one to four states, a letter for each generator.
std::vector<Claim> at_most_four_states() {
  Claim claim = in_constant_depth(
      "Automata of at most four states in constant depth",
      "A language of a complete automaton with at most four states is recognised by one "
      "transformer of constant depth, because the symmetric group of four points is solvable.",
      "Krohn and Rhodes 1965; Barrington and Therien 1988");
  claim.hypotheses = {"all automata of at most three states over two letters are in the tests"};
  std::vector<SampleLanguage> samples;
  for (const auto& [name, up_to] :
       {std::pair<const char*, std::size_t>{"T2", 6}, {"T3", 6}, {"T4", 5}}) {
    Action action = named_monoid(name);
    action.initial = 0;
    action.accepting.assign(action.points, false);
    action.accepting[0] = true;
    const std::string text = fmt::format("all maps of {} states", action.points);
    samples.push_back({name,
                       text,
                       [action] { return to_action(to_minimal_dfa(action)); },
                       {text, [action, text] { return make_action_oracle(action, text); }},
                       up_to});
  }
  return in_both_encodings("cascade/at-most-4-states", "cascade/at-most-4-states-first-flag", claim,
                           samples);
}

std::vector<Claim> one_level_scanned() {
  Claim claim;
  claim.title = "One level in log depth";
  claim.statement =
      "Where some group of the syntactic monoid is not solvable, the levels from the first to the "
      "last such group are multiplied in ceil(log2 |w|) loops, those above and below in constant "
      "depth.";
  claim.source = "Krohn and Rhodes 1965, with MS25 Theorem 4.1 for the level";
  claim.claimed.text = "a + ceil(log2 |w|) + b";
  claim.claimed.repeated = 1;
  return in_both_encodings("cascade/one-level-scanned", "cascade/one-level-scanned-first-flag",
                           claim, {monoid_sample("A5", 7), monoid_sample("S5", 6)});
}

Claim non_solvable() {
  Claim claim = claim_named("cascade/non-solvable", Form::as_written);
  claim.title = "No constant depth beyond solvable groups";
  claim.statement =
      "A regular language whose syntactic monoid has a group that is not solvable is recognised in "
      "constant depth only if TC0 = NC1.";
  claim.source = "Barrington 1989";
  claim.claimed.text = "none";
  claim.reason =
      "a conditional lower bound: the word problem of such a group is complete for NC1 and "
      "networks of constant depth are in TC0, so no weights file can show it";
  return claim;
}

// --- rounding ------------------------------------------------------------------------------------

constexpr std::int64_t kSums = 20000, kLargestModulus = 24;

/// The position that is nearest to y among the codes of (j, L), j = 0, 1, ...: the first j with y
/// below the bisector of (j, L) and (j + 1, L). All numbers are `scale` times what they mean.
std::int64_t nearest_phi(const mpz_class& y, const mpz_class& scale, std::int64_t L,
                         std::int64_t start) {
  // The bisector is the sum of two unit vectors, y < j + s/(s + t), s^2 = j^2 + L^2 and t^2 that of
  // j + 1. With z = y - j: z (s + t) < s, or z t < (1 - z) s; both sides squared.
  for (std::int64_t j = std::max<std::int64_t>(start, 0);; ++j) {
    const mpz_class z = y - scale * j, rest = scale - z;
    const mpz_class s = mpz_class(j) * j + L * L, t = mpz_class(j + 1) * (j + 1) + L * L;
    if (z <= 0 || (rest > 0 && z * z * t < rest * rest * s)) return j;
  }
}

/// Whether the target y = (2c - shift)/(2m) selects floor(c/m) for all c, and the first c where not.
std::optional<std::int64_t> first_wrong_phi(std::int64_t L, std::int64_t m, std::int64_t shift) {
  for (std::int64_t c = 0; c <= kSums; ++c)
    if (nearest_phi(2 * c - shift, 2 * m, L, c / m - 2) != c / m) return c;
  return std::nullopt;
}

/// The same for fine codes of b, target c/m + (b - 1)/2; they meet at
/// j + (b + 1)/2 - 1/(2j + b + 1), where both are nearest.
std::optional<std::int64_t> first_wrong_fine(std::int64_t b, std::int64_t m) {
  for (std::int64_t c = 0; c <= kSums; ++c) {
    const std::int64_t j = c / m;
    const auto side = [&](std::int64_t k) {  // of c/m - k - 1 + 1/(2k + b + 1)
      return (c - (k + 1) * m) * (2 * k + b + 1) + m;
    };
    if (side(j) >= 0 || (j > 0 && side(j - 1) <= 0)) return c;
  }
  return std::nullopt;
}

/// `first_wrong`: of this modulus, the first c of which not floor(c/m) is selected.
Claim rounding(const std::string& name, const std::string& statement, Form form, std::int64_t most,
               std::optional<std::int64_t> (*first_wrong)(std::int64_t modulus)) {
  Claim claim = claim_named(name, form);
  claim.title = "What is nearest is the floor";
  claim.statement = statement;
  claim.source = "compiler/lemmas/head_schema.cpp, rounding lemmas";
  claim.claimed.text = "exact";
  claim.file = "proofs-check/papers/KR65/regular_language_cascade.cpp";
  claim.tests = {"tests/claims/cascade.cpp", "tests/properties/schemas.cpp"};
  claim.calculation = [most, first_wrong] {
    Calculation result;
    result.bound = fmt::format("every c from 0 to {}, every m from 1 to {}", kSums, most);
    for (std::int64_t m = 1; m <= most && !result.counterexample; ++m)
      if (const auto c = first_wrong(m))
        result.counterexample = fmt::format("m = {}, c = {}: not {} is selected", m, *c, *c / m);
    return result;
  };
  return claim;
}

std::vector<Claim> nearest_is_floor() {
  const auto fine = [](std::int64_t m) { return first_wrong_fine(m, m); };
  const auto first_flag = [](std::int64_t m) { return first_wrong_phi(m, m, m - 1); };
  const auto phi = [](std::int64_t m) { return first_wrong_phi(1, m, m); };
  return {
      rounding("nearest-is-floor/fine",
               "Among fine codes with b >= m, c/m + (b - 1)/2 is nearest to the code of floor(c/m) "
               "alone.",
               Form::optimised, kLargestModulus, fine),
      rounding("nearest-is-floor/first-flag",
               "Among the codes of (j, m), (2c - m + 1)/(2m) is nearest to that of j = floor(c/m).",
               Form::optimised, kLargestModulus, first_flag),
      rounding("nearest-is-floor/phi-8",
               "Among the codes phi(j) of (j, 1), c/m - 1/2 is nearest to that of j = floor(c/m) "
               "for m <= 8.",
               Form::optimised, 8, phi),
      rounding("nearest-is-floor/phi-9",
               "Among the codes phi(j) of (j, 1), c/m - 1/2 is nearest to that of j = floor(c/m) "
               "for every m.",
               Form::as_written, 9, phi)};
}

std::vector<Claim> regular_language_cascade_claims() {
  std::vector<Claim> claims;
  for (const auto& rows : {aperiodic(), solvable(), at_most_four_states(), one_level_scanned(),
                           std::vector<Claim>{non_solvable()}, nearest_is_floor()})
    claims.insert(claims.end(), rows.begin(), rows.end());
  return claims;
}

}  // namespace

PaperPart KR65_regular_language_cascade() {
  return {regular_language_cascade_claims(), {}};
}

}}  // namespace logdepth::proofs_check_papers_KR65
