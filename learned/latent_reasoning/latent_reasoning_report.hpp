#pragma once

#include <string>
#include <vector>

#include "learned/records/run_record.hpp"

namespace logdepth {

/// The report on latent-space reasoning: the methods by size and depth of graphs, iterations,
/// recovery from errors, the criteria LO-3 to LO-6, and what is published. From the runs of this
/// paper among the records, in all functions; the same records give the same bytes. Errors:
/// InputError where there is no such run, and naming the file of a result that cannot be read.

std::string latent_reasoning_markdown(const std::vector<RunRecord>& records);
/// One JSON object, ended by a newline:
///   "schema": "logdepth/report-latent-reasoning/1"; "thresholds": those of the criteria;
///   "sections", a list, one for each kind of training graphs: "title", "trained_nodes",
///     "generator", "not_run": names of rows without runs,
///     "series": [{"row", "title", "setting", "config", "seeds", "still_rising": seeds whose
///       learning curve rose at the end, "ended_early": [{"seed", "how"}], "weights", "layers_per_iteration": of a weights file, else
///       null, "solved", "nodes", "structure", "hit_nodes",
///       "graphs_after_errors": [{"generator", "nodes", "graphs": per seed, RANGE}], "solved_by_depth",
///       "iterations_by_depth": [{"depth", RANGE}], "slope", "settled": RANGE or null}],
///     "criteria": [{"name", "series", "verdict", "seeds", "seeds_asked", "missing",
///       "alone": {"judged", "passing": seeds, by the first "parts"} or null,
///       "parts": [{"asks", "found", "verdict": null without a threshold}]}];
///   "published": methods with their words, and "contradictions".
/// RANGE: "median", "least", "most" and the number of "seeds" that have it.
std::string latent_reasoning_json(const std::vector<RunRecord>& records);
std::string latent_reasoning_svg(const std::vector<RunRecord>& records);
/// Writes latent-reasoning.md, latent-reasoning.json and latent-reasoning.svg to the folder, which
/// is made if need be. Result: these names. Errors: also InputError when one cannot be written.
std::vector<std::string> save_latent_reasoning_report(const std::vector<RunRecord>& records,
                                                      const std::string& folder);

}  // namespace logdepth
