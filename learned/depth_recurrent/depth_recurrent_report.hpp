#pragma once

#include <string>
#include <vector>

#include "learned/records/run_record.hpp"

namespace logdepth {

/// The report on graph reachability by depth-recurrent transformers: our heatmaps beside the
/// published one, the frontier, and the criteria DR-1 to DR-3. From the runs of the hop task among
/// the records, in all functions; the same records give the same bytes. Errors: InputError where
/// there is no such run, and naming the file of a result that cannot be read.

std::string depth_recurrent_markdown(const std::vector<RunRecord>& records);
/// One JSON object, ended by a newline.
std::string depth_recurrent_json(const std::vector<RunRecord>& records);
/// Every group of runs that differ in the seed only, beside the published heatmap.
std::string depth_recurrent_svg(const std::vector<RunRecord>& records);
/// Writes depth-recurrent.md, depth-recurrent.json and depth-recurrent.svg to the folder, which is
/// made if need be. Errors: also InputError when it cannot be written.
void save_depth_recurrent_report(const std::vector<RunRecord>& records, const std::string& folder);

}  // namespace logdepth
