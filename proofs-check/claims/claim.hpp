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
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/examine.hpp"
#include "proofs-check/check/raw_streams.hpp"
#include "proofs-check/claims/defect.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline proofs_check_claims {

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
  std::function<std::vector<RawInput>(std::size_t size)> inputs;
  /// The right outputs of every token, in the order of the file's names.
  StreamDomain::Outputs outputs;
  std::vector<std::string> blank;  ///< cells that are zero at every token afterwards
};
using Against = std::variant<AgainstLanguage, AgainstDivision, AgainstReachability,
                             AgainstComputationGraph, AgainstStreams>;

/// One program whose weights are checked.
struct Instance {
  std::string name;  ///< "A5"; empty where a claim has one only
  std::function<Program()> program;
  Against against;
  Bounds bounds;  ///< for both norms
  bool rms = true, layernorm = true;
  /// Sizes at which one loop (or, without loops, one layer) fewer must fail.
  std::vector<std::uint64_t> tight_at;
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
  bool picture = false;  ///< the report shows the circuit
};

/// "thm-4.1/scan-circle"; just the id without a variant.
std::string full_name(const Claim& claim);
/// A claim of this full name. It stands in the source as it is printed, so that a search finds it.
Claim claim_named(const std::string& name, Form form);

}  // namespace logdepth::inline proofs_check_claims
