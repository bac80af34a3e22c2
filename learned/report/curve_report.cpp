#include "learned/report/curve_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "base/text_lines.hpp"
#include "learned/report/law_text.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/table_text.hpp"
#include "report/picture.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr double kCurvesMargin = 16, kCurvesWidth = 400, kCurvesHeight = 240;
constexpr std::array kHues = {kVermilion, kBlue, kGreen, kPurple, kOrange, kSky, kBlack};
/// Points of a drawn loss: neighbours are averaged to so many.
constexpr std::size_t kDrawnLosses = 200;

/// A run with the name that it has among the others.
struct CurveRun {
  std::string name;
  LearningCurve curve;
  PlotLine losses;  ///< by steps
  double steps = 0;
};

/// The columns `step` and `loss` of a run's readings; none where there is no such file.
PlotLine losses_of(const std::string& folder) {
  const std::string file = folder + "/" + kLossesFile;
  PlotLine losses;
  if (!std::filesystem::exists(file)) return losses;
  const std::string text = read_whole_file(file);
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.empty() || !lines[0].starts_with("step,seconds,stage,loss,"))
    throw InputError(file, 1, "expected the header step,seconds,stage,loss,accuracy,tokens");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::array<std::string_view, 4> columns;
    std::string_view rest = lines[i];
    for (std::string_view& column : columns) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      column = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const auto number = [&](std::string_view written) {
      double value = 0;
      const auto [end, failure] =
          std::from_chars(written.data(), written.data() + written.size(), value);
      if (failure != std::errc() || end != written.data() + written.size())
        throw InputError(file, i + 1, "expected numbers as step and loss");
      return value;
    };
    const PlotPoint reading = {number(columns[0]), number(columns[3])};
    if (std::isfinite(reading.second)) losses.push_back(reading);  // a diverged run has others
  }
  return losses;
}

/// Means of neighbours.
PlotLine thinned(const PlotLine& line) {
  const std::size_t together = (line.size() + kDrawnLosses - 1) / kDrawnLosses;
  PlotLine few;
  for (std::size_t first = 0; first < line.size(); first += together) {
    const std::size_t count = std::min(together, line.size() - first);
    PlotPoint mean;
    for (std::size_t i = first; i < first + count; ++i) {
      mean.first += line[i].first / static_cast<double>(count);
      mean.second += line[i].second / static_cast<double>(count);
    }
    few.push_back(mean);
  }
  return few;
}

/// The ends of the folders' names, as many parts as tell them apart.
std::vector<std::string> names_of(const std::vector<RunRecord>& records) {
  for (std::size_t parts = 1;; ++parts) {
    std::vector<std::string> names;
    std::set<std::string> different;
    bool whole = true;
    for (const RunRecord& record : records) {
      std::filesystem::path left = record.folder, name = left.filename();
      for (std::size_t i = 1; i < parts && left.has_parent_path(); ++i) {
        left = left.parent_path();
        name = left.filename() / name;
      }
      whole = whole && left.parent_path().empty();
      names.push_back(name.string());
      different.insert(names.back());
    }
    if (different.size() == names.size() || whole || parts > 16) return names;
  }
}

LineChart chart_of(const std::string& title, Axis x, Axis y, std::vector<PlotSeries> series) {
  LineChart chart;
  chart.title = title;
  chart.x = std::move(x);
  chart.y = std::move(y);
  chart.series = std::move(series);
  chart.width = kCurvesWidth;
  chart.height = kCurvesHeight;
  return chart;
}

report::Picture picture_of(const std::vector<CurveRun>& runs, const std::string& score) {
  SeriesLooks looks;
  std::vector<PlotSeries> scores, losses;
  double steps = 1, high = 0, loss = 0;
  Legend legend;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const CurveRun& run = runs[i];
    const SeriesStyle style =
        looks.next({kHues[i % kHues.size()], "", 1.6, "run", kSymbols[i % kSymbols.size()]});
    PlotSeries of_score{run.name, style}, of_loss{run.name, style, thinned(run.losses)};
    for (const LearningCurve::Point& point : run.curve.points) {
      const PlotPoint at = {static_cast<double>(point.steps), point.score};
      of_score.line.push_back(at);
      of_score.marks.push_back({at, fmt::format("{}, {} steps: {} {}", run.name, point.steps, score,
                                                short_number(point.score))});
      high = std::max(high, point.score);
    }
    for (const auto& [step, value] : of_loss.line) loss = std::max(loss, value);
    steps = std::max(steps, run.steps);
    legend.entries.push_back(legend_entry(of_score));
    scores.push_back(std::move(of_score));
    if (!of_loss.line.empty()) losses.push_back(std::move(of_loss));
  }
  const LineChart left = chart_of(score, counting_axis(steps, "steps"),
                                  decimal_axis(std::max(high, 0.1), score), scores);
  report::Picture picture{"curves.svg", "How training went", 0, kCurvesMargin};
  picture.strips.push_back(report::Strip{{{report::drawing(left), kCurvesMargin, 0}}});
  picture.width = 2 * kCurvesMargin + chart_width(left);
  if (!losses.empty()) {
    const LineChart right = chart_of("loss", counting_axis(steps, "steps"),
                                     decimal_axis(std::max(loss, 0.1), "loss"), losses);
    picture.strips.back().parts.push_back({report::drawing(right), picture.width, 0});
    picture.width += chart_width(right) + kCurvesMargin;
  }
  legend.columns = 2;
  legend.column_width = picture.width / 2.2;
  picture.strips.push_back(
      report::Strip{{{report::drawing(legend), 2 * kCurvesMargin, 0}}, kCurvesMargin});
  return picture;
}

}  // namespace

report::Report curve_report(const std::vector<RunRecord>& records) {
  if (records.empty()) throw InputError("expected a folder of training runs, found no record");
  if (records.size() > kMostCurves)
    throw InputError(fmt::format("expected at most {} runs in one picture, found {}", kMostCurves,
                                 records.size()));
  const std::vector<std::string> names = names_of(records);
  std::vector<CurveRun> runs;
  std::string score;
  for (std::size_t i = 0; i < records.size(); ++i) {
    CurveRun run{names[i], learning_curve(records[i]), losses_of(records[i].folder)};
    run.steps = fields_of(records[i], records[i].training, "training").number("steps");
    if (!run.curve.score.empty()) {
      if (!score.empty() && score != run.curve.score)
        throw InputError(records[i].folder + "/" + kRecordFile + ": expected the score '" + score +
                         "' of the runs before, found '" + run.curve.score + "'");
      score = run.curve.score;
    }
    runs.push_back(std::move(run));
  }
  if (score.empty()) score = "score";
  report::Report page{"curves", "How training went"};
  page.add(
      "The score after some numbers of steps, and the loss of the readings between, of each run.");
  const report::Picture picture = picture_of(runs, score);
  page.add_picture(picture);
  page.add(report::Figure{picture.file, "score and loss against steps"});
  report::Table table{{"run", markdown_text(score) + " after steps", "in training", "last loss"}};
  page.data = {{"score", score}, {"runs", report::Data::array()}};
  for (const CurveRun& run : runs) {
    std::vector<std::string> points;
    report::Data data = report::Data::array();
    for (const LearningCurve::Point& point : run.curve.points) {
      points.push_back(fmt::format("{}: {}", point.steps, short_number(point.score)));
      data.push_back({{"steps", point.steps}, {"score", point.score}});
    }
    table.rows.push_back({markdown_text(run.name), points.empty() ? kNothing : joined(points),
                          trend_name(run.curve.trend()),
                          run.losses.empty() ? kNothing : fixed_text(run.losses.back().second, 4)});
    report::Data losses = report::Data::array();
    for (const auto& [step, value] : thinned(run.losses)) losses.push_back({step, value});
    page.data["runs"].push_back({{"run", run.name}, {"points", data}, {"losses", losses}});
  }
  return page.add(table);
}

}  // namespace logdepth::inline learned_report
