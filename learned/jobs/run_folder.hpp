#pragma once

#include <optional>
#include <string>

#include "learned/records/run_record.hpp"
#include "learned/records/training_plan.hpp"

namespace logdepth::inline learned_jobs {

/// The record of a run that is done; absent where it is to be begun, or gone on with. Errors:
/// InputError where the folder holds a run of another configuration.
std::optional<RunRecord> finished_record(const PlannedRun& run, const std::string& folder);

/// Whether its loss became no number: what is measured of such a network is no result.
bool diverged(const RunRecord& record);

/// What came out, in a line: "Z2: n* = 4; 40 steps, 0.1 s, stopped by steps", "no result: diverged after
/// 7 steps".
std::string outcome(const RunRecord& record);

}  // namespace logdepth::inline learned_jobs
