#pragma once

#include <string>
#include <utility>
#include <vector>

#include "proofs-check/ledger/ledger.hpp"

namespace logdepth::inline proofs_check_ledger {

/// What the table, the Markdown file and the page say alike about an entry.

/// "(1, 1, 0), depth ceil(log2 n) + 1"; "8 layers"; "-" where nothing was counted.
std::string measured_text(const LedgerEntry& entry);
/// "width 36, strict width 36, cells 30, heads 1, units 40".
std::string sizes_text(const LedgerEntry& entry);
/// The last column of the overview: figures, the counterexample, the reason, or what was covered.
std::string finding_text(const LedgerEntry& entry);
/// A heading and its lines, none of them empty.
struct Detail {
  std::string heading;
  std::vector<std::string> lines;
  bool files = false;  ///< the lines are paths from the root of the repository
};
/// Everything else that is known about an entry.
std::vector<Detail> details(const LedgerEntry& entry);

/// One statement of the paper with all that is known about it: a line of the summary.
struct StatementSummary {
  std::string id, title, claimed;
  std::string repaired, optimised;  ///< the forms with their measured numbers
  std::string as_written;           ///< statuses: "3 contradicted, 1 not-executable"
  std::string ours;                 ///< statuses of the repaired and optimised forms
  std::string first_entry;          ///< the heading of its first entry
  /// Paths from the root of the repository: first those of the repaired and optimised forms.
  std::vector<std::string> files, tests;
};
std::vector<StatementSummary> summaries(const Ledger& ledger);

/// "thm-4.1/tree (repaired): checked", which no other entry has.
std::string entry_heading(const LedgerEntry& entry);

/// "37 claims: 20 checked, 15 contradicted, ...".
std::string totals_text(const Ledger& ledger);

}  // namespace logdepth::inline proofs_check_ledger
