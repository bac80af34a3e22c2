// The table of depths: what runs become, what it says about them, and what it may never say.
#include "learned/report/depth_table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "learned/report/depth_table_text.hpp"
#include "learned/report/law_text.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/depth_records.hpp"

namespace logdepth::depth_table_tests {
namespace {

using namespace depth_records;

const LearnedRow& only_row(const DepthTable& table) {
  EXPECT_EQ(table.problems.size(), 1u);
  EXPECT_EQ(table.problems[0].learned.size(), 1u);
  return table.problems[0].learned[0];
}

TEST(DepthTables, FiveDepthsThatGrowAreMeasured) {
  const LearnedRow row = only_row(table_of(doubling("S3"), {}));
  EXPECT_EQ(row.status, CellStatus::measured);
  ASSERT_TRUE(row.best.fitted());
  EXPECT_NEAR(row.best.logarithmic.direct.a, 2, 1e-9);
  EXPECT_EQ(row.best.censored_depths, 1u);
  EXPECT_EQ(row.best.fitted_depths, 5u);
}

TEST(DepthTables, TwoDepthsAreNotFitted) {
  const LearnedRow row =
      only_row(table_of({words("S3", 2, 3), words("S3", 4, 6), words("S3", 6, 16)}, {}));
  EXPECT_EQ(row.status, CellStatus::not_fitted);
  EXPECT_FALSE(row.best.fitted());
}

TEST(DepthTables, ABudgetThatEndedARunIsSaid) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[2].training["stopped"] = "seconds";
  const LearnedRow early = only_row(table_of(runs, {}));
  EXPECT_EQ(early.status, CellStatus::flat);
  EXPECT_TRUE(early.best.fitted());
  runs[2].training.erase("curve");
  EXPECT_EQ(only_row(table_of(runs, {})).status, CellStatus::budget_limited);

  // A5 on a processor: n* of 2 to 4 with a curriculum that was never finished.
  std::vector<RunRecord> small;
  for (std::uint32_t depth = 1; depth <= 5; ++depth)
    small.push_back(words("A5", depth, depth < 3 ? 2 : depth < 5 ? 3 : 4));
  for (RunRecord& run : small) run.result["length"] = 4;
  for (RunRecord& run : small) run.result["censored"] = false;
  const LearnedRow row = only_row(table_of(small, {}));
  EXPECT_EQ(row.status, CellStatus::flat);
  EXPECT_FALSE(row.best.fitted()) << "a slope through a budget";
  // The same numbers of finished curricula are a measurement.
  for (RunRecord& run : small) run.result["length"] = 16;
  EXPECT_EQ(only_row(table_of(small, {})).status, CellStatus::measured);
}

TEST(DepthTables, WhatTheBudgetEndedIsStillRisingOrFlatWhereCurvesAreRecorded) {
  std::vector<RunRecord> runs = {words("A5", 1, 2), words("A5", 2, 3), words("A5", 3, 4)};
  for (RunRecord& run : runs) run.result["length"] = 4;
  for (RunRecord& run : runs) run.result["censored"] = false;
  const auto curve_of = [](RunRecord& run, double at_half, double at_end) {
    with_curve(run, {{1000, 1}, {2000, at_half}, {4000, at_end}});
  };
  for (RunRecord& run : runs) curve_of(run, 3, 3);
  EXPECT_EQ(only_row(table_of(runs, {})).status, CellStatus::flat);
  curve_of(runs[1], 2, 3);
  EXPECT_EQ(only_row(table_of(runs, {})).status, CellStatus::still_rising);
  curve_of(runs[1], 4, 3);
  EXPECT_EQ(only_row(table_of(runs, {})).status, CellStatus::falling);
  curve_of(runs[1], 3, 3);
  runs[2].training.erase("curve");
  EXPECT_EQ(only_row(table_of(runs, {})).status, CellStatus::budget_limited);
  runs[2].training["curve"] = 3;
  EXPECT_THROW(table_of(runs, {}), InputError);
}

TEST(DepthTables, RowTokensAreLogarithmicAndARecurrenceIsLinear) {
  const DepthTable table = table_of(
      {rows(1, 1), rows(2, 2), rows(3, 4), rows(4, 8), rows(5, 16), rows(6, 33, true), hops()}, {});
  ASSERT_EQ(table.problems.size(), 1u);
  const auto& learned = table.problems[0].learned;
  ASSERT_EQ(learned.size(), 2u);
  EXPECT_EQ(learned[0].series.kind, "row tokens");
  EXPECT_EQ(learned[0].best.preferred, GrowthCurve::logarithmic);
  EXPECT_NEAR(learned[0].best.logarithmic.direct.a, 1, 1e-9);
  EXPECT_EQ(learned[1].series.kind, "unmasked recurrence");
  EXPECT_EQ(learned[1].best.preferred, GrowthCurve::linear);
  EXPECT_NEAR(learned[1].best.linear.direct.a, 1, 1e-9);
  EXPECT_NE(fitted_curve_text(learned[1].series, learned[1].best).find("1.00 hops per layer"),
            std::string::npos);
  // Under the mask an iteration moves one hop, whatever was learned.
  RunRecord masked = hops();
  masked.config.task.as<HopTaskConfig>().masked = true;
  EXPECT_TRUE(table_of({masked}).problems.empty());
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
  const std::string svg = pictures(table);
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
  for (const TextTable& part : depth_text_tables(table_of(doubling("S3"), {})))
    for (const auto& row : part.rows)
      for (const std::string& cell : row) EXPECT_EQ(cell.find("published"), std::string::npos);
}

TEST(DepthTables, TextOfOriginsUnknownBreaksNoPage) {
  std::vector<RunRecord> runs = doubling("S3");
  runs[0].machine["processor"] = "<script>|\"&\n# heading";
  DepthTable table = table_of(runs, {});
  table.command = "logdepth compare depth <runs>";
  const std::string html = depth_table_html(table, depth_figures(table));
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<runs>"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;|&quot;&amp;"), std::string::npos);
  const std::string markdown = depth_table_markdown(table, {});
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
  const Json& recurrence = json["problems"][1]["learned"][1];
  EXPECT_EQ(recurrence["kind"], "unmasked recurrence");
  EXPECT_EQ(recurrence["by_loops"], true);
  EXPECT_EQ(recurrence["runs"].size(), 1u);
  EXPECT_EQ(recurrence["runs"][0]["points"].size(), 6u);
  EXPECT_EQ(recurrence["runs"][0]["law"]["preferred"], "linear");
  EXPECT_EQ(recurrence["law"].get<std::string>().substr(0, 6), "open: ");
  EXPECT_EQ(depth_table_json(table), depth_table_json(full_table()));
  EXPECT_EQ(pictures(table), pictures(full_table()));
}

TEST(DepthTables, WithoutRunsItSaysSo) {
  const DepthTable table = table_of({}, {curve("A5", ConstructedCurve::Form::repaired, 2)});
  EXPECT_NE(depth_table_markdown(table, {}).find("No training runs were given"), std::string::npos);
  EXPECT_EQ(depth_table_markdown(table, {}).find("## Learned"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::depth_table_tests
