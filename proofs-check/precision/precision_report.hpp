#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/shard.hpp"
#include "proofs-check/precision/first_wrong_position.hpp"
#include "proofs-check/precision/precision_curves.hpp"
#include "report/report.hpp"

namespace logdepth::inline proofs_check_precision {

/// The curves of precision, measured: what `logdepth report precision` prints.
struct PrecisionReport {
  std::string command;  ///< that makes it
  std::uint64_t seed = 1;
  std::vector<PrecisionPoint> points;
  std::vector<FirstWrong> first_wrong;
};

/// Positions below this one are searched for the first wrong one.
inline constexpr std::uint64_t kPositionsSearched = std::uint64_t{1} << 26;

struct PrecisionRun {
  PrecisionOptions options;
  std::string version;  ///< of the program, kept with raw points
  std::string folder;   ///< of precision.csv; empty: nothing is kept
  std::uint64_t positions = kPositionsSearched;
  Shard shard;  ///< of the curves, each of which is measured as a whole, and of the positions
  /// Called with points done and points in all.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// Measures what the options ask for. Every point is written to `folder`/precision.csv as soon as
/// it is measured, and not measured again when the file has it for the same weights. Errors:
/// InputError for an unknown name, and for a file that is none of ours or holds points of another
/// seed or version.
PrecisionReport measure_precision(const PrecisionRun& run);
/// Puts what the shards of a run measured into the order of the report. Errors: InputError where a
/// point is not there.
PrecisionReport merge_precision_reports(const PrecisionRun& run,
                                        const std::vector<PrecisionReport>& shards);

/// precision.md, precision.json and precision.svg, which stand beside precision.csv.
report::Report precision_page(const PrecisionReport& measured);

}  // namespace logdepth::inline proofs_check_precision
