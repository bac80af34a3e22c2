#pragma once

#include <vector>

#include "learned/records/experiment.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned {

/// What the folder of a source paper offers to the rest of the program, as data.
struct Paper {
  std::vector<TaskConfig> tasks;  ///< the defaults of each kind
  std::vector<MakeExperiment> experiments;
};

/// All of them. Adding one is a folder and a line in papers.cpp.
const std::vector<Paper>& papers();

}}  // namespace logdepth::learned
