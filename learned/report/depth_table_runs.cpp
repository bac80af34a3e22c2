#include <fmt/core.h>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/depth_table_text.hpp"
#include "learned/report/law_text.hpp"

namespace logdepth::inline learned_report {
namespace {

std::string slope_of(const DepthFit& fit) {
  return fit.fitted() ? decimal(fit.logarithmic.direct.a) + "; " + open_depths_text(fit)
                      : no_law_text(fit);
}

/// "6.14 M letters of words", tokens of other tasks.
std::string trained_text(const LearnedSeries& series) {
  const std::string tokens = tokens_text(series);
  if (tokens == kNothing) return tokens;
  return tokens + (series.unit == "letters" ? " letters of words" : " tokens");
}

std::string count_or_nothing(std::uint64_t count) {
  return count > 0 ? std::to_string(count) : kNothing;
}

/// "96384", "96384 for size 512".
std::string numbers_of_file(const ConstructedCurve& curve) {
  return count_or_nothing(curve.numbers) +
         (curve.file_of > 0 ? fmt::format(" for n = {}", curve.file_of) : "");
}

/// "3: 12, loose 16 (11 to 12), still improving".
std::string point_text(const RunPoint& point) {
  std::string text = short_number(point.point.depth) + ": " + (point.point.censored ? "≥ " : "") +
                     short_number(point.point.reach);
  if (point.loose && *point.loose != point.point.reach)
    text += ", loose " + short_number(*point.loose);
  if (point.interval)
    text += " (" +
            range_text(short_number(point.interval->low), short_number(point.interval->high)) + ")";
  return text + ", " + (point.point.censored ? "censored" : trend_name(point.trend));
}

/// "2: 96 k; 4: 2.96 M".
std::string passed_text(const std::vector<PassedSize>& passed) {
  std::vector<std::string> parts;
  for (const PassedSize& size : passed)
    parts.push_back(fmt::format("{}: {}", size.size, large_number(size.tokens)));
  return parts.empty() ? kNothing : joined(parts, "; ");
}

}  // namespace

TextTable compared_table(const DepthTable& table) {
  TextTable text;
  text.heading = "What is compared";
  text.before = {
      "A learned law and a constructed one are not laws of the same thing. Numbers in the file are "
      "the parameters of a trained network, those that are not 0 of a compiled one; where there is "
      "a "
      "compiled network per size, they are those of the largest that was counted. Trained is what "
      "a "
      "run has read; what was compiled read nothing."};
  text.columns = {"problem", "law",      "layers per doubling", "width", "numbers in the file",
                  "trained", "holds for"};
  for (const DepthProblem& problem : table.problems) {
    for (const LearnedRow& row : problem.learned)
      text.rows.push_back({problem.name, "learned, " + series_name(row.series), slope_of(row.law()),
                           std::to_string(row.series.width), parameters_text(row.series),
                           trained_text(row.series),
                           percent_text(row.series.threshold) + " of answers, measured"});
    if (const auto& line = problem.published)
      text.rows.push_back({problem.name, "published, " + line->kind,
                           "published: " + short_number(line->a), line->setting, kNothing,
                           line->training, "95 % of answers, " + line->source});
    for (const ConstructedCurve& curve : problem.constructed)
      text.rows.push_back(
          {problem.name,
           std::string(form_label(curve.form)) + ", " + curve.construction +
               (curve.form == ConstructedCurve::Form::claimed ? "" : ", " + curve.encoding),
           curve.slope ? decimal(*curve.slope) : kNothing, count_or_nothing(curve.width),
           numbers_of_file(curve), "none",
           curve.form == ConstructedCurve::Form::claimed ? curve.verification
                                                         : "exact; " + curve.verification});
  }
  return text;
}

TextTable runs_table(const DepthTable& table) {
  TextTable text;
  text.heading = "Run by run";
  text.before = {
      "What a network reached at which depth; in brackets what it would be if the share of right "
      "answers were, at every index, at the lower or the upper end of its 95 % interval (Wilson), "
      "which shows how much depends on the sampled words. Loose, where it differs, is the longest "
      "single length that is solved, whatever shorter ones are (MS25's measure). A reach is "
      "plateaued if the learning "
      "curve of that number of iterations has it throughout the second half of the steps, else "
      "still improving or falling; of a run that had ended in the first half and was continued, "
      "that end is compared with the last one. A record that does not tell iterations apart has "
      "one curve for all, of the network's own. (Curves of hops and distances are of shares of "
      "right answers, and plateaued where these grew by less than a fiftieth.) A length is passed "
      "when the curriculum leaves it or a point of the curve has it; tokens are those until then, "
      "and their growth per doubling is the geometric mean from the first passed length to the "
      "last. An own law is fitted to the iterations of one network."};
  text.columns = {"problem",
                  "kind",
                  "seed",
                  "depth: reach, loose (interval), in training",
                  "own law",
                  "tokens until a length was passed",
                  "tokens per doubling",
                  "steps",
                  "tokens",
                  "parameters"};
  const auto number = [](double value, const std::string& written) {
    return value > 0 ? written : std::string(kNothing);
  };
  for (const DepthProblem& problem : table.problems)
    for (const LearnedRow& row : problem.learned) {
      const LearnedSeries& series = row.series;
      for (std::size_t run = 0; run < series.runs.size(); ++run) {
        const SeriesRun& one = series.runs[run];
        std::vector<std::string> points;
        for (const RunPoint& point : series.points)
          if (point.run == run) points.push_back(point_text(point));
        const auto growth = tokens_per_doubling(one.passed);
        text.rows.push_back(
            {problem.name, series_title(series), std::to_string(one.seed),
             series.reach + " at " + joined(points, "; "),
             series.by_loops ? fitted_curve_text(series, row.run_fits[run]) : kNothing,
             passed_text(one.passed), growth ? "× " + decimal(*growth) : kNothing,
             count_or_nothing(one.steps), number(one.tokens, large_number(one.tokens)),
             number(one.parameters, fixed_text(one.parameters, 0))});
      }
    }
  return text;
}

}  // namespace logdepth::inline learned_report
