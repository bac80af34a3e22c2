// Charts, tables and texts of numbers that all reports share.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>
#include <random>
#include <set>

#include "base/phrases.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/svg_elements.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::figures_tests { namespace {

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> all;
  for (const Tick& tick : axis.ticks) all.push_back(tick.text);
  return all;
}

/// The picture as an XML reader sees it; every text of it in order.
class Picture {
 public:
  explicit Picture(const std::string& elements) {
    EXPECT_TRUE(document_.load_string(svg_document(100, 100, "a picture", elements).c_str()));
  }
  pugi::xml_node root() const { return document_.child("svg"); }
  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const auto& node : root().children("text")) all.emplace_back(node.child_value());
    return all;
  }
  std::size_t count(const char* element) const {
    std::size_t found = 0;
    for (const auto& node : root().children(element)) found += !node.empty();
    return found;
  }

 private:
  pugi::xml_document document_;
};

bool contains(const std::vector<std::string>& all, const std::string& text) {
  return std::ranges::find(all, text) != all.end();
}

// --- axes ----------------------------------------------------------------------------------------

TEST(Axes, CountInStepsOfOneTwoOrFive) {
  const std::vector<std::string> small = {"0", "1", "2", "3", "4"};
  EXPECT_EQ(texts(counting_axis(3, "layers")), small);
  EXPECT_EQ(texts(counting_axis(3.5, "layers")), small);
  EXPECT_EQ(texts(counting_axis(0, "layers")), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(texts(counting_axis(40, "bits")),
            (std::vector<std::string>{"0", "10", "20", "30", "40", "50"}));
  EXPECT_EQ(texts(counting_axis(91, "layers")),
            (std::vector<std::string>{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(texts(counting_axis(91, "layers", 10)).size(), 11u);
}

TEST(Axes, OfCountsReachBeyondTheHighestWithFewTicks) {
  std::mt19937_64 random(laws::seed());
  for (int i = 0; i < 2000; ++i) {
    const double highest = std::exp2(std::uniform_real_distribution(-3.0, 30.0)(random));
    const Axis axis = counting_axis(highest, "");
    EXPECT_GT(axis.to, highest);
    EXPECT_EQ(axis.ticks.front().at, 0);
    EXPECT_EQ(axis.ticks.back().at, axis.to);
    EXPECT_LE(axis.ticks.size(), 8u) << highest;
  }
}

TEST(Axes, OfSharesEndAtOne) {
  const Axis axis = share_axis("accuracy");
  EXPECT_EQ(texts(axis), (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(axis.share(1), 1);
  EXPECT_EQ(axis.ticks.back().at, 1);
}

TEST(Axes, OfLogarithmsNameTheNumbers) {
  const Axis axis = doubling_axis(std::log2(5.0), std::log2(100.0), "letters");
  EXPECT_EQ(texts(axis), (std::vector<std::string>{"4", "8", "16", "32", "64", "128"}));
  EXPECT_EQ(axis.share(2), 0);
  EXPECT_EQ(axis.share(7), 1);
  EXPECT_NEAR(axis.share(std::log2(32.0)), 3.0 / 5, 1e-12);  // equal steps for equal ratios
  EXPECT_EQ(texts(doubling_axis(3, 3, "")), (std::vector<std::string>{"8", "16"}));
  // Large numbers are written out, and never more than a dozen of them.
  const Axis wide = doubling_axis(0, 40, "");
  EXPECT_EQ(wide.ticks.back().text, "1099511627776");
  EXPECT_LE(wide.ticks.size(), 12u);
}

// --- line charts ---------------------------------------------------------------------------------

LineChart some_chart() {
  LineChart chart;
  chart.title = "a < b & \"c\"";
  chart.x = doubling_axis(0, 4, "letters");
  chart.y = counting_axis(3, "layers");
  chart.width = 400;
  chart.height = 100;
  return chart;
}

TEST(LineCharts, AreWellFormedWithTextsOfAnyOrigin) {
  LineChart chart = some_chart();
  chart.series = {{"<script>", {kHues[0]}, {{0, 0}, {4, 3}}, {{{1, 1}, "\"m\" <b>"}}}};
  const std::string svg = draw_chart(chart, {0, 0});
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  const Picture picture(svg);
  const auto all = picture.texts();
  for (const char* text : {"a < b & \"c\"", "letters", "layers", "16", "0"})
    EXPECT_TRUE(contains(all, text)) << text;
  EXPECT_STREQ(picture.root().child("polyline").child_value("title"), "<script>");
  EXPECT_STREQ(picture.root().child("circle").child_value("title"), "\"m\" <b>");
}

TEST(LineCharts, PlaceNumbersWhereTheAxesSay) {
  LineChart chart = some_chart();
  chart.series = {{"line", {kHues[0]}, {{0, 0}, {4, 4}}, {{{2, 1}, ""}}}};
  const Picture picture(draw_chart(chart, {10, 20}));
  const double left = 10 + chart_width(chart) - chart.width - 26;  // the room to the right is 26
  const pugi::xml_node mark = picture.root().child("circle");
  EXPECT_NEAR(mark.attribute("cx").as_double(), left + 200, 0.11);
  const double y = mark.attribute("cy").as_double();
  const std::string corners = picture.root().child("polyline").attribute("points").value();
  EXPECT_EQ(corners, svg_number(left) + "," + svg_number(y + 25) + " " + svg_number(left + 400) +
                         "," + svg_number(y - 75));
}

TEST(LineCharts, LinesAreCutAtTheEdges) {
  LineChart chart = some_chart();
  chart.series = {{"out and in again", {kHues[0]}, {{-4, 2}, {2, 2}, {2, 9}, {3, 9}, {3, 1}}},
                  {"outside", {kHues[1]}, {{1, 5}, {4, 7}}}};
  const Picture picture(draw_chart(chart, {0, 0}));
  EXPECT_EQ(picture.count("polyline"), 2u);  // two pieces of the first, none of the second
  const std::string first = picture.root().child("polyline").attribute("points").value();
  const double left = chart_width(chart) - chart.width - 26, top = 34;
  EXPECT_EQ(first, svg_number(left) + "," + svg_number(top + 50) + " " + svg_number(left + 200) +
                       "," + svg_number(top + 50) + " " + svg_number(left + 200) + "," +
                       svg_number(top));
}

TEST(LineCharts, AreasLieBelowEverythingWhereTheAxesSay) {
  LineChart chart{"", counting_axis(3.5, "n"), share_axis("share")};
  chart.width = 100;
  chart.height = 50;
  chart.areas = {{{{1, 0}, {2, 0}, {2, 0.5}, {1, 0.5}}, "#123456", 0.25, "a < b"}};
  chart.series = {{"line", {kHues[0]}, {{0, 0}, {4, 1}}}};
  const std::string svg = draw_chart(chart, {0, 0});
  EXPECT_LT(svg.find("<polygon"), svg.find("<line"));
  EXPECT_LT(svg.find("<polygon"), svg.find("<polyline"));
  const Picture picture(svg);
  ASSERT_EQ(picture.count("polygon"), 1u);
  const pugi::xml_node area = picture.root().child("polygon");
  EXPECT_STREQ(area.attribute("points").value(), "77,84 102,84 102,59 77,59");
  EXPECT_STREQ(area.attribute("fill-opacity").value(), "0.25");
  EXPECT_STREQ(area.child("title").text().get(), "a < b");
}

TEST(LineCharts, MarksStandAboveAllLines) {
  LineChart chart = some_chart();
  chart.series = {{"one", {kHues[0]}, {{0, 0}, {4, 3}}, {{{1, 1}, "", MarkShape::ring}}},
                  {"two", {kHues[1]}, {{0, 1}, {4, 2}}, {{{2, 1}, ""}}}};
  const std::string svg = draw_chart(chart, {0, 0});
  EXPECT_LT(svg.rfind("<polyline"), svg.find("<circle"));
  EXPECT_NE(svg.find("fill=\"white\" stroke=\"" + std::string(kHues[0])), std::string::npos);
  EXPECT_NE(svg.find("stroke=\"white\""), std::string::npos);
}

TEST(LineCharts, NoTwoSeriesLookAlike) {
  LineChart chart = some_chart();
  const PlotLine line = {{0, 0}, {4, 3}};
  const auto refused = [&](const PlotSeries& one, const PlotSeries& other) {
    chart.series = {one, other};
    try {
      draw_chart(chart, {0, 0});
    } catch (const std::logic_error& error) {
      EXPECT_STREQ(error.what(), "two series look alike: one and other");
      return true;
    }
    return false;
  };
  const std::vector<PlotMark> dots = {{{1, 1}, ""}}, rings = {{{1, 1}, "", MarkShape::ring}};
  EXPECT_TRUE(refused({"one", {kBlue}, line}, {"other", {kBlue, "", 3}, line}));
  EXPECT_FALSE(refused({"one", {kBlue}, line}, {"other", {kBlue, "2 2"}, line}));
  EXPECT_FALSE(refused({"one", {kBlue}, line}, {"other", {kSky}, line}));
  EXPECT_FALSE(refused({"one", {kBlue}, line}, {"other", {kBlue}, line, dots}));
  EXPECT_FALSE(refused({"one", {kBlue}, line, dots}, {"other", {kBlue}, line, rings}));
  // Marks alone have no dash, and nothing is drawn of a series without line and marks.
  EXPECT_TRUE(refused({"one", {kBlue}, {}, dots}, {"other", {kBlue, "2 2"}, {}, dots}));
  SeriesStyle square{kBlue};
  square.symbol = Symbol::square;
  EXPECT_FALSE(refused({"one", {kBlue}, {}, dots}, {"other", square, {}, dots}));
  EXPECT_FALSE(refused({"one", {kBlue}}, {"other", {kBlue}}));

  EXPECT_THROW(draw_legend({{"one", {kBlue}, line}, {"other", {kBlue}, line}}, {0, 0}),
               std::logic_error);
}

TEST(SeriesLooks, AreNeverHandedOutTwice) {
  SeriesLooks looks;
  std::set<std::pair<std::string, std::string>> dashes;
  std::set<std::pair<std::string, Symbol>> symbols;
  for (std::size_t i = 0; i < 200; ++i) {
    const SeriesStyle wanted = {kHues[i % kHues.size()], i % 3 == 0 ? "6 4" : "", 2};
    const SeriesStyle style = looks.next(wanted);
    EXPECT_TRUE(dashes.emplace(style.colour, style.dash).second) << i;
    EXPECT_TRUE(symbols.emplace(style.colour, style.symbol).second) << i;
    if (i >= kHues.size()) continue;
    EXPECT_EQ(style.colour, wanted.colour);
    EXPECT_EQ(style.dash, wanted.dash);
  }
}

TEST(SeriesLooks, SymbolsAreFiguresOfTheirOwn) {
  LineChart chart = some_chart();
  for (const Symbol symbol : kSymbols) {
    PlotSeries series{"", {kBlue}, {}, {{{1, 1}, ""}}};
    series.style.symbol = symbol;
    chart.series.push_back(series);
  }
  const Picture picture(draw_chart(chart, {0, 0}));
  EXPECT_EQ(picture.count("circle"), 1u);
  EXPECT_EQ(picture.count("rect"), 2u);  // the background is one
  EXPECT_EQ(picture.count("polygon"), 2u);
}

/// CIE 1976 L*a*b* of a colour as an eye sees it whose cones are these: Machado, Oliveira and
/// Fernandes 2009, of full severity.
using Matrix = std::array<std::array<double, 3>, 3>;
std::array<double, 3> multiplied(const Matrix& matrix, const std::array<double, 3>& v) {
  std::array<double, 3> product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) product[i] += matrix[i][j] * v[j];
  return product;
}
std::array<double, 3> seen(const std::string& colour, const Matrix& eye) {
  constexpr Matrix kXyz = {{{0.4124564, 0.3575761, 0.1804375},
                            {0.2126729, 0.7151522, 0.0721750},
                            {0.0193339, 0.1191920, 0.9503041}}};
  std::array<double, 3> light{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    light[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  light = multiplied(eye, light);
  for (double& c : light) c = std::clamp(c, 0.0, 1.0);
  auto [x, y, z] = multiplied(kXyz, light);
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  x = root(x / 0.95047), y = root(y), z = root(z / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(Hues, StayApartForColourBlindReaders) {
  const std::vector<Matrix> eyes = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                    {{{0.152286, 1.052583, -0.204868},
                                      {0.114503, 0.786281, 0.099216},
                                      {-0.003882, -0.048116, 1.051998}}},  // no red cones
                                    {{{0.367322, 0.860646, -0.227968},
                                      {0.280085, 0.672501, 0.047413},
                                      {-0.011820, 0.042940, 0.968881}}},  // no green ones
                                    {{{1.255528, -0.076749, -0.178779},
                                      {-0.078411, 0.930809, 0.147602},
                                      {0.004733, 0.691367, 0.303900}}}};  // no blue ones
  double nearest = 1000;
  for (const Matrix& eye : eyes)
    for (const char* one : kHues)
      for (const char* other : kHues) {
        if (one == other) continue;
        const auto a = seen(one, eye), b = seen(other, eye);
        nearest = std::min(nearest, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
      }
  EXPECT_GT(nearest, 11) << "a difference of 2.3 is just noticeable";
}

TEST(Legends, KeepTheOrderBelowEachOther) {
  std::vector<PlotSeries> legend;
  for (const char* name : {"a", "b", "c", "d", "<e>"})
    legend.push_back({name, {kHues[legend.size()]}});
  const Picture picture(draw_legend(legend, {0, 0}));
  EXPECT_EQ(picture.texts(), (std::vector<std::string>{"a", "b", "c", "d", "<e>"}));
  EXPECT_EQ(legend_height(legend), 5 * 18);
  double above = 0;
  for (const auto& node : picture.root().children("text")) {
    EXPECT_GT(node.attribute("y").as_double(), above);
    above = node.attribute("y").as_double();
  }
}

TEST(Legends, AnEntryLooksAsItsSeries) {
  const PlotSeries ring{"name", {"#123456", "6 4", 2}, {}, {{{0, 0}, "", MarkShape::ring}}};
  const Picture marked(draw_legend({ring}, {0, 0}));
  EXPECT_EQ(marked.texts(), std::vector<std::string>{"name"});
  EXPECT_TRUE(marked.root().child("line").empty());
  EXPECT_EQ(std::string(marked.root().child("circle").attribute("stroke").as_string()), "#123456");
  const PlotSeries line{"line", {"#123456", "6 4", 2}, {{0, 0}, {1, 1}}};
  const std::string svg = draw_legend({line}, {0, 0});
  EXPECT_EQ(svg.find("<circle"), std::string::npos);
  EXPECT_NE(svg.find("stroke=\"#123456\" stroke-width=\"2\" stroke-dasharray=\"6 4\""),
            std::string::npos);
}

// --- tables --------------------------------------------------------------------------------------

TEST(Tables, MarkdownReadsTextAsText) {
  EXPECT_EQ(markdown_text("a|b*c_d`e<f\\g\nh"), "a\\|b\\*c\\_d\\`e\\<f\\\\g h");
  EXPECT_EQ(markdown_row({"a", "", "**b**"}), "| a | | **b** |\n");
  EXPECT_EQ(markdown_headings({"a", "b"}), "| a | b |\n|---|---|\n");
  EXPECT_EQ(markdown_headings({"a", "b", "c"}, 1), "| a | b | c |\n|---|--:|--:|\n");
  EXPECT_EQ(markdown_row({markdown_text("a|b"), "c"}), "| a\\|b | c |\n");
}

TEST(Tables, HtmlReadsTextAsText) {
  EXPECT_EQ(html_row({"a<b", "c"}), "<tr><td>a&lt;b</td><td>c</td></tr>\n");
  EXPECT_EQ(html_row({"a"}, "th"), "<tr><th>a</th></tr>\n");
  const std::string page = html_page("<t>", "p{color:red}", "<p>body</p>\n");
  EXPECT_NE(page.find("<title>&lt;t&gt;</title>"), std::string::npos);
  EXPECT_NE(page.find("<h1>&lt;t&gt;</h1>\n<p>body</p>\n</body>"), std::string::npos);
  EXPECT_NE(page.find("p{color:red}</style>"), std::string::npos);
}

// --- texts and fits ------------------------------------------------------------------------------

TEST(NumberTexts, RoundForPeople) {
  EXPECT_EQ(fixed_text(-0.001, 2), "0.00");
  EXPECT_EQ(fixed_text(-1.005, 1), "-1.0");
  EXPECT_EQ(fixed_text(1e22, 0), "10000000000000000000000");
  EXPECT_EQ(signed_text(-0.001, 2), "+0.00");
  EXPECT_EQ(signed_text(0.25, 1), "+0.2");
  EXPECT_EQ(short_text(6, 4), "6");
  EXPECT_EQ(short_text(2.50001, 4), "2.5");
  EXPECT_EQ(percent_text(0.95), "95 %");
  EXPECT_EQ(percent_text(0.995), "99.5 %");
  EXPECT_EQ(svg_number(12.0), "12");
  EXPECT_EQ(svg_number(-0.04), "0");
  EXPECT_EQ(svg_number(1.25), "1.2");
}

TEST(Phrases, CountAndList) {
  EXPECT_EQ(counted(1, "graph"), "1 graph");
  EXPECT_EQ(counted(0, "graph"), "0 graphs");
  EXPECT_EQ(counted(1, "vertex", "vertices"), "1 vertex");
  EXPECT_EQ(counted(2, "vertex", "vertices"), "2 vertices");
  EXPECT_EQ(share_text(3, 7), "3 of 7");
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"", "a", "b"}, "; "), "; a; b");
}

TEST(LeastSquaresFits, RecoverAKnownSlope) {
  PlotLine points;
  for (const double x : {2.0, 3.0, 5.0, 9.0}) points.emplace_back(x, 4.5 * x - 1.25);
  EXPECT_NEAR(least_squares_slope(points).value(), 4.5, 1e-12);
  EXPECT_NEAR(least_squares_slope({{0, 0}, {1, 2}, {2, 1}}).value(), 0.5, 1e-12);
  EXPECT_EQ(least_squares_slope({{1, 0.1}, {2, 0.1}, {4, 0.1}}), 0);
  EXPECT_EQ(least_squares_slope({{1, 2}, {1, 3}}), std::nullopt);
  EXPECT_EQ(least_squares_slope({}), std::nullopt);
}

}}  // namespace logdepth::figures_tests
