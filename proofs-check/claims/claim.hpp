#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/program/program.hpp"
#include "objects/automaton.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/examine.hpp"
#include "proofs-check/check/raw_streams.hpp"
#include "proofs-check/claims/defect.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace proofs_check_claims {

/// In which wording a statement of the paper is meant.
enum class Form {
  as_written,  ///< the paper's own text, or the repaired construction with one change back to it
  repaired,    ///< the paper's construction, with what it takes to make it right
  optimised    ///< whatever has the fewest layers, cells or padding tokens
};
std::string form_name(Form form);  ///< "as-written", ...

/// The numbers that the paper states.
struct ClaimedNumbers {
  /// "(0, 8, 9) layers, depth 8 ceil(log2 |w|) + 9"; "none" where there are none
  std::string text;
  std::optional<std::uint64_t> initial, repeated, final;
  /// Layers for inputs with n letters or vertices; absent where the paper gives none.
  std::function<std::uint64_t(std::uint64_t)> depth;
  std::string counted;  ///< what the paper's own n is: "|w|", "|w$| = n + 1"
};

// What the answers of a weights file are compared with.
struct AgainstLanguage {
  std::string name;  ///< "the word problem of A5"
  std::function<std::unique_ptr<LanguageOracle>()> oracle;
};
struct AgainstDivision {};
struct AgainstReachability {
  bool undirected = false;  ///< only graphs with every edge both ways
  /// Beyond all graphs of so many vertices, all without self-loops of one vertex more.
  bool loopless_beyond = false;
};
struct AgainstComputationGraph {};  ///< values of all tokens after every number of iterations
struct AgainstStreams {
  std::string name;  ///< what is compared, as a sentence without a stop
  /// All inputs of this size (in whatever the claim counts as size), smallest first.
  std::function<std::vector<RawInput>(std::size_t size)> inputs = {};
  /// The right outputs of every token, in the order of the file's names.
  StreamDomain::Outputs outputs = {};
  std::vector<std::string> blank = {};  ///< cells that are zero at every token afterwards
};
using Against = std::variant<AgainstLanguage, AgainstDivision, AgainstReachability,
                             AgainstComputationGraph, AgainstStreams>;

/// One program whose weights are checked.
struct Instance {
  std::string name = {};  ///< "A5"; empty where a claim has one only
  std::function<Program()> program = {};
  Against against = {};
  Bounds bounds = {};  ///< for both norms
  bool rms = true, layernorm = true;
  /// Sizes at which one loop (or, without loops, one layer) fewer must fail.
  std::vector<std::uint64_t> tight_at = {};
};

/// A number that is computed, beside the text's.
struct Figure {
  std::string what, value;
};
/// A statement about numbers only, decided by arithmetic.
struct Calculation {
  std::vector<Figure> figures;
  std::string bound;                          ///< what was computed for which arguments
  std::optional<std::string> counterexample;  ///< absent: it holds throughout
};

/// A statement of a paper in one form, and how it is decided.
struct Claim {
  std::string paper;    ///< the folder of constructions/ that it stands in: "MS25"
  std::string id;       ///< "thm-4.1"
  std::string variant;  ///< which of several programs or changes to the text: "scan-circle"
  Form form = Form::repaired;
  std::string title, statement, source;
  std::vector<std::string> hypotheses;  ///< beside those that the weights file states
  std::vector<std::string> deviations;  ///< beside those that the weights file states
  ClaimedNumbers claimed;

  std::vector<Instance> instances;           ///< executed claims
  std::function<Calculation()> calculation;  ///< claims about numbers
  const Defect* defect = nullptr;            ///< as written: the one change, and its own search
  std::string reason;                        ///< of what cannot be executed, why

  // Where it stands in the repository: paths from its root, none for what is not executed.
  std::string file;  ///< what makes its networks or computes its numbers; as written: the change
  std::vector<std::string> tests;  ///< the test programs that hold it

  std::string curve;  ///< of depth against n that it belongs to: "regular languages"; may be empty
  /// The program for inputs of at most n, where a claim is about one network per n.
  std::function<Program(std::uint64_t)> family;
};

/// "thm-4.1/scan-circle"; just the id without a variant.
std::string full_name(const Claim& claim);
/// A claim of this full name. It stands in the source as it is printed, so that a search finds it.
Claim claim_named(const std::string& name, Form form);

/// What a file proofs-check/papers/PAPER/NAME.cpp says of a part of a paper, by its function PAPER_NAME(); CMake lists them.
struct PaperPart {
  std::vector<Claim> claims;
  std::vector<Defect> defects;
};

/// All errors, by number.
const std::vector<Defect>& all_defects();
/// Every claim, in the order of its paper: first as written, then repaired and optimised.
const std::vector<Claim>& all_claims();

/// The claims with this id ("thm-4.1") or this one ("thm-4.1/tree"), in order.
/// Errors: InputError that lists the ids when there is none.
std::vector<const Claim*> find_claims(const std::vector<Claim>& claims, const std::string& name);

/// A language to try a construction on: what it compiles, and what judges it.
struct SampleLanguage {
  std::string name;  ///< the expression, or the monoid
  std::string text;
  std::function<Action()> action;
  AgainstLanguage against;
  std::size_t up_to = 0;  ///< every word of at most so many letters
};

SampleLanguage regex_sample(const std::string& expression, const std::string& text,
                            std::size_t up_to);
/// The word problem of a named monoid.
SampleLanguage monoid_sample(const std::string& name, std::size_t up_to);
Instance sample_instance(const SampleLanguage& sample, std::function<Program()> program);

/// MS25 §2 and footnote 4: networks for inputs of at most n letters, on all of those lengths. The
/// words of a length are each letter again and again and two drawn with seed 1; the verdict and
/// every prefix are compared with the product of the letters.

/// For every n up to `largest` the looped network unrolled: as deep as that on n letters, without
/// loops, the same numbers in the residual stream where both have as many layers, and right on every
/// shorter word too.
Calculation unrolled_network(const Program& program, const Action& action, const std::string& name,
                             std::uint64_t largest);

/// For every n up to `largest` the network of n, on words of 0 to n letters.
Calculation on_shorter_words(const std::function<Program(std::uint64_t n)>& network,
                             const Action& action, const std::string& name, std::uint64_t largest);

}}  // namespace logdepth::proofs_check_claims
