#pragma once

#include <string>
#include <vector>

#include "learned/records/run_record.hpp"

namespace logdepth {

/// The report on ReLIT: accuracies by proof depth and macro step, halting, what the frozen states
/// hold, training samples, ablations, answers of single samples, the criteria RL-1 to RL-6, and what
/// is published. From the runs of this paper among the records, in all functions; the same records
/// give the same bytes. Errors: InputError where there is no such run, and naming the file of a
/// result that cannot be read.

std::string relit_markdown(const std::vector<RunRecord>& records);
/// One JSON object, ended by a newline:
///   "schema": "logdepth/report-relit/1"; "thresholds": those of the criteria;
///   "sections", a list, one for each kind of prompts: "title", "set", "chance": or null,
///     "series": [{"method", "changes", "setting", "backbone", "states", "training_samples",
///       "config", "seeds", "still_rising": how many, "ended_early": [{"seed", "how"}],
///       "layers_applied", "macro_steps", "accuracy", "mean_halting", "mean_flips": RANGE,
///       "by_proof_depth": [{"depth", "accuracy", "mean_halting": RANGE, "halting": samples by macro
///       step, or null}], "by_macro_step": [{"step", "accuracy", "change": RANGE or null}],
///       "halting": samples by macro step, of all seeds}],
///     "bottleneck": [{"backbone", "states", "relit": RANGE, "linear_probe", "one_pass": RANGE or
///       null}], "ablations": [{"base", "backbone", "changes", "setting", "accuracy": RANGE,
///       "difference": {"mean", "standard_error": or null, "seeds"} or null}],
///     "criteria": [{"name", "series", "verdict", "seeds", "seeds_asked", "missing", "alone",
///       "parts"}], as in other reports;
///   "held_by_tests": [{"name", "asks", "held_by"}];
///   "published": "accuracies" in per cent, "data_sets", "trajectories", and "contradictions".
/// RANGE: "median", "least", "most" and the number of "seeds" that have it.
std::string relit_json(const std::vector<RunRecord>& records);
/// Writes relit.md, relit.json, relit.svg, relit-bottleneck.svg and relit-trajectories.svg to the
/// folder, which is made if need be. Result: these names. Errors: also InputError when one cannot be
/// written.
std::vector<std::string> save_relit_report(const std::vector<RunRecord>& records,
                                           const std::string& folder);

}  // namespace logdepth
