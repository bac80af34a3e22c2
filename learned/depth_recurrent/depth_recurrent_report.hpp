#pragma once

#include <vector>

#include "learned/records/run_record.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// The report on depth-recurrent transformers: for each task our heatmap beside the published one,
/// the frontier, what the gate does, and the ablations; the criteria DR-1 to DR-5; a picture for each
/// task, as in depth-recurrent-expressions.svg. From the runs of this paper's tasks among the records;
/// the same records give the same report. Errors: those of recurrent_series.
report::Report depth_recurrent_report(const std::vector<RunRecord>& records);

}  // namespace logdepth::inline learned_depth_recurrent
