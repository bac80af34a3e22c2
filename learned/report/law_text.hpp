#pragma once

#include <string>

#include "learned/report/depth_table.hpp"

namespace logdepth::inline learned_report {

/// What stands in a cell that has nothing to say.
inline constexpr const char* kNothing = "–";

/// At most four digits, no more than needed: "6", "2.5".
std::string short_number(double value);
std::string decimal(double value);  ///< two digits after the point
/// "4.80 log2 n* - 15.80".
std::string line_text(double a, double b, const std::string& x);
/// "96 k", "6.14 M", as tokens are counted.
std::string large_number(double value);
/// "54562", or "54562 to 154950".
std::string range_text(const std::string& least, const std::string& most);

/// "stack", "loop (0, 1, 0), by iterations", with what tells the series from others.
std::string series_name(const LearnedSeries& series);
/// The same with width and device.
std::string series_title(const LearnedSeries& series);
/// The same for a figure, with settings that have a name in words: "looped transformer (0, 1, 0)".
std::string series_words(const LearnedSeries& series);
/// "transformer without loops", "looped transformer"; kinds of other tasks as they are.
std::string kind_words(const LearnedSeries& series);
/// What a learned law rests on: "5 seeds, 6000 steps and 6.14 M tokens each".
std::string budget_text(const LearnedSeries& series);
/// Numbers of parameters, and tokens, of the runs: the least and the most. "–" where they are not
/// recorded.
std::string parameters_text(const LearnedSeries& series);
std::string tokens_text(const LearnedSeries& series);

/// "log2 n*", or "n*" of the linear law.
std::string law_argument(const LearnedSeries& series, bool linear);
/// "0 of 3 depths censored", and how many had not plateaued.
std::string open_depths_text(const DepthFit& fit);
/// The law that is shown, "d = 4.80 log2 n* - 15.80, r2 = 1.00", its interval, and how many depths were
/// censored: a slope is never printed without. No law with the same number otherwise.
std::string fitted_curve_text(const LearnedSeries& series, const DepthFit& fit);
/// "no law: 4 depths; 1 of 5 depths censored".
std::string no_law_text(const DepthFit& fit);
/// "1000 resamples of whole seeds, 12 not fitted".
std::string resamples_text(const DepthFit& fit);

}  // namespace logdepth::inline learned_report
