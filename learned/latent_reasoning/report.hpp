#pragma once

#include <vector>

#include "learned/records/run_record.hpp"
#include "report/report.hpp"

namespace logdepth::latent {

/// The report on latent-space reasoning: the methods by size and depth of graphs, iterations,
/// recovery from errors, the criteria LO-3 to LO-6, and what is published. From the runs of this
/// paper among the records; the same records give the same report. Errors: those of sections_of. The
/// data:
///   "schema": "logdepth/report-latent-reasoning/1"; "thresholds": those of the criteria;
///   "sections", a list, one for each kind of training graphs: "title", "trained_nodes",
///     "generator", "not_run": names of rows without runs,
///     "series": [{"row", "title", "setting", "config", "seeds", "still_rising": seeds whose
///       learning curve rose at the end, "ended_early": [{"seed", "how"}], "weights",
///       "layers_per_iteration": of a weights file, else null, "solved", "nodes", "structure",
///       "hit_nodes", "graphs_after_errors": [{"generator", "nodes", "graphs": per seed, RANGE}],
///       "solved_by_depth", "iterations_by_depth": [{"depth", RANGE}], "slope", "settled": RANGE or
///       null}],
///     "criteria": [{"name", "series", "verdict", "seeds", "seeds_asked", "missing",
///       "alone": {"judged", "passing": seeds, by the first "parts"} or null,
///       "parts": [{"asks", "found", "verdict": null without a threshold}]}];
///   "published": methods with their words, and "contradictions".
report::Report make_report(const std::vector<RunRecord>& records);

}  // namespace logdepth::latent
