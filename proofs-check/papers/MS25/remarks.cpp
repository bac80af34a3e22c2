// MS25: what is stated in passing. Section 2's remark that a looped network unrolled is a standard
// one, footnotes 1 and 4, two sentences of §4 and the runs of Appendix E.
// Defects in MS25 Definition 2.1.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "base/phrases.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/examine.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "proofs-check/claims/claim.hpp"

namespace logdepth { inline namespace proofs_check_papers_MS25 {
namespace {

Claim remark(const std::string& name, Form form, const std::string& title,
             const std::string& source) {
  Claim claim = claim_named(name, form);
  claim.title = title;
  claim.source = source;
  claim.claimed.text = "none";
  claim.file = "proofs-check/papers/MS25/remarks.cpp";
  claim.tests = {"tests/claims/ledger.cpp"};
  return claim;
}

/// What cannot be run: no file, no tests.
Claim unexecuted(Claim claim, const std::string& reason) {
  claim.file.clear();
  claim.tests.clear();
  claim.reason = reason;
  return claim;
}

// --- Section 2: a looped network, unrolled -------------------------------------------------------

constexpr std::uint64_t kUnrolledFor = 24;

std::vector<Claim> unrolled_claims() {
  const auto claim = [](const std::string& name, Form form, const std::string& file,
                        std::function<Program(const Action&)> program) {
    Claim made = remark(name, form, "A looped network, unrolled", "MS25 §2");
    made.statement =
        "A universal transformer unrolled to a fixed depth d(N) is a standard transformer of that "
        "depth, for inputs of at most N.";
    made.hypotheses = {"the word problem of A5"};
    made.deviations = {
        "for shorter inputs the unrolled network has more loops than the looped one, which must do "
        "no harm: that is a property of the construction"};
    made.file = file;
    made.calculation = [program = std::move(program)] {
      const Action action = named_monoid("A5");
      return unrolled_network(program(action), action, "A5", kUnrolledFor);
    };
    return made;
  };
  return {
      claim("sec-2/unrolled-tree", Form::repaired,
            "constructions/MS25/regular_language_tree_thm4_1.cpp",
            [](const Action& action) { return regular_language_tree_MS25_thm4_1(action, "A5"); }),
      claim("sec-2/unrolled-scan", Form::optimised,
            "constructions/MS25/regular_language_scan_thm4_1.cpp", [](const Action& action) {
              return regular_language_scan_MS25_thm4_1(
                  action, "A5", {ScanPositions::first_flag, ScanTable::automatic});
            })};
}

// --- Footnote 4: T_n on shorter words ------------------------------------------------------------

/// The whole family, up to the longest words.
Claim shorter_words(const std::string& name, Form form, unsigned radix) {
  static constexpr std::uint64_t kLongest = 64;
  Claim claim =
      remark(name, form, "A network per length, on shorter words", "MS25 §4.1, footnote 4");
  claim.statement =
      "Corollary 4.2 can be generalised to state that T_n recognises all strings of length m <= n.";
  claim.hypotheses = {"the word problem of S3"};
  claim.file = "constructions/MS25/regular_language_radix_cor4_2.cpp";
  claim.calculation = [radix] {
    const Action action = named_monoid("S3");
    const auto network = [&](std::uint64_t n) {
      return regular_language_radix_MS25_cor4_2(
          action, "S3", {radix, n, ScanPositions::first_flag, ScanTable::automatic});
    };
    return on_shorter_words(network, action, "S3", kLongest);
  };
  return claim;
}

// --- Footnote 1: c log n bits --------------------------------------------------------------------

constexpr std::size_t kWords = 3, kGraphs = 4;  // per size

std::mt19937_64 dice(std::uint64_t size) {
  return std::mt19937_64(1000003 + size);
}

/// The first input is one letter again and again, where all products have a short period; the last
/// has letters drawn one by one; those between are runs of few letters and many lengths.
Word word_of(std::size_t kind, std::uint64_t length, std::size_t letters, std::mt19937_64& random) {
  Word word;
  const auto any = [&] { return static_cast<Letter>(random() % letters); };
  const Letter first = any();
  while (word.size() < length) {
    const std::uint64_t longest = kind == 0            ? length
                                  : kind + 1 == kWords ? 1
                                                       : std::uint64_t{1} << (random() % 5);
    const std::uint64_t run = std::min(longest, length - word.size());
    word.insert(word.end(), run, kind == 0 ? first : any());
  }
  return word;
}

/// Of the products of A5, which is not solvable.
std::vector<FloatQuestion> word_questions(const Model& model, std::uint64_t length) {
  /// The questions, with the oracle that they refer to.
  struct Asked {
    std::unique_ptr<LanguageOracle> oracle = make_action_oracle(named_monoid("A5"), "A5");
    WordDomain questions;
    explicit Asked(const Model& of) : questions(of, *oracle) {}
  };
  const auto asked = std::make_shared<const Asked>(model);
  const std::shared_ptr<const WordDomain> words(asked, &asked->questions);
  std::mt19937_64 random = dice(length);
  std::vector<FloatQuestion> questions;
  for (std::size_t kind = 0; kind < kWords; ++kind)
    questions.push_back(
        float_question(words, word_of(kind, length, model.alphabet.size(), random)));
  return questions;
}

std::vector<FloatQuestion> division_questions(const Model& model, std::uint64_t length) {
  const auto divisions = std::make_shared<const DivisionDomain>(model);
  std::mt19937_64 random = dice(length);
  // Small divisors have many multiples in sight, the largest none but 0 and one more.
  const std::vector<std::uint64_t> divisors = {1 + random() % 3, 2 + random() % (length / 2),
                                               1 + random() % length, length - 1};
  std::vector<FloatQuestion> questions;
  for (const std::uint64_t divisor : divisors) {
    DivisionInput input{divisor, {}};
    for (std::uint64_t i = 0; i < length; ++i)
      input.dividends.push_back(random() % 2 == 0 ? i : random() % (i + 1));
    questions.push_back(float_question(divisions, std::move(input)));
  }
  return questions;
}

struct PathGraph {
  Graph graph;
  Vertex first = 0, last = 0;  ///< of the path, if there is one
};

/// A path, a path that is cut, forward edges some of which are missing, and about one edge for
/// every vertex; vertices in any order.
PathGraph path_graph(std::size_t kind, std::uint64_t vertices, std::mt19937_64& random) {
  std::vector<Vertex> name(vertices);
  for (Vertex i = 0; i < vertices; ++i) name[i] = i;
  for (std::size_t i = vertices; i > 1; --i) std::swap(name[i - 1], name[random() % i]);
  PathGraph made{graph_of(vertices, {}, false), name[0], name[vertices - 1]};
  const std::size_t cut = kind == 1 ? random() % (vertices - 1) : vertices;
  for (Vertex i = 0; i < vertices; ++i) {
    if (kind <= 1 && i + 1 < vertices && i != cut) made.graph.add_edge(name[i], name[i + 1]);
    if (kind == 2)
      for (Vertex j = i + 1; j < vertices; ++j)
        if (random() % 2 == 0) made.graph.add_edge(name[i], name[j]);
    if (kind == 3) made.graph.add_edge(name[random() % vertices], name[random() % vertices]);
  }
  return made;
}

/// A run answers about one pair, or about all at once. The pairs of one run each: the ends of the
/// path, the same back, and any two.
std::vector<FloatQuestion> graph_questions(const Model& model, std::uint64_t vertices) {
  const auto graphs = std::make_shared<const GraphDomain>(model, false);
  std::mt19937_64 random = dice(vertices);
  const auto any = [&] { return static_cast<Vertex>(random() % vertices); };
  std::vector<FloatQuestion> questions;
  for (std::size_t kind = 0; kind < kGraphs; ++kind) {
    const auto [graph, first, last] = path_graph(kind, vertices, random);
    const auto about =
        graphs->about(CaseStage::chosen, graph, {{first, last}, {last, first}, {any(), any()}});
    for (const AskedGraph& question : about.inputs)
      questions.push_back(float_question(graphs, question));
  }
  return questions;
}

/// A network, and its inputs of exactly this size, in letters, positions or vertices. They keep
/// references to the model.
struct SizedNetwork {
  Compiled compiled;
  std::vector<FloatQuestion> (*questions_of)(const Model& model, std::uint64_t size);

  std::vector<FloatQuestion> questions(std::uint64_t size) const {
    return questions_of(compiled.model, size);
  }
};

SizedNetwork division_network() {
  return {compile(division_MS25_lem3_1()), division_questions};
}

/// Of the longest of these inputs.
std::uint64_t most_tokens(const std::vector<FloatQuestion>& questions) {
  std::uint64_t tokens = 0;
  for (const FloatQuestion& question : questions)
    tokens = std::max<std::uint64_t>(tokens, question.tokens.kinds.size());
  return tokens;
}

/// Bits per log2 of the number of tokens that the repaired statement is tried with.
constexpr std::uint32_t kBitsPerDoubling = 6;

Answered answered_at(const SizedNetwork& network, std::uint64_t size, std::uint32_t bits,
                     FloatOptions::Rule rule) {
  FloatOptions options;
  options.engine = FloatOptions::Engine::mpfr;
  options.bits = bits;
  options.rule = rule;
  options.tolerance = std::exp2(4 - static_cast<int>(bits));
  FloatRunner runner(network.compiled.model, network.compiled.facts, options);
  return ask(runner, network.questions(size), Answered::right);
}

Claim bits(const std::string& name, Form form) {
  Claim claim = remark(name, form, "Numbers of c log n bits", "MS25 §2, footnote 1");
  claim.statement =
      "All simulations go through as long as at least c log n bits are used to represent "
      "rationals.";
  claim.hypotheses = {"every operation is rounded to p bits, to nearest"};
  return claim;
}

/// Whether two sums that are equal are equal rounded is chance, whatever the number of bits.
Claim bits_as_written() {
  static constexpr std::uint64_t kPositions = 32;
  static constexpr std::uint32_t kMostBits = 100;  // 20 log2 of the positions
  Claim claim = bits("fn-1/exact-zero-tests", Form::as_written);
  claim.calculation = [] {
    Calculation result;
    const SizedNetwork division = division_network();
    std::string right;
    std::uint32_t wrong = 0;  // the most bits with a wrong answer
    for (std::uint32_t p = 4; p <= kMostBits; ++p)
      if (answered_at(division, kPositions, p, FloatOptions::Rule::plain) >= Answered::right)
        right += fmt::format("{}{}", right.empty() ? "" : ", ", p);
      else
        wrong = p;
    if (wrong > 0)
      result.counterexample = fmt::format(
          "Lemma 3.1 (compact), {} positions, {} bits, which is {:.0f} log2 n: a number that is "
          "zero is not zero rounded, and an answer is wrong",
          kPositions, wrong, wrong / std::log2(static_cast<double>(kPositions)));
    result.figures = {{"bits with which all answers are right", right.empty() ? "none" : right}};
    result.bound =
        fmt::format("division at {} positions by 4 divisors, 4 to {} bits", kPositions, kMostBits);
    return result;
  };
  return claim;
}

Claim bits_with_tolerance() {
  Claim claim = bits("fn-1/zero-tests-with-tolerance", Form::repaired);
  claim.deviations = {
      "numbers within 2^-(p-4) of zero, and scores as close, count as zero and as tied: without a "
      "tolerance no number of bits is enough where a test for zero is"};
  claim.hypotheses.push_back(fmt::format(
      "c = {}, on a few seeded inputs of each size; nothing here is a proof", kBitsPerDoubling));
  claim.calculation = [] {
    Calculation result;
    const Action a5 = named_monoid("A5");
    const ScanOptions first_flag = {ScanPositions::first_flag, ScanTable::automatic};
    struct Tried {
      const char* name;
      SizedNetwork network;
      std::vector<std::uint64_t> sizes;
    };
    const std::vector<Tried> all = {
        {"division", division_network(), {8, 16, 32, 64}},
        {"connectivity",
         {compile(graph_connectivity_MS25_thm5_1(ConnectivityForm::compact,
                                                 GraphInput::Padding::n3_minus_n2)),
          graph_questions},
         {2, 3, 4}},
        {"tree",
         {compile(regular_language_tree_MS25_thm4_1(a5, "A5")), word_questions},
         {8, 16, 32}},
        {"scan-first-flag",
         {compile(regular_language_scan_MS25_thm4_1(a5, "A5", first_flag)), word_questions},
         {8, 16, 32, 64}}};
    for (const auto& [name, network, sizes] : all) {
      std::string at;
      for (const std::uint64_t size : sizes) {
        const std::uint64_t tokens = most_tokens(network.questions(size));
        const auto p = static_cast<std::uint32_t>(
            std::ceil(kBitsPerDoubling * std::log2(static_cast<double>(tokens))));
        at += fmt::format("{}{} tokens: {} bits", at.empty() ? "" : ", ", tokens, p);
        if (answered_at(network, size, p, FloatOptions::Rule::snapped) < Answered::right &&
            !result.counterexample)
          result.counterexample = fmt::format("{}, {} tokens: wrong with {} bits", name, tokens, p);
      }
      result.figures.push_back({name, at});
    }
    result.bound = fmt::format("p = ceil({} log2 of the tokens)", kBitsPerDoubling);
    return result;
  };
  return claim;
}

// --- §4: i mod 2^l in one layer, associative operations -------------------------------------------

Claim single_layer_for_the_remainder() {
  Claim claim = remark("cor-4.2/single-layer-for-the-remainder", Form::as_written,
                       "i mod 2^l by a single layer", "MS25 §4, before Corollary 4.2");
  claim.statement =
      "The block of 8 layers that determines activeness can be simplified to 1 layer: hardcode the "
      "layer index l and use a single transformer layer to compute i mod l (read: mod 2^l).";
  claim.claimed.text = "1 layer";
  return unexecuted(
      claim,
      "the text names no head and no mask for it. A head can find i / 2^l among the codes phi(j), "
      "but whether it is met is a difference of two unit vectors, written in one sublayer and read "
      "in the next: our fewest are 2 layers (lem-3.1/floor-own-argument), 3 from one network for "
      "all lengths. The corollary does not need it: cor-4.2/radix has no activeness");
}

Claim associative_operations() {
  Claim claim = remark("thm-4.1/associative-operations", Form::as_written,
                       "Iterated associative operations", "MS25 §4, after Corollary 4.2");
  claim.statement =
      "If a b-layer transformer performs an associative operation on X, a transformer of Theta(b "
      "log n) layers computes the iterated operation on n values.";
  claim.claimed.text = "Theta(b log n) layers";
  return unexecuted(
      claim,
      "about every operation that some network performs, so no weights file can show it; and the "
      "network of b layers reads its two values at two tokens, where the tree has both at one "
      "token beside n others, which the text passes over. Finite X is thm-4.1, with b = 1");
}

// --- Appendix E ------------------------------------------------------------------------------------

Claim runs_of_the_experiments() {
  Claim claim = remark("app-E/runs-per-depth", Form::as_written, "Runs of the depth experiments",
                       "MS25 Appendix E and §7");
  claim.statement =
      "5 runs for depths 6, 12, 18 and 24, then 3 additional ones at depths 9, 15, 18, 21 and at "
      "depth 24: in total 5 runs at depths 6, 12 and 8, 3 at 9, 15, 18 and 21, 8 at 24.";
  claim.claimed.text = "5 at 6, 12, 8; 3 at 9, 15, 18, 21; 8 at 24";
  claim.calculation = [] {
    using Runs = std::map<int, int>;
    Runs told, total = {{6, 5}, {12, 5}, {8, 5}, {9, 3}, {15, 3}, {18, 3}, {21, 3}, {24, 8}};
    for (const int depth : {6, 12, 18, 24}) told[depth] += 5;
    for (const int depth : {9, 15, 18, 21, 24}) told[depth] += 3;
    const auto runs_at = [](const Runs& runs, int depth) {
      return runs.contains(depth) ? runs.at(depth) : 0;
    };
    Calculation result;
    for (int depth = 1; depth <= 24; ++depth) {
      if (runs_at(told, depth) == runs_at(total, depth)) continue;
      if (!result.counterexample)
        result.counterexample =
            fmt::format("depth {}: {} told, {} in total", depth,
                        counted(runs_at(told, depth), "run"), runs_at(total, depth));
      result.figures.push_back(
          {fmt::format("runs at depth {}, as told and in total", depth),
           fmt::format("{} and {}", runs_at(told, depth), runs_at(total, depth))});
    }
    result.figures.push_back({"depths that §7 names", "6, 9, 12, 15, 18, 21, 24: no 8"});
    result.bound = "the numbers of the text, counted";
    return result;
  };
  return claim;
}

std::vector<Claim> remarks_claims() {
  std::vector<Claim> claims = unrolled_claims();
  for (Claim claim :
       {bits_as_written(), bits_with_tolerance(),
        shorter_words("fn-4/radix-2-first-flag", Form::repaired, 2),
        shorter_words("fn-4/radix-3-first-flag", Form::optimised, 3),
        shorter_words("fn-4/radix-4-first-flag", Form::optimised, 4),
        single_layer_for_the_remainder(), associative_operations(), runs_of_the_experiments()})
    claims.push_back(std::move(claim));
  return claims;
}

}  // namespace

PaperPart MS25_remarks() {
  return {remarks_claims(),
          {{.number = 24,
            .id = "def-2.1/first-layer",
            .place = "Definition 2.1",
            .quote = "s-layer l if 1 < l <= s; r-layer (l - s) mod r if s < l <= s + r d(n)",
            .change = "no case for layer 1, and r-layer 0 for every r-th layer",
            .repair = "1 <= l <= s, and ((l - s - 1) mod r) + 1",
            .kind = Defect::Kind::recorded,
            .reason = "No function is defined for l = 1 and no layer has the number 0, so there is "
                      "nothing to run. The runner takes layers 1..s, then 1..r over and over."}}};
}

}}  // namespace logdepth::proofs_check_papers_MS25
