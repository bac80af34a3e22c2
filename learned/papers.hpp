#pragma once

#include <vector>

#include "learned/records/experiment.hpp"
#include "learned/records/network_settings.hpp"
#include "learned/records/task_settings.hpp"
#include "learned/report/paper_report.hpp"
#include "learned/report/published_line.hpp"

namespace logdepth::inline learned {

/// What the folder of a source paper offers to the rest of the program, as data.
struct Paper {
  std::vector<TaskConfig> tasks;        ///< the defaults of each kind
  std::vector<NetworkConfig> networks;  ///< the defaults of each kind that it brings
  std::vector<MakeExperiment> experiments;
  std::vector<PaperReport> reports;
  std::vector<PaperProbe> probes;
  std::vector<PublishedLine> published;
};

/// All of them. Adding one is a folder and a line in papers.list.
const std::vector<Paper>& papers();
/// The published lines of all of them.
const std::vector<PublishedLine>& published_lines();

}  // namespace logdepth::inline learned
