#pragma once

#include <string>
#include <vector>

#include "learned/report/criteria.hpp"
#include "learned/report/series.hpp"
#include "report/layer_curve.hpp"
#include "report/report.hpp"

namespace logdepth { inline namespace learned_report {

/// The page NAME.md of runs and of a paper, of all runs without one: verdicts, a table for each difficulty with a row a
/// series, one figure; NAME.json holds the same. Errors: InputError without runs that the paper is about.
report::Report comparison(const std::vector<RunSeries>& all, const PaperFile& paper);

/// The page depth.md: layers for n letters, constructed, claimed and published, beside those of trained networks of
/// word problems, whose depth is fixed and whose length is free, or whose iterations a schedule prescribes. A
/// construction with several encodings of positions is shown in that of the fewest layers. The runs that the paper is
/// about may be none. `command`: that makes the page.
report::Report layers_page(const std::vector<RunSeries>& runs, const PaperFile& paper,
                           const std::vector<report::LayerCurve>& constructed,
                           const std::string& command);

}}  // namespace logdepth::learned_report
