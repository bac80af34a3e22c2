#include "learned/report/depth_table_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/law_text.hpp"

namespace logdepth::inline learned_report {
namespace {

// --- learned -------------------------------------------------------------------------------------

std::string reach_text(const DepthCell& cell) {
  const bool least = cell.censored || (cell.unsettled && cell.at_least);
  return (least               ? "≥ "
          : cell.undetermined ? "≤ "
                              : "") +
         short_number(cell.reach) + (cell.unsettled ? " ↑" : "");
}

/// "4: 6 / 5.5 (5 6)": depth, best, median, seeds.
std::string cells_text(const LearnedRow& row) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < row.best.cells.size(); ++i) {
    const DepthCell& best = row.best.cells[i];
    std::vector<std::string> seeds;
    for (const double reach : best.reaches) seeds.push_back(short_number(reach));
    if (best.absent_seeds > 0) seeds.push_back(fmt::format("and {} absent", best.absent_seeds));
    parts.push_back(short_number(best.depth) + ": " + reach_text(best) + " / " +
                    reach_text(row.median.cells[i]) + " (" + joined(seeds, " ") + ")");
  }
  return joined(parts, "; ");
}

std::string curve_text(const LearnedSeries& series, const CurveFit& curve, bool linear) {
  const std::string x = law_argument(series, linear);
  std::string text =
      line_text(curve.direct.a, curve.direct.b, x) + ", r2 = " + decimal(curve.direct.r2) +
      "; inverted " +
      (curve.inverse ? line_text(curve.inverse->first, curve.inverse->second, x) : kNothing);
  if (curve.a && curve.b)
    text += "; 95 %: a " + decimal(curve.a->low) + " to " + decimal(curve.a->high) + ", b " +
            decimal(curve.b->low) + " to " + decimal(curve.b->high);
  return text;
}

/// What the points of a series are: "3 plateaued, 1 still improving, 2 censored".
std::string points_text(const LearnedSeries& series) {
  using Trend = LearningCurve::Trend;
  const auto part = [&](const char* name, const auto& is) {
    const auto points = std::ranges::count_if(series.points, is);
    return points == 0 ? "" : fmt::format("{} {}", points, name);
  };
  std::vector<std::string> parts;
  for (const Trend trend : {Trend::flat, Trend::rising, Trend::falling, Trend::unknown})
    parts.push_back(
        part(trend == Trend::unknown ? "without a learning curve" : trend_name(trend),
             [&](const RunPoint& point) { return !point.point.censored && point.trend == trend; }));
  parts.push_back(part("censored", [](const RunPoint& point) { return point.point.censored; }));
  std::erase(parts, "");
  return joined(parts);
}

std::string law_cell(const LearnedRow& row) {
  std::string text = verdict_text(row.verdict);
  if (const DepthFit& fit = row.law(); fit.resamples > 0)
    text += std::string("; the ") + (fit.choice == SeedChoice::best ? "best" : "median") +
            " seed is logarithmic in " + share_text(fit.logarithmic_wins, fit.resamples) +
            " resamples that were fitted (" + resamples_text(fit) + ")";
  return text;
}

/// "× 1.90 (median; 1.20 to 3.10), 4 of 5 runs". Of words only.
std::string growth_text(const LearnedRow& row) {
  if (row.series.unit != "letters") return kNothing;
  if (!row.tokens) return "no run passed two lengths";
  const report::Range& factor = row.tokens->factor;
  return "× " + decimal(factor.median) +
         (factor.seeds > 1
              ? " (median; " + decimal(factor.least) + " to " + decimal(factor.most) + ")"
              : "") +
         ", " + share_text(factor.seeds, row.tokens->runs) + " runs";
}

std::string cost_text(const SeriesCost& cost) {
  std::string text = counted(cost.runs, "run") + ", " + fixed_text(cost.seconds, 0) + " s";
  if (cost.runs > 1)
    text += " (" + fixed_text(cost.least, 0) + " to " + fixed_text(cost.most, 0) + " each)";
  return text + " on " + joined(cost.processors, ", ");
}

/// What both curves of a fit are.
std::vector<std::string> curve_cells(const LearnedSeries& series, const DepthFit& fit) {
  const std::string open =
      fmt::format("{} ({} points)", open_depths_text(fit), fit.censored_points);
  if (!fit.fitted())
    return {fmt::format("no law: {}; {}", counted(fit.fitted_depths, "depth"), open), kNothing};
  return {curve_text(series, fit.logarithmic, false) + "; " + open,
          curve_text(series, fit.linear, true) + "; " + open};
}

TextTable learned_table(const DepthTable& table) {
  TextTable text;
  text.heading = "Learned";
  text.before = {
      "Measured at the accuracy that is named: the largest size such that it and every smaller one "
      "reach it. A depth is censored (≥) if the largest tested size was solved, and not plateaued "
      "(↑) if its learning curve changed in the second half of the steps, or has no point in the "
      "first half; neither enters a fit. A seed whose training never came to a number of "
      "iterations is absent there: it counts with at most what it reached with fewer, and a depth "
      "whose choice depends on it (≤) enters no fit either.",
      "A law needs at least 5 settled depths. Fits are ordinary least squares of the depth d on "
      "log2 of the size, the best seed of each depth as in MS25, and the median seed below where "
      "there are several; inverted is log2 of the size on d, solved for d. The closer law, "
      "logarithmic or linear, is the one with the smaller sum of squared residuals of d (the same "
      "number of parameters, so AIC, AICc and BIC agree); an AICc better by less than 2 decides "
      "little, and a law is called not logarithmic only on plateaued points of three seeds at "
      "every "
      "depth. Intervals are percentiles over 1000 resamples of whole networks, each with all of "
      "its depths; how many could not be fitted is printed. Tokens per doubling: by what factor "
      "training grows until twice the length is passed."};
  text.columns = {"problem",
                  "kind",
                  "width",
                  "depth: best / median (seeds)",
                  "points",
                  "seeds",
                  "logarithmic law: a, b, r2, interval, both ways",
                  "linear law",
                  "law",
                  "tokens per doubling",
                  "status",
                  "measured at",
                  "budget and cost",
                  "note"};
  const auto append = [](std::vector<std::string>& cells, const std::vector<std::string>& more) {
    cells.insert(cells.end(), more.begin(), more.end());
  };
  for (const DepthProblem& problem : table.problems)
    for (const LearnedRow& row : problem.learned) {
      const LearnedSeries& series = row.series;
      const bool several = row.best.several_seeds > 0;
      std::vector<std::string> cells = {problem.name,
                                        series_name(series),
                                        std::to_string(series.width),
                                        series.reach + " at " + cells_text(row),
                                        points_text(series),
                                        several ? "best" : "one"};
      append(cells, curve_cells(series, row.best));
      append(cells,
             {law_cell(row), growth_text(row), status_label(row.status),
              percent_text(series.threshold),
              budget_text(series) + "; " + cost_text(series.cost) + " (" + series.device + ")",
              joined(row.notes, "; ")});
      text.rows.push_back(std::move(cells));
      if (!several) continue;
      cells = {"", "", "", "", "", "median"};
      append(cells, curve_cells(series, row.median));
      append(cells, {"", "", "", "", "", ""});
      text.rows.push_back(std::move(cells));
    }
  return text;
}

TextTable width_table(const DepthTable& table) {
  TextTable text;
  text.heading = "Widths at one depth";
  if (const auto& published = table.published_widths)
    text.before = {"Published, " + published->problem + ": " + published->text +
                   ", r2 = " + decimal(published->r2) + " (" + published->source + "; " +
                   published->setting + ")."};
  text.columns = {"problem", "kind", "depth", "width: best", "reach = a log2 w + b", "cost"};
  for (const WidthRow& row : table.widths) {
    const LearnedWidths& series = row.series;
    std::vector<std::string> cells;
    for (const DepthCell& cell : row.best.cells)
      cells.push_back(fixed_text(std::exp2(cell.depth), 0) + ": " + reach_text(cell));
    std::string censored =
        share_text(row.best.censored_widths, row.best.cells.size()) + " widths censored";
    if (row.best.unsettled_widths > 0)
      censored += fmt::format(", {} not plateaued", row.best.unsettled_widths);
    text.rows.push_back(
        {series.problem, series.kind + (series.shape.empty() ? "" : " " + series.shape),
         short_number(series.depth), series.reach + " at " + joined(cells, ", "),
         row.best.fitted()
             ? series.reach + " = " + line_text(row.best.line.a, row.best.line.b, "log2 w") +
                   ", r2 = " + decimal(row.best.line.r2) + "; " + censored
             : row.best.refusal,
         cost_text(series.cost) + " (" + series.device + ")"});
  }
  return text;
}

// --- constructed ---------------------------------------------------------------------------------

std::string slope_text(const std::optional<double>& slope) {
  return slope ? decimal(*slope) : kNothing;
}

/// "1.00 (scan, first-flag); 1.00 (scan, two-circle)".
std::string forms_text(const DepthProblem& problem, ConstructedCurve::Form form) {
  std::vector<std::string> parts;
  for (const ConstructedCurve& curve : problem.constructed)
    if (curve.form == form)
      parts.push_back(slope_text(curve.slope) + " (" + curve.construction +
                      (form == ConstructedCurve::Form::claimed || curve.encoding.empty()
                           ? ""
                           : ", " + curve.encoding) +
                      ")");
  return parts.empty() ? kNothing : joined(parts, "; ");
}

std::string verification_text(const DepthProblem& problem) {
  std::vector<std::string> parts;
  for (const ConstructedCurve& curve : problem.constructed)
    if (curve.form != ConstructedCurve::Form::claimed &&
        std::find(parts.begin(), parts.end(), curve.verification) == parts.end())
      parts.push_back(curve.verification);
  return parts.empty() ? kNothing : joined(parts, "; ");
}

/// The statement of a learned law: what it rests on, and always layers per doubling, for comparison
/// with the constructions; also the linear curve where that is closer.
std::string learned_text(const LearnedRow& row) {
  const auto law = [&](const DepthFit& fit) {
    if (!fit.fitted() || !fit.shows_line()) return fitted_curve_text(row.series, fit);
    const LeastSquares& curve = fit.logarithmic.direct;
    return "d = " + line_text(curve.a, curve.b, law_argument(row.series, false)) +
           ", r2 = " + decimal(curve.r2) + "; closer: " + fitted_curve_text(row.series, fit);
  };
  const std::string rests = budget_text(row.series) + ": ";
  if (row.best.several_seeds == 0) return rests + law(row.best);
  return rests + "best seed " + law(row.best) + "; median seed " + law(row.median);
}

std::string published_text(const DepthProblem& problem, const std::string& kind) {
  if (!problem.published || (!kind.empty() && kind != problem.published->kind)) return kNothing;
  const PublishedLine& line = *problem.published;
  return "published: a = " + short_number(line.a) + ", b = " + short_number(line.b) +
         ", r2 = " + decimal(line.r2) + " for " + short_number(line.first) + " to " +
         short_number(line.last) + " letters (" + line.source + "; " + line.setting + ")";
}

TextTable side_by_side(const DepthTable& table) {
  TextTable text;
  text.heading = "Side by side";
  text.before = {
      "Layers per doubling of the size, and tokens of training per doubling. Constructed numbers "
      "are counted on weights files and "
      "verified for all words or graphs of the tested sizes, sampled beyond; learned ones are "
      "measured. What a paper prints is labelled published or claimed, and nothing of it was run."};
  text.columns = {"problem",
                  "kind",
                  "learned",
                  "law",
                  "status",
                  "tokens per doubling",
                  "published",
                  "theorem as claimed (not built)",
                  "repaired, counted",
                  "optimised, counted",
                  "verification"};
  for (const DepthProblem& problem : table.problems) {
    using Form = ConstructedCurve::Form;
    const std::vector<std::string> constructed = {
        forms_text(problem, Form::claimed), forms_text(problem, Form::repaired),
        forms_text(problem, Form::optimised), verification_text(problem)};
    const auto add = [&](std::vector<std::string> cells, bool first) {
      for (const std::string& cell : constructed) cells.push_back(first ? cell : "as above");
      text.rows.push_back(std::move(cells));
    };
    for (const LearnedRow& row : problem.learned)
      add({problem.name, series_title(row.series), learned_text(row), verdict_text(row.verdict),
           status_label(row.status), growth_text(row), published_text(problem, row.series.kind)},
          &row == &problem.learned.front());
    if (problem.learned.empty())
      add({problem.name, kNothing, "no runs", kNothing, kNothing, kNothing,
           published_text(problem, "")},
          true);
  }
  return text;
}

TextTable constructed_table(const DepthTable& table) {
  TextTable text;
  text.heading = "Constructed";
  text.before = {
      "Executed layers, initial + iterations x repeated + final, counted on the compiled file at "
      "every size; for reachability the size is the distance h of the ends of a path through h + 1 "
      "vertices, the largest there is. The slope is the least-squares line through these counts. A "
      "form under richer positions is listed next to the best one under first-flag, the paper's "
      "own. The claim for one network per length counts the end token too."};
  text.columns = {"problem", "form",         "construction", "positions",
                  "depth",   "size: layers", "slope",        "verification"};
  for (const DepthProblem& problem : table.problems)
    for (const ConstructedCurve& curve : problem.constructed) {
      std::vector<std::string> counts;
      for (const auto& [size, depth] : curve.depths)
        counts.push_back(fmt::format("{}: {}", size, depth));
      text.rows.push_back({problem.name, form_label(curve.form), curve.construction, curve.encoding,
                           curve.formula, counts.empty() ? kNothing : joined(counts, ", "),
                           slope_text(curve.slope), curve.verification});
    }
  return text;
}

}  // namespace

namespace {

/// A law in a word: "logarithmic, 1.00 layers per doubling", "no law (4 depths)".
std::string law_word(const LearnedRow& row) {
  if (!row.law().fitted())
    return fmt::format("no law ({})", counted(row.law().fitted_depths, "settled depth"));
  std::string word = law_name(row.verdict.law);
  if (row.verdict.law == LawVerdict::Law::logarithmic)
    word += ", " + decimal(row.law().logarithmic.direct.a) + " layers per doubling" +
            (row.law().choice == SeedChoice::median ? " (median seed)" : "");
  return word;
}

/// The laws of what was learned, in a word each: "A5, adaptive loop: logarithmic, 1.00 layers per
/// doubling". Series that say the same are said once, those of one kind that differ by their
/// settings.
std::string headline(const DepthTable& table) {
  std::size_t series = 0, fitted = 0, most = 0;
  for (const DepthProblem& problem : table.problems)
    for (const LearnedRow& row : problem.learned) {
      ++series;
      fitted += row.law().fitted();
      most = std::max(most, row.law().fitted_depths);
    }
  if (series > 0 && fitted == 0)
    return fmt::format(
        "Learned laws of depth: none. A law needs {} settled depths, and of {} no one has "
        "more than {}.",
        kFewestDepths, counted(series, "series", "series"), most);
  std::vector<std::string> laws;
  for (const DepthProblem& problem : table.problems)
    for (const LearnedRow& row : problem.learned) {
      const std::string word = law_word(row);
      const bool alike = std::ranges::all_of(problem.learned, [&](const LearnedRow& other) {
        return other.series.kind != row.series.kind || law_word(other) == word;
      });
      std::string text =
          problem.name + ", " + (alike ? row.series.kind : series_title(row.series)) + ": " + word;
      if (std::ranges::count(laws, text) == 0) laws.push_back(std::move(text));
    }
  return laws.empty() ? "" : "Learned laws of depth: " + joined(laws, "; ") + ".";
}

bool has_adaptive_loops(const DepthTable& table) {
  return std::ranges::any_of(table.problems, [](const DepthProblem& problem) {
    return std::ranges::any_of(
        problem.learned, [](const LearnedRow& row) { return row.series.kind == "adaptive loop"; });
  });
}

}  // namespace

std::vector<std::string> depth_table_introduction(const DepthTable& table) {
  std::vector<std::string> text;
  if (std::string laws = headline(table); !laws.empty()) text.push_back(std::move(laws));
  text.emplace_back(
      "Depth against size: how many layers trained networks need, how many the theorems of MS25 "
      "claim, and how many compiled weights have.");
  if (table.records == 0) {
    text.emplace_back(
        "No training runs were given, so there are only constructed and published numbers.");
  } else {
    std::string read = fmt::format("Training runs that were read: {}", table.records);
    if (table.constructed_runs > 0)
      read += fmt::format(
          ", of which {} began with compiled weights and have no place among what was learned",
          table.constructed_runs);
    text.push_back(read + ".");
    if (table.repeated_runs > 0)
      text.push_back(
          fmt::format("Left out: {} with the configuration and seed of another one, as copied "
                      "folders have them and "
                      "runs that were gone on with. The run with the most steps counts, of equal "
                      "ones the first.",
                      counted(table.repeated_runs, "record")));
    text.emplace_back(
        "A learned slope holds at the accuracy that is named, between the sizes that were "
        "reached, for one budget; a constructed one is exact at every size. That the one is "
        "smaller does not make it the better circuit. Learned networks read every element as a "
        "letter unless their settings differ, constructed ones generators. Depth has to "
        "grow only for groups that are not solvable (A5, S5), if TC0 is not NC1; Z2, S3 and A4 "
        "are solvable.");
    if (has_adaptive_loops(table))
      text.emplace_back(
          "An adaptive loop is given one iteration per doubling of the length, so its slope is "
          "that of its schedule: it shows that training succeeds at this depth, not that training "
          "chose it. What a length needs is measured with fixed depth and free length (compare "
          "depth --need).");
  }
  return text;
}

std::vector<TextTable> depth_text_tables(const DepthTable& table) {
  std::vector<TextTable> tables;
  for (TextTable& text : std::vector<TextTable>{
           side_by_side(table), compared_table(table), learned_table(table), reach_table(table),
           edge_table(table), runs_table(table), width_table(table), constructed_table(table)})
    if (!text.rows.empty()) tables.push_back(std::move(text));
  return tables;
}

}  // namespace logdepth::inline learned_report
