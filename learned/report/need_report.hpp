#pragma once

#include <string>
#include <vector>

#include "learned/report/depth_table.hpp"
#include "learned/report/need_series.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_report {

/// How many layers a length needs: constructed, published, and learned with a fixed depth and a free
/// length. need.md, need.json and need.svg; the same table and series give the same bytes. `table`:
/// for its constructed and published depths.
report::Report need_report(const DepthTable& table, const std::vector<NeedSeries>& series,
                           const std::string& command);

/// Its figure: a chart for each problem that has a series.
report::Picture need_picture(const DepthTable& table, const std::vector<NeedSeries>& series);

}  // namespace logdepth::inline learned_report
