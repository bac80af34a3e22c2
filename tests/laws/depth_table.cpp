// The table of depths: what runs become, what it says about them, and what it may never say.
#include "learned/report/depth_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/papers.hpp"
#include "learned/reachability/relation_task.hpp"
#include "learned/report/depth_figure.hpp"
#include "learned/report/depth_table_text.hpp"
#include "learned/word_problems/word_task.hpp"
#include "objects/input_error.hpp"

namespace logdepth::depth_table_tests {
namespace {

using Json = nlohmann::ordered_json;

/// The table with what MS25 prints.
DepthTable depth_table(const std::vector<RunRecord>& records,
                       const std::vector<ConstructedCurve>& constructed) {
  return logdepth::depth_table(records, constructed, published_lines());
}

RunRecord record_of(TaskConfig task, Json result) {
  RunRecord record;
  record.config.task = std::move(task);
  record.config.model.initial = 1;
  record.config.model.repeated = 0;
  record.machine = {{"device", "cpu"}, {"processor", "a processor"}};
  record.training = {{"steps", 1500}, {"seconds", 60.0}, {"stopped", "steps"}};
  record.result = std::move(result);
  record.folder = "runs/one";
  return record;
}

/// A stack of `depth` layers that was asked for 16 letters.
RunRecord words(const std::string& monoid, std::uint32_t depth, int reach, std::uint64_t seed = 1) {
  WordTaskConfig task;
  task.monoid = monoid;
  RunRecord record = record_of(
      task, {{"kind", "words"}, {"strict", reach}, {"censored", reach >= 16}, {"length", 16}});
  record.config.seed = seed;
  record.config.model.initial = depth;
  return record;
}

RunRecord looped(const std::string& monoid, std::uint32_t loops, int reach) {
  RunRecord record = words(monoid, 0, reach);
  record.config.model.repeated = 1;
  record.config.model.loops = {LoopRule::Kind::fixed, loops, loops};
  return record;
}

RunRecord rows(std::uint32_t depth, int h, bool censored = false) {
  RunRecord record =
      record_of(RelationTaskConfig(), {{"kind", "relation"}, {"h", h}, {"censored", censored}});
  record.config.model.initial = depth;
  return record;
}

RunRecord hops() {
  RunRecord record = record_of(HopTaskConfig(), {{"kind", "hops"},
                                                 {"difficulties", {1, 2, 3, 4, 5, 6, 8, 10, 12}},
                                                 {"frontier", Json::array()}});
  for (const auto& [loops, reached] : {std::pair(1, 1), {2, 2}, {3, 3}, {5, 5}, {8, 8}, {15, 12}})
    record.result["frontier"].push_back({{"loops", loops}, {"difficulty", reached}});
  record.config.model.initial = 0;
  record.config.model.repeated = 1;
  record.config.model.gate = ModelConfig::Gate::gru;
  return record;
}

/// Three depths that double what is reached with every second layer, and one that is censored.
std::vector<RunRecord> doubling(const std::string& monoid) {
  return {words(monoid, 2, 3), words(monoid, 4, 6), words(monoid, 6, 12), words(monoid, 8, 16)};
}

ConstructedCurve curve(const std::string& problem, ConstructedCurve::Form form,
                       std::uint64_t per_doubling, std::uint64_t up_to = 1024) {
  ConstructedCurve curve;
  curve.problem = problem;
  curve.form = form;
  curve.construction = "made up";
  curve.encoding = "first-flag";
  curve.formula = "some formula";
  for (std::uint64_t n = 2, k = 1; n <= up_to; n *= 2, ++k)
    curve.depths.emplace_back(n, per_doubling * k);
  curve.slope = static_cast<double>(per_doubling);
  curve.verification = "verified: by hand";
  return curve;
}

const LearnedRow& only_row(const DepthTable& table) {
  EXPECT_EQ(table.problems.size(), 1u);
  EXPECT_EQ(table.problems[0].learned.size(), 1u);
  return table.problems[0].learned[0];
}

TEST(DepthPoints, AStackIsAsDeepAsItHasLayers) {
  const auto series = depth_series(doubling("S3"));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].problem, "S3");
  EXPECT_EQ(series[0].kind, "stack");
  EXPECT_EQ(series[0].width, 64u);
  EXPECT_EQ(series[0].cost.runs, 4u);
  EXPECT_EQ(series[0].cost.seconds, 240);
  ASSERT_EQ(series[0].points.size(), 4u);
  EXPECT_EQ(series[0].points[1].point.depth, 4);
  EXPECT_EQ(series[0].points[1].point.reach, 6);
  EXPECT_TRUE(series[0].points[3].point.censored);
}

TEST(DepthPoints, ALoopIsAsDeepAsItRan) {
  RunRecord adaptive = looped("Z2", 3, 9);
  adaptive.config.model.loops.kind = LoopRule::Kind::per_doubling;
  adaptive.config.model.final = 2;
  const auto series =
      depth_series({looped("Z2", 2, 7), looped("Z2", 4, 12), looped("Z2", 1, 4), adaptive});
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].kind, "stack");  // one loop is a stack as well
  EXPECT_EQ(series[0].points.size(), 1u);
  EXPECT_EQ(series[1].kind, "loop");
  EXPECT_EQ(series[1].shape, "(0, 1, 0)");
  ASSERT_EQ(series[1].points.size(), 3u);
  EXPECT_EQ(series[1].points[0].point.depth, 1);
  EXPECT_EQ(series[1].points[2].point.depth, 4);
  EXPECT_EQ(series[2].kind, "adaptive loop");
  // 16 letters: 3 * log2 16 loops of one layer, and two final ones.
  EXPECT_EQ(series[2].points[0].point.depth, 14);
}

TEST(DepthPoints, AFrontierHasAPointForEveryNumberOfLoops) {
  const auto series = depth_series({hops()});
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].problem, "reachability");
  EXPECT_EQ(series[0].kind, "masked recurrence");
  ASSERT_EQ(series[0].points.size(), 6u);
  EXPECT_EQ(series[0].points[3].point.depth, 5);
  EXPECT_FALSE(series[0].points[4].point.censored);
  EXPECT_TRUE(series[0].points[5].point.censored);  // 12 hops are the most that were tried
}

TEST(DepthPoints, WhatDiffersInMoreThanDepthIsAnotherSeries) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[1].config.model.heads = 8;
  runs[2].machine["device"] = "cuda";
  runs[3].config.task.as<WordTaskConfig>().shuffled_labels = true;
  runs[0].config.task.as<WordTaskConfig>().max_length = 32;  // one more stage is no difference
  runs[0].config.training.steps = 7;
  runs.push_back(words("S3", 3, 5));
  const auto series = depth_series(runs);
  ASSERT_EQ(series.size(), 4u);
  std::size_t plain = 0;
  bool control = false, heads = false, cuda = false;
  for (const LearnedSeries& one : series) {
    plain = std::max(plain, one.points.size());
    control |= one.setting.find("control: shuffled labels") == 0;
    heads |= one.setting.find("model.heads=8") != std::string::npos;
    cuda |= one.device == "cuda";
  }
  EXPECT_EQ(plain, 2u);
  EXPECT_TRUE(control && heads && cuda);
}

TEST(DepthPoints, ANetworkMadeFromAWeightsFileIsNotALearnedOne) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[0].config.constructed = ConstructedConfig{.weights = "s3.json"};
  ASSERT_EQ(depth_series(runs).size(), 1u);
  EXPECT_EQ(depth_series(runs)[0].points.size(), 3u);
  EXPECT_NE(depth_table_markdown(depth_table(runs, {}), "")
                .find("read: 4, of which 1 began with compiled weights"),
            std::string::npos);
}

TEST(DepthPoints, WidthsAtOneDepthAreASeriesOfTheirOwn) {
  std::vector<RunRecord> runs;
  for (const auto& [width, reach] : {std::pair(32u, 3), {64u, 6}, {128u, 9}}) {
    runs.push_back(words("S3", 2, reach));
    runs.back().config.model.width = width;
    runs.back().config.model.heads = width / 16;
    runs.back().config.model.hidden = 4 * width;
  }
  const auto widths = width_series(runs);
  ASSERT_EQ(widths.size(), 1u);
  EXPECT_EQ(widths[0].depth, 2);
  EXPECT_EQ(widths[0].points[1].point.depth, 6);  // log2 64
  const DepthTable table = depth_table(runs, {});
  ASSERT_EQ(table.widths.size(), 1u);
  EXPECT_NEAR(table.widths[0].best.line.a, 3, 1e-9);
  EXPECT_NEAR(table.widths[0].best.line.b, -12, 1e-9);
  EXPECT_TRUE(width_series(doubling("S3")).empty());
}

TEST(DepthPoints, AResultThatIsNotOneOfItsTaskIsRefused) {
  const auto refusal = [](const RunRecord& record) -> std::string {
    try {
      depth_series({record});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  RunRecord broken = words("S3", 2, 3);
  broken.result.erase("strict");
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.strict: expected a number");
  broken = words("S3", 2, 3);
  broken.result["kind"] = "hops";
  EXPECT_EQ(refusal(broken),
            "runs/one/record.json: result.kind: expected 'words' as its task says");
  broken = words("S3", 2, 3);
  broken.result["censored"] = 1;
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.censored: expected true or false");
  broken = hops();
  broken.result["frontier"] = {{{"loops", "many"}, {"difficulty", 1}}};
  EXPECT_EQ(refusal(broken), "runs/one/record.json: result.frontier.loops: expected a number");
  broken = words("S3", 2, 3);
  broken.training.erase("seconds");
  EXPECT_EQ(refusal(broken), "runs/one/record.json: training.seconds: expected a number");
}

TEST(DepthTables, ThreeDepthsThatGrowAreMeasured) {
  const LearnedRow row = only_row(depth_table(doubling("S3"), {}));
  EXPECT_EQ(row.status, CellStatus::measured);
  ASSERT_TRUE(row.best.fitted());
  EXPECT_NEAR(row.best.logarithmic.direct.a, 2, 1e-9);
  EXPECT_EQ(row.best.censored_depths, 1u);
  EXPECT_EQ(row.best.fitted_depths, 3u);
}

TEST(DepthTables, TwoDepthsAreNotFitted) {
  const LearnedRow row =
      only_row(depth_table({words("S3", 2, 3), words("S3", 4, 6), words("S3", 6, 16)}, {}));
  EXPECT_EQ(row.status, CellStatus::not_fitted);
  EXPECT_FALSE(row.best.fitted());
}

TEST(DepthTables, DepthWithoutGrowthIsNotReproduced) {
  EXPECT_EQ(
      only_row(depth_table({words("S3", 2, 6), words("S3", 4, 6), words("S3", 6, 6)}, {})).status,
      CellStatus::not_reproduced);
  EXPECT_EQ(
      only_row(depth_table({words("S3", 2, 9), words("S3", 4, 7), words("S3", 6, 6)}, {})).status,
      CellStatus::not_reproduced);
}

TEST(DepthTables, ABudgetThatEndedARunIsSaid) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[2].training["stopped"] = "seconds";
  const LearnedRow early = only_row(depth_table(runs, {}));
  EXPECT_EQ(early.status, CellStatus::budget_limited);
  EXPECT_TRUE(early.best.fitted());

  // A5 on a processor: n* of 2 to 4 with a curriculum that was never finished.
  std::vector<RunRecord> small = {words("A5", 1, 2), words("A5", 2, 3), words("A5", 3, 4)};
  for (RunRecord& run : small) run.result["length"] = 4;
  for (RunRecord& run : small) run.result["censored"] = false;
  const LearnedRow row = only_row(depth_table(small, {}));
  EXPECT_EQ(row.status, CellStatus::budget_limited);
  EXPECT_FALSE(row.best.fitted()) << "a slope through a budget";
  // The same numbers of finished curricula are a measurement.
  for (RunRecord& run : small) run.result["length"] = 16;
  EXPECT_EQ(only_row(depth_table(small, {})).status, CellStatus::measured);
}

TEST(DepthTables, WhatTheBudgetEndedIsStillRisingOrFlatWhereCurvesAreRecorded) {
  std::vector<RunRecord> runs = {words("A5", 1, 2), words("A5", 2, 3), words("A5", 3, 4)};
  for (RunRecord& run : runs) run.result["length"] = 4;
  for (RunRecord& run : runs) run.result["censored"] = false;
  const auto with_curve = [](RunRecord& run, double at_half, double at_end) {
    run.training["curve"] = {{"score", "n*"},
                             {"points",
                              {{{"steps", 1000}, {"score", 1.0}},
                               {{"steps", 2000}, {"score", at_half}},
                               {{"steps", 4000}, {"score", at_end}}}}};
  };
  for (RunRecord& run : runs) with_curve(run, 3, 3);
  EXPECT_EQ(only_row(depth_table(runs, {})).status, CellStatus::flat);
  with_curve(runs[1], 2, 3);
  EXPECT_EQ(only_row(depth_table(runs, {})).status, CellStatus::still_rising);
  with_curve(runs[1], 3, 3);
  runs[2].training.erase("curve");
  EXPECT_EQ(only_row(depth_table(runs, {})).status, CellStatus::budget_limited);
  runs[2].training["curve"] = 3;
  EXPECT_THROW(depth_table(runs, {}), InputError);
}

TEST(DepthTables, RowTokensAreLogarithmicAndMaskedRecurrenceIsLinear) {
  const DepthTable table =
      depth_table({rows(1, 1), rows(2, 2), rows(3, 4), rows(4, 9, true), hops()}, {});
  ASSERT_EQ(table.problems.size(), 1u);
  const auto& learned = table.problems[0].learned;
  ASSERT_EQ(learned.size(), 2u);
  EXPECT_EQ(learned[1].series.kind, "row tokens");
  EXPECT_EQ(learned[1].best.preferred, GrowthCurve::logarithmic);
  EXPECT_NEAR(learned[1].best.logarithmic.direct.a, 1, 1e-9);
  EXPECT_EQ(learned[0].best.preferred, GrowthCurve::linear);
  EXPECT_NEAR(learned[0].best.linear.direct.a, 1, 1e-9);
  EXPECT_NE(fitted_curve_text(learned[0].series, learned[0].best).find("1.00 hops per layer"),
            std::string::npos);
}

std::vector<RunRecord> many_runs() {
  std::vector<RunRecord> runs = doubling("A5");
  for (const std::uint64_t seed : {2u, 3u}) {
    runs.push_back(words("A5", 2, 4, seed));
    runs.push_back(words("A5", 4, 5 + static_cast<int>(seed), seed));
  }
  for (const auto& [width, reach] : {std::pair(32u, 2), {128u, 5}, {256u, 8}}) {
    runs.push_back(words("A5", 2, reach));
    runs.back().config.model.width = width;
  }
  for (RunRecord& run : std::vector<RunRecord>{hops(), rows(1, 1), rows(2, 2), rows(3, 5)})
    runs.push_back(std::move(run));
  return runs;
}

DepthTable full_table() {
  using Form = ConstructedCurve::Form;
  DepthTable table =
      depth_table(many_runs(), {curve("A5", Form::claimed, 8), curve("A5", Form::repaired, 2),
                                curve("A5", Form::optimised, 1)});
  table.command = "logdepth compare depth runs";
  return table;
}

TEST(DepthTables, NoSlopeIsPrintedWithoutWhatWasCensored) {
  // WP-7: in every cell and every label with a learned curve.
  static const std::regex kCurve("[0-9]\\.[0-9]{2} (log2 )?(n\\*|h\\*|hops|w)");
  std::size_t curves = 0;
  const auto look = [&](const std::string& text) {
    if (!std::regex_search(text, kCurve)) return;
    ++curves;
    EXPECT_TRUE(std::regex_search(text, std::regex("[0-9]+ of [0-9]+ (depths|widths) censored")))
        << text;
  };
  const DepthTable table = full_table();
  for (const TextTable& part : depth_text_tables(table))
    for (const auto& row : part.rows)
      for (const std::string& cell : row) look(cell);
  const std::string svg = depth_figure_svg(table);
  static const std::regex kElement(">([^<>]*)</(text|title)>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), kElement), end; it != end; ++it)
    if ((*it)[1].str().find("published") == std::string::npos) look((*it)[1]);
  EXPECT_GE(curves, 10u);
}

TEST(DepthTables, WhatAPaperPrintsIsLabelled) {
  std::size_t seen = 0;
  for (const TextTable& part : depth_text_tables(full_table()))
    for (const auto& row : part.rows)
      for (const std::string& cell : row)
        if (cell.find("4.8") != std::string::npos && cell.find("15.8") != std::string::npos) {
          ++seen;
          EXPECT_EQ(cell.substr(0, 10), "published:") << cell;
          EXPECT_NE(cell.find("for 16 to 512 letters"), std::string::npos) << cell;
        }
  EXPECT_GT(seen, 0u);
  // S3 was not published.
  for (const TextTable& part : depth_text_tables(depth_table(doubling("S3"), {})))
    for (const auto& row : part.rows)
      for (const std::string& cell : row) EXPECT_EQ(cell.find("published"), std::string::npos);
}

struct Drawn {
  std::string kind;
  double size = 0;                ///< log2
  double across = 0, height = 0;  ///< the place in the panel, 0 to 1
};

/// The corners of all lines, placed by the ticks of their own panel.
std::vector<Drawn> drawn_lines(const std::string& svg) {
  static const std::regex kPanel("font-weight=\"bold\"");
  static const std::regex kTick(
      "<text x=\"([0-9.]+)\" y=\"([0-9.]+)\" text-anchor=\"(middle|end)\">([0-9]+)</text>");
  static const std::regex kLine("<polyline class=\"([a-z]+)\"[^>]* points=\"([^\"]*)\"");
  static const std::regex kPoint("([-0-9.]+),([-0-9.]+)");
  std::vector<Drawn> drawn;
  const std::sregex_iterator none;
  for (std::sregex_token_iterator panel(svg.begin(), svg.end(), kPanel, -1), end; panel != end;
       ++panel) {
    const std::string text = *panel;
    std::vector<std::pair<double, double>> across;  // place, log2
    std::vector<double> up;
    for (std::sregex_iterator it(text.begin(), text.end(), kTick); it != none; ++it) {
      if ((*it)[3] == "end") {
        up.push_back(std::stod((*it)[2]) - 4);  // the middle of the figures
      } else {
        across.emplace_back(std::stod((*it)[1]), std::log2(std::stod((*it)[4])));
      }
    }
    for (std::sregex_iterator it(text.begin(), text.end(), kLine); it != none; ++it) {
      const std::string points = (*it)[2];
      for (std::sregex_iterator at(points.begin(), points.end(), kPoint); at != none; ++at) {
        const double share = (std::stod((*at)[1]) - across.front().first) /
                             (across.back().first - across.front().first);
        drawn.push_back({(*it)[1], across.back().second * share, share,
                         (std::stod((*at)[2]) - up.front()) / (up.back() - up.front())});
      }
    }
  }
  return drawn;
}

TEST(DepthFigures, ThePublishedLineStaysBetween16And512) {
  std::vector<double> published;
  for (const Drawn& corner : drawn_lines(depth_figure_svg(full_table())))
    if (corner.kind == "published") published.push_back(corner.size);
  ASSERT_GE(published.size(), 4u);  // in both panels
  for (const double size : published) {
    EXPECT_GE(size, std::log2(16.0) - 0.01);
    EXPECT_LE(size, std::log2(512.0) + 0.01);
  }
  EXPECT_NEAR(published[0], 4, 0.01);
  EXPECT_NEAR(published[1], 9, 0.01);
}

TEST(DepthFigures, LinesEndAtTheEdgesOfTheirPanels) {
  const auto drawn = drawn_lines(depth_figure_svg(full_table()));
  EXPECT_GT(drawn.size(), 40u);
  for (const Drawn& corner : drawn) {
    EXPECT_GE(corner.across, -0.01) << corner.kind;
    EXPECT_LE(corner.across, 1.01) << corner.kind;
    EXPECT_GE(corner.height, -0.01) << corner.kind;
    EXPECT_LE(corner.height, 1.01) << corner.kind;
  }
}

TEST(DepthFigures, CensoredPointsAreHollowAndThoseOfNothingAreNotDrawn) {
  const auto count = [](const std::string& svg, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1))
      ++found;
    return found;
  };
  const std::string svg =
      depth_figure_svg(depth_table({words("S3", 1, 0), words("S3", 2, 3), words("S3", 4, 16)}, {}));
  EXPECT_EQ(count(svg, "depth 4, n* &gt;= 16"), 2u);  // in both panels
  EXPECT_EQ(count(svg, "depth 2, n* = 3"), 2u);
  EXPECT_EQ(count(svg, "depth 1,"), 0u);
  EXPECT_EQ(count(svg, "r=\"3.6\" fill=\"white\""), 3u);  // and in the legend
}

TEST(DepthTables, TextOfOriginsUnknownBreaksNoPage) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[0].machine["processor"] = "<script>|\"&\n# heading";
  DepthTable table = depth_table(runs, {});
  table.command = "logdepth compare depth <runs>";
  const std::string html = depth_table_html(table);
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<runs>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;|&quot;&amp;"), std::string::npos);
  const std::string markdown = depth_table_markdown(table, "");
  EXPECT_NE(markdown.find("\\<script>\\|"), std::string::npos);
  EXPECT_EQ(markdown.find("\n# heading"), std::string::npos);
  EXPECT_EQ(markdown.find("!["), std::string::npos);
}

TEST(DepthTables, JsonHasEveryNumber) {
  const DepthTable table = full_table();
  const Json json = Json::parse(depth_table_json(table));
  EXPECT_EQ(json["schema"], "logdepth/compare-depth/1");
  EXPECT_EQ(json["runs"], many_runs().size());
  EXPECT_EQ(json["problems"][0]["problem"], "A5");
  EXPECT_EQ(json["problems"][0]["published"]["label"], "published");
  EXPECT_EQ(json["problems"][0]["constructed"][1]["slope"], 2.0);
  for (const Json& problem : json["problems"])
    for (const Json& row : problem["learned"])
      for (const char* choice : {"best", "median"})
        EXPECT_TRUE(row[choice].contains("censored_depths")) << row;
  EXPECT_EQ(depth_table_json(table), depth_table_json(full_table()));
  EXPECT_EQ(depth_figure_svg(table), depth_figure_svg(full_table()));
}

TEST(DepthTables, WithoutRunsItSaysSo) {
  const DepthTable table = depth_table({}, {curve("A5", ConstructedCurve::Form::repaired, 2)});
  EXPECT_NE(depth_table_markdown(table, "").find("No training runs were given"), std::string::npos);
  EXPECT_EQ(depth_table_markdown(table, "").find("## Learned"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::depth_table_tests
