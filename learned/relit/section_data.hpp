#pragma once

#include <string>
#include <vector>

#include "learned/relit/runs.hpp"
#include "report/report.hpp"

namespace logdepth::relit {

/// ReLIT on everything that it was trained on, with the most samples that each was, beside what a
/// linear probe and a block that passes once make of the same states.
struct Bottleneck {
  std::string name;  ///< of the backbone, with what tells the series from others
  report::Row row;   ///< of a table; "relit", "linear_probe", "one_pass"
};

/// A section as tables and pictures have it.
struct SectionData {
  Section section;
  report::Data data;  ///< of the report
  std::vector<report::Row>
      rows;  ///< of the series in data: method, backbone, samples, seeds, state
  std::vector<Bottleneck> bottlenecks;
};
SectionData section_data(Section section);

/// The run whose answers are shown; null where none has any.
struct ShownRun {
  const Series* series = nullptr;
  const Run* run = nullptr;
};
ShownRun shown_run(const Section& section);

/// The macro steps that tables and pictures have room for: all of a few, else the first ones,
/// doublings and the last. Counted from 1.
std::vector<std::size_t> shown_steps(std::size_t steps);

}  // namespace logdepth::relit
