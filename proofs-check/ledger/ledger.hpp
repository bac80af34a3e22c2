#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/file/measure.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "objects/automaton.hpp"
#include "objects/crasp.hpp"
#include "proofs-check/claims/claim.hpp"
#include "report/layer_curve.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace proofs_check_ledger {

/// Depth against the size of the input: one line of a figure, one column of a table.
struct DepthSeries {
  std::string name;  ///< "thm-4.1 claimed", "thm-4.1/scan-circle"
  bool claimed = false;
  Form form = Form::as_written;
  std::string formula;
  std::vector<std::optional<std::uint64_t>> depths;  ///< one per size; absent: no file that large
};

struct DepthCurve {
  std::string subject;               ///< "regular languages"
  std::string unit;                  ///< "letters"
  std::vector<std::uint64_t> sizes;  ///< n
  std::vector<DepthSeries> series;
};

/// The curves of these claims. Claimed depths come from the formulas at the paper's own n; the others
/// are counted on compiled files, one per claim, or one per n where a claim is about families.
std::vector<DepthCurve> depth_curves(const std::vector<const Claim*>& claims);

std::string depth_curve_markdown(const DepthCurve& curve);
/// Depth over log2 n.
std::string depth_curve_svg(const DepthCurve& curve);

/// The names under which graph connectivity and induction hops stand beside the word problems.
inline constexpr const char *kReachability = "reachability", *kHops = "induction hops";

/// One form of a theorem for one problem: how deep it is at every size, and what was seen of it.
struct ConstructedDepths : report::LayerCurve {
  Form form = Form::repaired;  ///< as_written: a formula of the paper, which is not built
  bool built = false;
  bool failed = false;      ///< an answer was wrong, or a selection contract violated
  bool unverified = false;  ///< a run of the file reached a limit
};

struct ConstructedOptions {
  std::vector<std::string> groups;               ///< names as `compile regular --group` takes them
  std::map<std::string, Action> automata;        ///< more languages, by the names of their problems
  std::map<std::string, CraspProgram> counting;  ///< and more, of counting programs
  bool reachability = true;                      ///< and induction hops
  std::uint64_t up_to = 512;                     ///< sizes 2, 4, 8, ... up to this
  std::uint64_t seed = 1;                        ///< of the random inputs
  /// Called with forms done and forms in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// Every form of every problem, in the order of the groups, claimed before repaired before
/// optimised; the cascade of KR65 where it has constant depth. Depths are counted on the weights
/// file that the compiler writes, read back; the file is tested against an oracle, every small input
/// and random ones. A group that is too large or unknown gives forms that are not built, with the
/// reason for their verification.
std::vector<ConstructedDepths> constructed_depths(const ConstructedOptions& options,
                                                  const Catalogue& constructions = catalogue());

/// What is known about a claim. Nobody writes it down: it is computed from runs.
enum class Status {
  checked,         ///< every input up to the bound, every contract kept and every head asked
  tested,          ///< some inputs
  certified,       ///< for all inputs, from the file's numbers (`certify`)
  contradicted,    ///< a counterexample
  undecided,       ///< no wrong answer, but some input got none
  unchecked,       ///< not run
  not_executable,  ///< cannot be run, for a reason that is given
};
std::string status_name(Status status);  ///< "checked", ..., "not-executable"

/// An input in words, and what was found there.
struct FailedInput {
  std::string input;
  Failure finding;
};
/// "on <input>: expected ..., found ...".
std::string describe(const FailedInput& failed);

struct [[nodiscard]] FileVerdict : ExaminationCounts {
  Status status = Status::unchecked;
  std::optional<FailedInput> counterexample;  ///< shrunk: a wrong answer, a broken contract, ...
  std::optional<FailedInput> without_answer;  ///< the first input that got none
  std::string bound;                          ///< what was covered, in words
};

/// Runs the weights file at `path` exactly and compares it with what the instance is to be checked
/// against: every input up to the bound in the order of size, hand-picked hard ones, then random
/// ones. Whatever ExactRuns finds is a counterexample, even when the answer is right. Reads the file
/// and the oracle and nothing that made the file.
/// Errors: InputError when the file cannot be read or takes another kind of input.
FileVerdict check_weights(const Against& against, const std::string& path, const Bounds& bounds);

/// Whether the stated number of loops is necessary.
struct [[nodiscard]] Tightness {
  bool tight = false;
  std::string witness;  ///< what fails with one loop fewer, or the size at which nothing did
};
/// Runs the file with one loop fewer (or, without loops, without its last layer) on words, or on
/// the path, of each of these sizes. Errors: as above.
Tightness check_tightness(const Against& against, const std::string& path,
                          const std::vector<std::uint64_t>& sizes);

/// One weights file of a claim, and what running it showed.
struct CheckedFile {
  std::string instance;  ///< the name of the instance
  Norm norm = Norm::rms;
  std::string sha256;
  FileVerdict verdict;
  /// "every length, theorem shift-scan", where a certificate was found; empty otherwise. The
  /// automaton that is certified is read off the file; that it is the claim's, the verdict tests.
  std::string certified = {};
  /// "every length", where logdepth-prove proves as much; empty otherwise.
  std::string proved = {};
  /// "every length, theorem selections, tier S", where the selections hold and the outputs are not certified; empty otherwise.
  std::string selections = {};
};

/// Adds the lines that are not there yet; none that is empty.
void add_new(std::vector<std::string>& to, const std::vector<std::string>& from);

/// "S3, layernorm: every word of at most 6 letters (1093)".
std::string bound_text(const CheckedFile& file);

/// What is known about one claim.
struct LedgerEntry {
  const Claim* claim = nullptr;
  Status status = Status::unchecked;
  std::vector<std::string> hypotheses, deviations;  ///< the claim's, and those of its first file
  std::vector<CheckedFile> files;
  std::string bound;                          ///< what was covered, in words
  std::optional<std::string> counterexample;  ///< the smallest
  std::optional<Tightness> tightness;
  std::optional<Calculation> calculation;
  std::string note;  ///< why it was not executed, what the compiler refused, ...

  // Counted on the file of the first instance under rms.
  std::optional<Measures> measures;  ///< at `at`
  std::uint64_t at = 0;
  std::optional<std::uint64_t> limit;  ///< the largest n that the file is made for
  std::string depth_formula;
  std::string position;  ///< the position encoding: "first-flag", "two-circle", ...
  std::vector<std::pair<std::uint64_t, std::uint64_t>> depths;  ///< n, depth
};

struct [[nodiscard]] Ledger {
  std::vector<LedgerEntry> entries;
  std::vector<DepthCurve> curves;  ///< of the claims that were asked for
};

struct LedgerOptions {
  std::optional<std::size_t> up_to, random;  ///< instead of every claim's own bounds
  std::optional<std::uint64_t> seed;
  std::string folder;  ///< where the weights files are written; they stay there
  std::string prove;   ///< path of logdepth-prove; without it no file is proved
  std::size_t threads = 1;
  /// Called from any thread, one call at a time, with parts done and parts in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// Compiles, writes, reads back and runs everything. The result does not depend on the number of
/// threads. Errors: InputError when the folder cannot be written.
Ledger check_claims(const std::vector<const Claim*>& claims, const LedgerOptions& options);

/// A counterexample to one of our own constructions, or a program of ours that does not compile:
/// what a check fails for. Defects of the text that show themselves are no failure.
bool is_failure(const LedgerEntry& entry);
/// One of our own constructions did not decide some input.
bool is_open(const LedgerEntry& entry);

// The same content in two forms; the same ledger gives the same bytes.
std::string ledger_json(const Ledger& ledger);  ///< `check --json`
/// With `root`, the way from the folder of the Markdown file to the root of the repository: CLAIMS.md, a line
/// per statement and per claim with links to the files. Without it: the report, with all details.
std::string ledger_markdown(const Ledger& ledger, const std::optional<std::string>& root = {});
/// From proofs-check/CLAIMS.md.
inline constexpr const char* kRootFromClaimsFile = "../";
/// The table that `check` prints, with the totals of the ledger.
std::string ledger_table(const Ledger& ledger);

/// Writes report.md, report.json and the figures of depths into the folder; each appears when it is complete.
/// Errors: InputError when it cannot be written.
void save_report(const Ledger& ledger, const std::string& folder);

}}  // namespace logdepth::proofs_check_ledger
