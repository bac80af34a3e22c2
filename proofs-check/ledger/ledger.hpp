#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/file/measure.hpp"
#include "proofs-check/claims/claim.hpp"
#include "proofs-check/ledger/check_weights.hpp"
#include "proofs-check/ledger/depth_curves.hpp"
#include "report/pictures/circuit_cards.hpp"

namespace logdepth::inline proofs_check_ledger {

/// One weights file of a claim, and what running it showed.
struct CheckedFile {
  std::string instance;  ///< the name of the instance
  Norm norm = Norm::rms;
  std::string sha256;
  FileVerdict verdict;
  /// "every length, theorem shift-scan", where a certificate was found; empty otherwise. The
  /// automaton that is proved is read off the file; that it is the claim's, the verdict tests.
  std::string proved = {};
  /// "every length, theorem selections, tier S", where heads and norms alone are proved; empty otherwise.
  std::string selections = {};
};

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
  std::optional<CircuitCards> circuit;                          ///< where the claim wants a picture
};

struct [[nodiscard]] Ledger {
  std::vector<LedgerEntry> entries;
  std::vector<DepthCurve> curves;  ///< of the claims that were asked for
};

struct LedgerOptions {
  std::optional<std::size_t> up_to, random;  ///< instead of every claim's own bounds
  std::optional<std::uint64_t> seed;
  std::string folder;  ///< where the weights files are written; they stay there
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

// The same content in three forms; the same ledger gives the same bytes.
std::string ledger_json(const Ledger& ledger);  ///< `check --json`
/// `root` leads from the folder of the Markdown file to the root of the repository, where the files
/// of each claim are; without it they are named and not linked.
std::string ledger_markdown(const Ledger& ledger, const std::optional<std::string>& root = {});
/// From proofs-check/CLAIMS.md.
inline constexpr const char* kRootFromClaimsFile = "../";
std::string ledger_html(const Ledger& ledger);
/// A row of the table that `check` prints; the table, with the totals of the ledger.
std::vector<std::string> table_row(const LedgerEntry& entry);
std::string ledger_table(const Ledger& ledger, std::vector<std::vector<std::string>> rows);

/// Writes report.md, report.json and report.html into the folder; each appears when it is complete.
/// Errors: InputError when it cannot be written.
void save_report(const Ledger& ledger, const std::string& folder);

}  // namespace logdepth::inline proofs_check_ledger
