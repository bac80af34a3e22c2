#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learned/encode_think_decode/etd_runs.hpp"
#include "learned/language_model/measurement_figures.hpp"
#include "learned/report/report_runs.hpp"

namespace logdepth {

/// What the report is made from.
struct EtdFindings {
  EtdRuns runs;
  std::vector<AngularDistances> distances;
  std::vector<LoopsPicture> loops;  ///< with the cut by the distances of the same model
};
/// Errors: those of etd_runs and of the measurements (model_measurements.hpp), and InputError where
/// there is nothing of this paper.
EtdFindings etd_findings(const ReportRuns& runs);

/// The report on Encode-Think-Decode: the cut by angular distances, loops without training, mid-trained
/// shapes beside what is published, adaptive depth, the criteria ETD-3 to ETD-5. The same runs give
/// the same bytes. Errors of all: those of etd_findings.
std::string etd_markdown(const ReportRuns& runs);
/// One JSON object, ended by a newline:
///   "schema": "logdepth/report-etd/1"; "distances" and "loops": the measurements; "bases" and
///   "sections": "title", "base", "cut", "series": [{"shape", "passes", "seeds", "state",
///     "accuracy": {kind: MEAN}, "loops": {kind: MEAN}, "change": {kind: {"once", "changed",
///     "difference", "relative": MEAN or null}}}], "criteria"; "criteria"; "published".
/// MEAN: "mean", "error" (null of one seed), "seeds".
std::string etd_json(const ReportRuns& runs);
/// Writes etd.md, etd.json, and the pictures that there is something for, etd.svg of mid-trained
/// shapes, etd-angular.svg, etd-loops.svg, to the folder, which is made if need be. Result: their
/// names. Errors: also InputError when one cannot be written.
std::vector<std::string> save_etd_report(const ReportRuns& runs, const std::string& folder);

}  // namespace logdepth
