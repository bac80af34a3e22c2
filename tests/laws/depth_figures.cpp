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
  EXPECT_EQ(occurrences(svg, "depth 6, n* = 12, still rising"), 1u);
  EXPECT_EQ(occurrences(svg, kHollow), 2u);
  EXPECT_EQ(occurrences(svg, kArrow), 2u);
}

TEST(DepthFigures, LayersAreOnALogarithmicAxis) {
  // 8 and 64 layers, and 2 at the same size: equal ratios are equal distances.
  ConstructedCurve deep = curve("A5", ConstructedCurve::Form::claimed, 8);
  deep.depths = {{2, 2}, {4, 8}, {8, 32}};
  const auto drawn = drawn_lines(pictures(table_of({}, {deep})));
  std::vector<double> heights;
  for (const Drawn& corner : drawn)
    if (corner.kind == "claimed") heights.push_back(corner.height);
  ASSERT_EQ(heights.size(), 3u);
  EXPECT_NEAR(heights[2] - heights[1], heights[1] - heights[0], 1e-3);
  EXPECT_NEAR(heights[0], 1.0 / 5, 1e-2);  // from 1 to 32 layers
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

TEST(DepthFigures, TwelveSeriesHaveColoursAndNamesOfTheirOwn) {
  std::vector<RunRecord> records;
  for (std::uint32_t i = 1; i <= 12; ++i) {
    records.push_back(words("A5", 2, 2));
    records.back().config.model.width = 16 * i;
  }
  const std::string svg = depth_figures(table_of(records)).front().svg;
  static const std::regex kDot("<circle [^>]*fill=\"(#[0-9A-F]{6})\"");
  const std::set<std::string> colours(std::sregex_token_iterator(svg.begin(), svg.end(), kDot, 1),
                                      std::sregex_token_iterator());
  EXPECT_EQ(colours.size(), 12u);
  for (const char* width : {"16", "192"})
    EXPECT_EQ(occurrences(svg, fmt::format(">learned, A5, stack, width {}: open<", width)), 1u);
}

TEST(DepthFigures, OnePictureHasAllProblemsThatTheSameConstructionsSolveAtTheSameDepths) {
  using Form = ConstructedCurve::Form;
  const std::vector<ConstructedCurve> curves = {curve("S3", Form::repaired, 2),
                                                curve("Z2", Form::repaired, 4),
                                                curve("A5", Form::repaired, 2)};
  std::vector<RunRecord> records = doubling("S3");
  for (const char* other : {"A5", "Z2"}) {
    const auto more = doubling(other);
    records.insert(records.end(), more.begin(), more.end());
  }
  const auto figures = depth_figures(table_of(records, curves));
  ASSERT_EQ(figures.front().file, "depth.svg");
  const std::string& svg = figures.front().svg;
  const auto count = [&](const std::string& name) {
    const std::regex shown("<text[^>]*>" + name);
    return std::distance(std::sregex_iterator(svg.begin(), svg.end(), shown), {});
  };
  EXPECT_EQ(count("learned, S3, "), 1);
  EXPECT_EQ(count("learned, A5, "), 1);
  EXPECT_EQ(count("learned, Z2, "), 0) << "other depths are built for it";
  EXPECT_EQ(count("published, "), 1);
  EXPECT_EQ(count("[^<]*repaired: "), 1) << "one line for both problems";
  EXPECT_EQ(count("[^<]*: open<"), 0) << "both doubled at every depth";
}

}  // namespace
}  // namespace logdepth::depth_figures_tests
