// Pictures of accuracies by difficulty and loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "learned/depth_recurrent/heatmap_figure.hpp"
#include "learned/depth_recurrent/published_depth_recurrent.hpp"
#include "learned/records/training_config.hpp"
#include "tests/support/heatmaps.hpp"

namespace logdepth::depth_recurrent_heatmaps_tests {
namespace {

using laws::ideal;
using laws::set;

std::string picture_of(const std::vector<HeatmapPanel>& panels) {
  report::Picture picture{"heatmaps.svg", "Accuracy by difficulty and number of loops", 0, 20};
  add_heatmaps(picture, panels);
  return report::picture_svg(picture);
}

TEST(HeatmapFigure, IsWellFormedWithEveryCellAllLinesAndTitlesAsGiven) {
  HeatmapPanel ours{"a < b & \"c\"", ideal()};
  ours.heatmap.accuracy[0][0] = 0.123;
  ours.trained = {1, 5, 5, 8};
  const std::string svg = picture_of({ours, {"published, figure 1", published_hops().heatmap}});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg.c_str()));
  std::vector<std::string> texts;
  for (const pugi::xml_node& node : document.child("svg").children("text"))
    texts.emplace_back(node.text().get());
  const auto count = [&](const std::string& text) {
    return std::count(texts.begin(), texts.end(), text);
  };
  EXPECT_EQ(count("a < b & \"c\""), 1);
  EXPECT_EQ(count("published, figure 1"), 1);
  EXPECT_EQ(count("0.12"), 1);
  EXPECT_EQ(count("0.97"), 3);
  EXPECT_EQ(count("iterations T"), 2);
  EXPECT_EQ(count("hops from source to target"), 2);
  std::size_t lines = 0;
  for (const auto& node : document.child("svg").children("polyline")) lines += !node.empty();
  EXPECT_EQ(lines, 4u + 3u);  // two of each panel, three of the legend
  std::size_t boxes = 0, outlines = 0;
  for (const auto& node : document.child("svg").children("rect")) {
    const bool outline = std::string(node.attribute("fill").value()) == "none";
    ++(outline ? outlines : boxes);
    if (!outline) continue;
    // Rows of 1 to 5 hops; of the columns 1, 2, 3, 5, 8, ... the fourth and the fifth.
    EXPECT_EQ(node.attribute("height").as_double(), 5 * 28);
    EXPECT_EQ(node.attribute("width").as_double(), 2 * 38);
    EXPECT_EQ(node.attribute("x").as_double(), 20 + 58 + 3 * 38);
  }
  EXPECT_EQ(boxes, 9u * 8 + 8 * 8 + 21 + 1);
  EXPECT_EQ(outlines, 1u);
}

/// The height of the first line of a panel at its right end.
double right_end(const AccuracyHeatmap& heatmap) {
  pugi::xml_document document;
  document.load_string(picture_of({{"one", heatmap}}).c_str());
  const std::string points = document.child("svg").child("polyline").attribute("points").value();
  return std::stod(points.substr(points.rfind(',') + 1));
}

TEST(HeatmapFigure, TheFrontierIsDrawnUnderItsRow) {
  AccuracyHeatmap heatmap = ideal();
  const double all_solved = right_end(heatmap);
  set(heatmap, 12, 20, 0.5);
  EXPECT_EQ(right_end(heatmap), all_solved - 28);
  set(heatmap, 8, 20, 0.5);
  EXPECT_EQ(right_end(heatmap), all_solved - 3 * 28);
  set(heatmap, 1, 20, 0.5);
  EXPECT_EQ(right_end(heatmap), all_solved - 9 * 28);
}

}  // namespace
}  // namespace logdepth::depth_recurrent_heatmaps_tests
