#pragma once

#include <string>
#include <vector>

#include "learned/records/run_record.hpp"

namespace logdepth {

/// The report on depth-recurrent transformers: for each task our heatmap beside the published one,
/// the frontier, what the gate does, and the ablations; the criteria DR-1 to DR-5. From the runs of
/// this paper's tasks among the records, in all functions; the same records give the same bytes.
/// Errors: those of recurrent_series.

std::string depth_recurrent_markdown(const std::vector<RunRecord>& records);
/// One JSON object, ended by a newline.
std::string depth_recurrent_json(const std::vector<RunRecord>& records);
/// Writes depth-recurrent.md, depth-recurrent.json and a picture for each task, as in
/// depth-recurrent-expressions.svg, to the folder, which is made if need be. Result: the names of
/// the files. Errors: also InputError when they cannot be written.
std::vector<std::string> save_depth_recurrent_report(const std::vector<RunRecord>& records,
                                                     const std::string& folder);

}  // namespace logdepth
