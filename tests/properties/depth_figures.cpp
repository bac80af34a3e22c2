// Pictures of depth: what is drawn, where it stands, and what its marks mean.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include "tests/support/depth_records.hpp"

namespace logdepth::depth_figures_tests {
namespace {

using namespace depth_records;

constexpr const char* kHollow = "r=\"3.6\" fill=\"white\"";
constexpr const char* kArrow = "<polygon fill=\"#";  // bands have an opacity before their places

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
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
  for (const Drawn& corner : drawn_lines(pictures(full_table())))
    if (corner.kind == "published") published.push_back(corner.size);
  ASSERT_GE(published.size(), 2u);
  for (const double size : published) {
    EXPECT_GE(size, std::log2(16.0) - 0.01);
    EXPECT_LE(size, std::log2(512.0) + 0.01);
  }
  EXPECT_NEAR(published.front(), 4, 0.01);
  EXPECT_NEAR(published.back(), 9, 0.01);
}

TEST(DepthFigures, LinesEndAtTheEdgesOfTheirPanels) {
  const auto drawn = drawn_lines(pictures(full_table()));
  EXPECT_GT(drawn.size(), 40u);
  for (const Drawn& corner : drawn) {
    EXPECT_GE(corner.across, -0.01) << corner.kind;
    EXPECT_LE(corner.across, 1.01) << corner.kind;
    EXPECT_GE(corner.height, -0.01) << corner.kind;
    EXPECT_LE(corner.height, 1.01) << corner.kind;
  }
}

TEST(DepthFigures, CensoredPointsAreHollowAndThoseOfNothingAreNotDrawn) {
  const std::string svg =
      pictures(table_of({words("S3", 1, 0), words("S3", 2, 3), words("S3", 4, 16)}, {}));
  EXPECT_EQ(occurrences(svg, "depth 4, n* &gt;= 16"), 1u);
  EXPECT_EQ(occurrences(svg, "depth 2, n* = 3"), 1u);
  EXPECT_EQ(occurrences(svg, "depth 1,"), 0u);
  EXPECT_EQ(occurrences(svg, kHollow), 2u);  // the point, and the legend
  EXPECT_EQ(occurrences(svg, kArrow), 0u);
}

TEST(DepthFigures, APointThatIsNotSettledHasAnArrow) {
  std::vector<RunRecord> runs = {words("S3", 2, 3), words("S3", 4, 6), words("S3", 6, 12)};
  with_curve(runs[2], {{1000, 3}, {2000, 6}, {4000, 12}});
  const std::string svg = pictures(table_of(runs, {}));
  EXPECT_EQ(occurrences(svg, "depth 6, n* = 12, still improving"), 1u);
  EXPECT_EQ(occurrences(svg, kHollow), 2u);
  EXPECT_EQ(occurrences(svg, kArrow), 2u);
}

TEST(DepthFigures, LayersAreOnALinearAxisSoThatALawOfTheLogarithmIsALine) {
  // 10, 20 and 30 layers at 2, 4 and 8 letters.
  ConstructedCurve deep = curve("S3", ConstructedCurve::Form::claimed, 10);
  deep.depths = {{2, 10}, {4, 20}, {8, 30}};
  for (const DepthFigure& figure : depth_figures(table_of({}, {deep}))) {
    std::vector<double> heights;
    for (const Drawn& corner : drawn_lines(figure.svg))
      if (corner.kind == "claimed") heights.push_back(corner.height);
    ASSERT_EQ(heights.size(), 3u);
    EXPECT_NEAR(heights[2] - heights[1], heights[1] - heights[0], 1e-3);
    EXPECT_NEAR(heights[0], 10.0 / 35, 1e-3);  // the axis ends at 35 layers
  }
}

TEST(DepthFigures, WhatIsNotBuiltIsCutWhereTheRestEnds) {
  using Form = ConstructedCurve::Form;
  const auto figures =
      depth_figures(table_of({}, {curve("S3", Form::claimed, 80), curve("S3", Form::repaired, 1)}));
  double claimed = 0, repaired = 0;
  for (const Drawn& corner : drawn_lines(figures.front().svg))
    (corner.kind == "claimed" ? claimed : repaired) =
        std::max(corner.kind == "claimed" ? claimed : repaired, corner.height);
  EXPECT_NEAR(repaired, 10.0 / 11, 1e-3);  // ten doublings, on an axis to 11 layers
  EXPECT_NEAR(claimed, 0, 1e-2);           // begins above
}

TEST(DepthFigures, OnlyWhatWasLearnedOrPublishedIsDrawnWhereRunsAreGiven) {
  using Form = ConstructedCurve::Form;
  const std::vector<ConstructedCurve> curves = {curve("S3", Form::repaired, 2),
                                                curve("A4", Form::repaired, 2),
                                                curve("A5", Form::repaired, 2)};
  const auto files = [](const DepthTable& table) {
    std::vector<std::string> names;
    for (const DepthFigure& figure : depth_figures(table)) names.push_back(figure.file);
    return names;
  };
  EXPECT_EQ(files(table_of(doubling("S3"), curves)),
            (std::vector<std::string>{"depth.svg", "depth-S3.svg", "depth-A5.svg"}));
  EXPECT_EQ(files(table_of({}, curves)).size(), 3u);
  EXPECT_EQ(files(table_of({words("../x", 1, 2)}, {})),
            (std::vector<std::string>{"depth----x.svg"}));
}

/// The figure of this name.
std::string figure_of(const DepthTable& table, const std::string& file) {
  for (const DepthFigure& figure : depth_figures(table))
    if (figure.file == file) return figure.svg;
  ADD_FAILURE() << file;
  return "";
}

TEST(DepthFigures, TwelveSeriesHaveLooksAndNamesOfTheirOwn) {
  std::vector<RunRecord> records;
  for (std::uint32_t i = 1; i <= 12; ++i) {
    records.push_back(words("A5", 2, 2));
    records.back().config.model.width = 16 * i;
  }
  const std::string svg = figure_of(table_of(records), "depth-A5.svg");
  // Colour with symbol; of polygons the number of corners.
  static const std::regex kMark(
      "<(circle|rect|polygon)[^>]*fill=\"(#[0-9A-F]{6})\" stroke=\"white\"[^>]*>");
  std::set<std::string> looks;
  for (std::sregex_iterator it(svg.begin(), svg.end(), kMark), end; it != end; ++it) {
    const std::string mark = (*it)[0];
    looks.insert(
        fmt::format("{} {} {}", (*it)[1].str(), std::ranges::count(mark, ','), (*it)[2].str()));
  }
  EXPECT_EQ(looks.size(), 12u);
  for (const char* width : {"16", "192"})
    EXPECT_EQ(occurrences(svg, fmt::format(">learned, non-looped transformer, width {}, cpu: "
                                           "1 seed",
                                           width)),
              1u);
}

TEST(DepthFigures, SettingsStandInWords) {
  std::vector<RunRecord> records = {by_loops(1, {2, 4}, 16), by_loops(2, {2, 4}, 16)};
  records.back().config.model.step_scale = 0.1;
  const std::string all = pictures(table_of(records));
  EXPECT_EQ(all.find("step_scale"), std::string::npos);
  EXPECT_NE(
      figure_of(table_of(records), "depth-A5.svg").find("by iterations, step scale 0.1, width"),
      std::string::npos)
      << all;
}

// --- the figure at the front ---------------------------------------------------------------------

std::size_t legend_rows(const std::string& svg, const std::string& beginning) {
  const std::regex row("<text[^>]*>" + beginning);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(svg.begin(), svg.end(), row), {}));
}

TEST(FrontFigure, HasAllProblemsThatTheSameConstructionsSolveAtTheSameDepths) {
  using Form = ConstructedCurve::Form;
  std::vector<ConstructedCurve> curves = {curve("S3", Form::repaired, 2),
                                          curve("Z2", Form::repaired, 4),
                                          curve("A5", Form::repaired, 2)};
  // A constant depth is no reason to leave a problem out.
  curves.push_back(curve("S3", Form::optimised, 0));
  for (auto& [size, depth] : curves.back().depths) depth = 4;
  curves.back().slope = 0;
  std::vector<RunRecord> records = doubling("S3");
  for (const char* other : {"A5", "Z2"}) {
    const auto more = doubling(other);
    records.insert(records.end(), more.begin(), more.end());
  }
  const DepthTable table = table_of(records, curves);
  ASSERT_EQ(depth_figures(table).front().file, "depth.svg");
  const std::string svg = figure_of(table, "depth.svg");
  EXPECT_EQ(legend_rows(svg, "learned: S3, non-looped transformer, 1 seed<"), 1u);
  EXPECT_EQ(legend_rows(svg, "learned: A5, "), 1u);
  EXPECT_EQ(legend_rows(svg, "learned: Z2"), 0u) << "other depths are built for it";
  EXPECT_EQ(legend_rows(svg, "published: A5, trained, 4.8 layers per doubling<"), 1u);
  EXPECT_EQ(legend_rows(svg, "repaired: made up, 2 layers per doubling<"), 1u)
      << "one line for both problems";
  EXPECT_EQ(legend_rows(svg, "constant: made up for S3, 4 layers<"), 1u);
  EXPECT_EQ(legend_rows(svg, "optimised: "), 0u) << "it is constant";
}

TEST(FrontFigure, HasOneCurveOfAProblemByThreeSeedsIfThereAreSuchThenByTheLongestWords) {
  std::vector<RunRecord> records;
  const auto add = [&](std::uint32_t width, std::uint64_t seed, const std::vector<int>& reached) {
    records.push_back(by_loops(seed, reached, 32));
    records.back().config.model.width = width;
  };
  add(16, 1, {2, 4, 8, 16});  // one seed
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    add(32, seed, {2, 3});
    add(48, seed, {2, 4, 7});
  }
  const std::string svg = figure_of(table_of(records), "depth.svg");
  EXPECT_EQ(legend_rows(svg, "learned: A5, looped transformer, 3 seeds<"), 1u);
  EXPECT_EQ(occurrences(svg, "at most 3 layers: n* = 7,"), 1u);
  EXPECT_EQ(occurrences(svg, "at most 4 layers"), 0u);
  EXPECT_EQ(occurrences(svg, "its depth is prescribed"), 1u);
}

TEST(FrontFigure, ShowsMedianLeastAndLargestOfAllSeedsAlsoOfThoseThatGotFewerLoops) {
  const std::vector<RunRecord> records = {by_loops(1, {2, 4, 8, 16}, 32), by_loops(2, {2, 4}, 32),
                                          by_loops(3, {1, 3, 6}, 32)};
  const std::string svg = figure_of(table_of(records), "depth.svg");
  for (const char* said :
       {"at most 1 layer: n* = 2, seeds 1 to 2", "at most 2 layers: n* = 4, seeds 3 to 4",
        "at most 3 layers: n* = 6, seeds 4 to 8", "at most 4 layers: n* = 6, seeds 4 to 16"})
    EXPECT_EQ(occurrences(svg, said), 1u) << said;
  // Four depths up along the least seed, and down again along the largest.
  static const std::regex kBand("<polygon [^>]*fill-opacity[^>]* points=\"([^\"]*)\"");
  std::smatch band;
  ASSERT_TRUE(std::regex_search(svg, band, kBand));
  EXPECT_EQ(std::ranges::count(band[1].str(), ','), 8);
  EXPECT_EQ(occurrences(svg, "log2 n*"), 0u) << "no law is fitted";
}

TEST(FrontFigure, IsHollowWhereTheMedianIsALowerBound) {
  const auto shown = [](const std::vector<RunRecord>& records) {
    return figure_of(table_of(records), "depth.svg");
  };
  // 16 letters are all that was asked for.
  EXPECT_EQ(occurrences(shown({by_loops(1, {2, 4, 8, 16}, 16)}), "at most 4 layers: n* &gt;= 16"),
            1u);
  // The largest of three seeds changes no median.
  EXPECT_EQ(occurrences(shown({by_loops(1, {2, 4, 8, 16}, 16), by_loops(2, {2, 4, 8, 12}, 16),
                               by_loops(3, {2, 4, 8, 11}, 16)}),
                        "at most 4 layers: n* = 12"),
            1u);
}

TEST(FrontFigure, SaysNothingOfLoopsWhereThereAreNone) {
  const std::string svg = figure_of(table_of(doubling("A5")), "depth.svg");
  EXPECT_EQ(occurrences(svg, "prescribed"), 0u);
  EXPECT_EQ(legend_rows(svg, "learned: A5, non-looped transformer, 1 seed<"), 1u);
}

}  // namespace
}  // namespace logdepth::depth_figures_tests
