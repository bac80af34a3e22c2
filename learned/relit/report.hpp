#pragma once

#include <vector>

#include "learned/records/run_record.hpp"
#include "report/report.hpp"

namespace logdepth::relit {

/// The report on ReLIT: accuracies by proof depth and macro step, halting, what the frozen states
/// hold, training samples, ablations, answers of single samples, the criteria RL-1 to RL-6, and what
/// is published. From the runs of this paper among the records; the same records give the same
/// report. Errors: those of sections_of. The data:
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
///       "difference": MEAN or null}],
///     "criteria": [{"name", "series", "verdict", "seeds", "seeds_asked", "missing", "alone",
///       "parts"}], as in other reports;
///   "held_by_tests": [{"name", "asks", "held_by"}]; "published".
/// Pictures: relit.svg, relit-bottleneck.svg, relit-trajectories.svg.
report::Report make_report(const std::vector<RunRecord>& records);

}  // namespace logdepth::relit
