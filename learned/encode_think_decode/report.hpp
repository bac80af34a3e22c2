#pragma once

#include "learned/report/report_runs.hpp"

namespace logdepth::etd {

/// The report on Encode-Think-Decode: the cut by angular distances, loops without training, mid-trained
/// shapes beside what is published, adaptive depth, the criteria ETD-3 to ETD-5. The same runs give
/// the same bytes. Its pictures are those that there is something for: etd.svg of mid-trained shapes,
/// etd-angular.svg, etd-loops.svg. Its data:
///   "schema": "logdepth/report-etd/1"; "distances" and "loops": the measurements; "bases" and
///   "sections": "title", "base", "cut", "series": [{"shape", "passes", "seeds", "state",
///     "accuracy": {kind: MEAN}, "loops": {kind: MEAN}, "change": {kind: {"once", "changed",
///     "difference", "relative": MEAN or null}}}], "criteria"; "criteria"; "published".
/// MEAN: "mean", "error" (null of one seed), "seeds".
/// Errors: those of runs_of and of the measurements (model_measurements.hpp), and InputError where
/// there is nothing of this paper.
report::Report make_report(const ReportRuns& runs);

}  // namespace logdepth::etd
