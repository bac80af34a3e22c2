#pragma once

#include <string>

#include "learned/depth_recurrent/run_series.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// Whole difficulties, and halves that a median of an even number of seeds can give.
std::string whole_text(double value);
/// "trained on hops 1 to 5 with T uniform in 2 to 8".
std::string trained_text(const RecurrentSubject& subject, const TrainedRange& trained);
bool ended_early(const RecurrentRun& run);

/// What the base of a series is: a paragraph.
std::string settings_text(const RecurrentSeries& series);
/// The runs of the base by themselves, then every ablation that there are runs of.
void add_runs(report::Report& page, const RecurrentSeries& series);
/// What the gate lets in and how the state changes, step by step, of the base and of other gates.
/// `data`: of the series.
void add_gate(report::Report& page, const RecurrentSeries& series, const report::Data& data);

}  // namespace logdepth::inline learned_depth_recurrent
