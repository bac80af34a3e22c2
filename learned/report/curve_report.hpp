#pragma once

#include <vector>

#include "learned/records/run_record.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_report {

/// Runs in one picture: more cannot be told apart.
inline constexpr std::size_t kMostCurves = 16;

/// How training went: the score and the loss of each run against its steps, as a table and a picture. The
/// loss is read from `losses.csv` of the run's folder, where that is. Errors: InputError for more than
/// kMostCurves runs, for runs with different scores, and naming a file that holds something else.
report::Report curve_report(const std::vector<RunRecord>& records);

}  // namespace logdepth::inline learned_report
