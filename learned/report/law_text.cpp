#include "learned/report/law_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr double kThousand = 1e3, kMillion = 1e6;

/// The least and the most that the runs have of a number; "–" where some run has none.
template <class Number>
std::string runs_range(const LearnedSeries& series, const Number& number,
                       std::string (*text)(double)) {
  double least = 0, most = 0;
  for (const SeriesRun& run : series.runs) {
    const auto value = static_cast<double>(number(run));
    if (value <= 0) return kNothing;
    least = least == 0 ? value : std::min(least, value);
    most = std::max(most, value);
  }
  return series.runs.empty() ? kNothing : range_text(text(least), text(most));
}

std::string whole_number(double value) {
  return fixed_text(value, 0);
}

}  // namespace

std::string short_number(double value) {
  return short_text(value, 4);
}

std::string decimal(double value) {
  return fixed_text(value, 2);
}

std::string line_text(double a, double b, const std::string& x) {
  return decimal(a) + " " + x + (b < 0 ? " - " : " + ") + decimal(std::fabs(b));
}

std::string large_number(double value) {
  if (value >= kMillion) return decimal(value / kMillion) + " M";
  return value >= kThousand ? fixed_text(value / kThousand, 0) + " k" : fixed_text(value, 0);
}

std::string range_text(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

std::string series_name(const LearnedSeries& series) {
  std::string name = series.kind;
  if (!series.shape.empty()) name += " " + series.shape;
  if (series.by_loops) name += ", by iterations";
  if (!series.setting.empty()) name += ", " + series.setting;
  return name;
}

std::string series_title(const LearnedSeries& series) {
  return fmt::format("{}, width {}, {}", series_name(series), series.width, series.device);
}

std::string kind_words(const LearnedSeries& series) {
  if (series.kind == "stack") return "non-looped transformer";
  if (series.kind == "loop") return "looped transformer, a fixed number of iterations";
  if (series.kind == "adaptive loop") return "looped transformer";
  return series.kind;
}

std::string series_words(const LearnedSeries& series) {
  std::string words = kind_words(series);
  if (!series.shape.empty()) words += " " + series.shape;
  if (series.by_loops) words += ", by iterations";
  for (std::size_t at = 0; at < series.setting.size();) {
    const std::size_t end = std::min(series.setting.find(", ", at), series.setting.size());
    std::string setting = series.setting.substr(at, end - at);
    // "model.step_scale=0.1" is "step scale 0.1".
    if (const std::size_t value = setting.find('='); value != std::string::npos) {
      setting[value] = ' ';
      setting.erase(0, setting.rfind('.', value) + 1);
      std::ranges::replace(setting, '_', ' ');
    }
    words += ", " + setting;
    at = end + 2;
  }
  return fmt::format("{}, width {}, {}", words, series.width, series.device);
}

std::string budget_text(const LearnedSeries& series) {
  std::set<std::uint64_t> seeds;
  for (const SeriesRun& run : series.runs) seeds.insert(run.seed);
  std::string text = counted(seeds.size(), "seed");
  const std::string steps = runs_range(
      series, [](const SeriesRun& run) { return run.steps; }, whole_number);
  if (steps != kNothing) text += ", " + steps + " steps";
  const std::string tokens = tokens_text(series);
  return tokens == kNothing ? text : text + " and " + tokens + " tokens a run";
}

std::string parameters_text(const LearnedSeries& series) {
  return runs_range(
      series, [](const SeriesRun& run) { return run.parameters; }, whole_number);
}

std::string tokens_text(const LearnedSeries& series) {
  return runs_range(
      series, [](const SeriesRun& run) { return run.tokens; }, large_number);
}

std::string law_argument(const LearnedSeries& series, bool linear) {
  return linear ? series.reach : "log2 " + series.reach;
}

std::string open_depths_text(const DepthFit& fit) {
  std::string text = share_text(fit.censored_depths, fit.cells.size()) + " depths censored";
  if (fit.unsettled_depths > 0) text += fmt::format(", {} not plateaued", fit.unsettled_depths);
  if (fit.undetermined_depths > 0)
    text += fmt::format(", {} that too few seeds were trained for", fit.undetermined_depths);
  return text;
}

std::string no_law_text(const DepthFit& fit) {
  return "no law: " + counted(fit.fitted_depths, "depth") + "; " + open_depths_text(fit);
}

std::string resamples_text(const DepthFit& fit) {
  return fmt::format("{} resamples of whole seeds, {} not fitted", kResamples,
                     kResamples - fit.resamples);
}

std::string fitted_curve_text(const LearnedSeries& series, const DepthFit& fit) {
  if (!fit.fitted()) return no_law_text(fit);
  const bool linear = fit.shows_line();
  const CurveFit& curve = fit.shown();
  std::string text =
      "d = " + line_text(curve.direct.a, curve.direct.b, law_argument(series, linear)) +
      ", r2 = " + decimal(curve.direct.r2);
  if (linear && curve.direct.a > 0)
    text += " (linear: " + decimal(1 / curve.direct.a) + " " + series.unit + " per layer)";
  if (curve.a && curve.b)
    text += ", 95 %: a " + decimal(curve.a->low) + " to " + decimal(curve.a->high) + ", b " +
            decimal(curve.b->low) + " to " + decimal(curve.b->high) + " (" + resamples_text(fit) +
            ")";
  return text + "; " + open_depths_text(fit);
}

}  // namespace logdepth::inline learned_report
