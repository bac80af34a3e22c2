#pragma once

#include <vector>

#include "learned/encode_think_decode/runs.hpp"
#include "report/report.hpp"

namespace logdepth::etd {

/// A section, or a base, as tables and pictures have it.
struct SectionData {
  Section section;
  report::Data data;              ///< of the report
  std::vector<report::Row> rows;  ///< of the series in data: shape, layers, passes, seeds
  std::vector<report::Criterion> criteria;

  const report::Row& row_of(const Series& series) const {
    return rows[static_cast<std::size_t>(&series - section.series.data())];
  }
};
SectionData section_data(Section section);

/// What a series has of a kind under "accuracy", "loops" or "change"; null without.
const report::Data& of_kind(const report::Data& series, const char* number,
                            const std::string& kind);

}  // namespace logdepth::etd
