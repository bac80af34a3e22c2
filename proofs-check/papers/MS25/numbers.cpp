// MS25 Corollaries 4.3 and 5.2 and the numbers of §1: which sizes a fixed depth reaches. Formulas
// are evaluated in integers; the text's own numbers are quoted.
// Defects in MS25 Corollary 4.3.
#include <fmt/core.h>
#include <gmpxx.h>

#include <utility>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "objects/named_monoids.hpp"
#include "proofs-check/claims/claim.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace proofs_check_papers_MS25 {
namespace {

constexpr std::uint64_t kDeepest = 80;

/// A corollary of the kind "depth d reaches size 2^((d - constant)/slope)", drawn from a theorem of
/// depth slope * ceil(log2 n) + constant.
struct DepthScaling {
  std::string title, statement, source, formula, theorem, size;
  std::uint64_t slope, constant;

  /// floor(2^((d - constant)/slope)). Precondition: d >= constant.
  std::uint64_t formula_at(std::uint64_t d) const {
    mpz_class power = mpz_class(1) << (d - constant), root;
    mpz_root(root.get_mpz_t(), power.get_mpz_t(), slope);
    return root.get_ui();
  }
  std::uint64_t depth(std::uint64_t n) const { return slope * ceil_log2(n) + constant; }
  /// The largest n whose depth is at most d.
  std::uint64_t reached(std::uint64_t d) const {
    std::uint64_t n = 1;
    while (depth(2 * n) <= d) n *= 2;
    return n;
  }
};

const DepthScaling kLengths = {
    "Length of words within a fixed depth",
    "From Cor. 4.2, read with |w| for its n = |w$| as §4.1 does, it follows that, for any d, a "
    "transformer of d layers decides w in L for every string w$ of length at most 2^((d-5)/4) + 1.",
    "MS25 §4.1, Corollary 4.3",
    "2^((d-5)/4)",
    "§4.1's reading of Cor. 4.2, 4 ceil(log2 |w|) + 5 layers",
    "|w|",
    4,
    5};
/// The text says only that there is such a result; the formula is drawn as that of Cor. 4.3 is.
const DepthScaling kLoopedLengths = {
    "Length of words within a fixed depth, shared parameters",
    "A result like Cor. 4.3 follows from Thm. 4.1 for universal transformers of a fixed depth: one "
    "of d layers decides w in L for every |w| up to 2^((d-9)/8).",
    "MS25 §4.1, after Corollary 4.3",
    "2^((d-9)/8)",
    "Thm. 4.1, 8 ceil(log2 |w|) + 9 layers",
    "|w|",
    8,
    9};
const DepthScaling kVertices = {
    "Size of graphs within a fixed depth",
    "From Thm. 5.1 it follows that, for any d, a transformer of d layers decides connectivity on "
    "graphs of at most 2^((d-18)/2) vertices.",
    "MS25 §5, Corollary 5.2",
    "2^((d-18)/2)",
    "Thm. 5.1, 2 ceil(log2 n) + 18 layers",
    "n",
    2,
    18};

Claim corollary(const std::string& name, const DepthScaling& scaling, Form form) {
  Claim claim = claim_named(name, form);
  claim.title = scaling.title;
  claim.statement = scaling.statement;
  claim.source = scaling.source;
  claim.claimed.text = scaling.size + " up to " + scaling.formula;
  claim.file = "proofs-check/papers/MS25/numbers.cpp";
  claim.tests = {"tests/claims/ledger.cpp"};
  return claim;
}

/// "|w| = 3 at d = 12: ... needs 13 layers".
std::string too_deep(const DepthScaling& scaling, std::uint64_t n, std::uint64_t d) {
  return fmt::format("d = {}, {} = {}: {}, which is {}", d, scaling.size, n, scaling.theorem,
                     scaling.depth(n));
}

/// The formula against the theorem it is drawn from, which has a ceiling.
Claim every_depth(const std::string& name, const DepthScaling& scaling) {
  Claim claim = corollary(name, scaling, Form::as_written);
  claim.calculation = [scaling] {
    Calculation result;
    std::uint64_t wrong = 0, depths = 0;
    for (std::uint64_t d = scaling.constant; d <= kDeepest; ++d, ++depths) {
      const std::uint64_t n = scaling.formula_at(d);
      if (scaling.depth(n) <= d) continue;
      ++wrong;
      // The smallest n within the formula that needs more layers.
      if (!result.counterexample)
        result.counterexample = too_deep(scaling, scaling.reached(d) + 1, d);
    }
    result.bound = fmt::format("every depth from {} to {}", scaling.constant, kDeepest);
    result.figures = {
        {"depths in that range", std::to_string(depths)},
        {"depths at which the formula exceeds what the theorem gives", std::to_string(wrong)}};
    return result;
  };
  return claim;
}

/// A number of the text, for a size at one depth.
Claim at_depth(const std::string& name, const DepthScaling& scaling, std::uint64_t d,
               const std::string& text, std::uint64_t value) {
  Claim claim = corollary(name, scaling, Form::as_written);
  claim.source = "MS25 §1, from " + claim.source;
  claim.statement = fmt::format("A depth of {} is enough for {} up to {}.", d, scaling.size, text);
  claim.claimed.text = fmt::format("{} up to {} at depth {}", scaling.size, text, d);
  claim.calculation = [scaling, d, text, value] {
    Calculation result;
    const std::uint64_t formula = scaling.formula_at(d), reached = scaling.reached(d);
    result.figures.push_back({"the text", text});
    result.figures.push_back({"floor(" + scaling.formula + ")", std::to_string(formula)});
    if (scaling.size == "|w|")
      result.figures.push_back(
          {"floor(" + scaling.formula + " + 1), the length of w$", std::to_string(formula + 1)});
    result.figures.push_back(
        {"with the ceiling: largest " + scaling.size + " of " + scaling.theorem,
         std::to_string(reached)});
    result.bound = fmt::format("computed in integers at d = {}", d);
    if (value > reached) result.counterexample = too_deep(scaling, reached + 1, d);
    return result;
  };
  return claim;
}

/// With the exponent rounded down, the formula is what the theorem gives.
Claim rounded(const std::string& name, const DepthScaling& scaling) {
  Claim claim = corollary(name, scaling, Form::repaired);
  claim.statement = "The same with the exponent rounded down to an integer.";
  claim.deviations = {"the exponent is rounded down, as the ceiling in the theorem requires"};
  claim.calculation = [scaling] {
    Calculation result;
    for (std::uint64_t d = scaling.constant; d <= kDeepest; ++d) {
      const std::uint64_t n = std::uint64_t{1} << ((d - scaling.constant) / scaling.slope);
      if (scaling.depth(n) > d && !result.counterexample)
        result.counterexample = too_deep(scaling, n, d);
    }
    for (const std::uint64_t d : {std::uint64_t{32}, kDeepest})
      result.figures.push_back({fmt::format("at d = {}", d), std::to_string(scaling.reached(d))});
    result.bound = fmt::format("every depth from {} to {}", scaling.constant, kDeepest);
    return result;
  };
  return claim;
}

/// What our own weights file reaches with as many layers; its depth is counted on it. The network is
/// made in `file`, and `test` holds its depth.
Claim by_our_own(const std::string& name, const DepthScaling& scaling, const std::string& file,
                 const std::string& test, std::function<Program()> program) {
  Claim claim = corollary(name, scaling, Form::optimised);
  claim.file = file;
  claim.tests = {test};
  claim.statement = "The sizes of the formula, and far larger ones, by the construction " +
                    claim.variant + ", whose depth is counted on its file.";
  claim.calculation = [scaling, program = std::move(program)] {
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
    const Model model = compile(program()).model;
    const auto reached = [&](std::uint64_t d) {
      std::uint64_t low = 1, high = kLargest;  // the depth grows with n
      while (low < high) {
        const std::uint64_t middle = low + (high - low + 1) / 2;
        (depth_at(model, middle) <= d ? low : high) =
            depth_at(model, middle) <= d ? middle : middle - 1;
      }
      return low;
    };
    Calculation result;
    for (std::uint64_t d = scaling.constant; d <= kDeepest; ++d)
      if (reached(d) < scaling.formula_at(d) && !result.counterexample)
        result.counterexample = fmt::format("d = {}: the file reaches {}, the formula gives {}", d,
                                            reached(d), scaling.formula_at(d));
    result.figures = {{"depth of the file", depth_formula(model)},
                      {"largest " + scaling.size + " at d = 32", std::to_string(reached(32))}};
    const std::uint64_t far = reached(kDeepest);
    result.figures.push_back(
        {"at d = 80", far == kLargest ? "more than 2^62" : std::to_string(far)});
    result.bound = fmt::format("every depth from {} to {}, on the file's shape and loops",
                               scaling.constant, kDeepest);
    return result;
  };
  return claim;
}

/// Theorems about classes of networks, which no single weights file can show.
std::vector<Claim> unexecuted_claims() {
  Claim width = claim_named("thm-6.1", Form::as_written);
  width.title = "Width scaling";
  width.statement =
      "A transformer of fixed depth, of width polynomial in n and with weights that are computable "
      "in L, can be simulated in L-uniform TC0.";
  width.source = "MS25 §6, Theorem 6.1 and Appendix D";
  width.claimed.text = "none";
  width.reason =
      "an upper bound on every network of a class: no weights file can show it, only a single one "
      "against it, and a proof that there is none would separate complexity classes";
  Claim thought = width;
  thought.id = "thm-6.2";
  thought.title = "Chain-of-thought scaling";
  thought.statement =
      "Transformers with O(log n) chain-of-thought steps recognise at most L-uniform TC0.";
  thought.source = "MS25 §6, Theorem 6.2 and Appendix D";
  thought.reason =
      "an upper bound on every network of a class, with generated tokens, which the model of Def. "
      "2.1 does not have: there is nothing to compile and no input to run";
  return {width, thought};
}

std::vector<Claim> numbers_claims() {
  std::vector<Claim> claims = {
      every_depth("cor-4.3/every-depth", kLengths),
      at_depth("cor-4.3/depth-32", kLengths, 32, "107", 107),
      at_depth("cor-4.3/depth-80", kLengths, 80, "440K", 440000),
      rounded("cor-4.3/rounded-exponent", kLengths),
      by_our_own("cor-4.3/scan-first-flag", kLengths,
                 "constructions/MS25/regular_language_scan_thm4_1.cpp",
                 "tests/claims/word_construction_sizes.cpp",
                 [] {
                   return regular_language_scan_MS25_thm4_1(
                       named_monoid("A5"), "A5", {ScanPositions::first_flag, ScanTable::automatic});
                 }),
      rounded("cor-4.3/looped-rounded-exponent", kLoopedLengths),
      by_our_own("cor-4.3/looped-tree", kLoopedLengths,
                 "constructions/MS25/regular_language_tree_thm4_1.cpp",
                 "tests/claims/word_construction_sizes.cpp",
                 [] { return regular_language_tree_MS25_thm4_1(named_monoid("A5"), "A5"); }),
      every_depth("cor-5.2/every-depth", kVertices),
      at_depth("cor-5.2/depth-32", kVertices, 32, "128", 128),
      at_depth("cor-5.2/depth-80", kVertices, 80, "2.1B", 2100000000),
      rounded("cor-5.2/rounded-exponent", kVertices),
      by_our_own("cor-5.2/compact-n3-n2", kVertices,
                 "constructions/MS25/graph_connectivity_thm5_1.cpp",
                 "tests/claims/connectivity.cpp", [] {
                   return graph_connectivity_MS25_thm5_1(ConnectivityForm::compact,
                                                         GraphInput::Padding::n3_minus_n2);
                 })};
  for (Claim& claim : unexecuted_claims()) claims.push_back(std::move(claim));
  return claims;
}

}  // namespace

PaperPart MS25_numbers() {
  return {numbers_claims(),
          {{.number = 13,
            .id = "cor-4.3/numbers-without-the-ceiling",
            .place = "Sections 1 and 4.1",
            .quote = "a causally masked d-layer transformer that, on any string w$ of length at "
                     "most 2^((d-5)/4) + 1",
            .change = "the ceiling of 4 ceil(log2 n) + 5 is dropped",
            .repair = "4 ceil(log2 n) + 5 <= d, for n a power of two",
            .kind = Defect::Kind::recorded,
            .reason = "Arithmetic: the claims about numbers compute the formula with and without "
                      "the ceiling beside the text's 107 and 440K."}}};
}

}}  // namespace logdepth::proofs_check_papers_MS25
