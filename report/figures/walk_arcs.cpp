#include "report/figures/walk_arcs.hpp"

#include <algorithm>

#include "base/xml_text.hpp"
#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_figures {
namespace {

constexpr std::size_t kPlaceCharacters = 14;
constexpr double kLevelHeight = 40, kPlaceNames = 30, kWalkMargin = 56;
constexpr double kWidestWalk = 1000;

double place_step(const WalkArcs& walk) {
  const auto steps = static_cast<double>(std::max<std::size_t>(walk.names.size(), 2) - 1);
  return std::clamp(kWidestWalk / steps, 34.0, 104.0);
}

std::size_t levels_of(const WalkArcs& walk) {
  std::size_t levels = 0;
  for (const WalkArc& arc : walk.arcs) levels = std::max(levels, arc.level);
  return levels;
}

}  // namespace

PlotPoint walk_arcs_size(const WalkArcs& walk) {
  return {2 * kWalkMargin + place_step(walk) * static_cast<double>(walk.names.size() - 1),
          kLevelHeight * static_cast<double>(levels_of(walk)) + 2 * kPlaceNames};
}

std::string walk_arcs_elements(const WalkArcs& walk, PlotPoint corner) {
  const double step = place_step(walk);
  const double ground =
      corner.second + kLevelHeight * static_cast<double>(levels_of(walk)) + kPlaceNames / 2;
  const auto x = [&](std::size_t place) {
    return corner.first + kWalkMargin + step * static_cast<double>(place);
  };
  std::string arcs, places;
  for (const WalkArc& arc : walk.arcs) {
    const double from = x(arc.from), to = x(arc.to), middle = (from + to) / 2;
    const double height = kLevelHeight * static_cast<double>(arc.level);
    const std::string look = svg_attribute("stroke", arc.colour) +
                             " fill=\"none\" stroke-width=\"" + (arc.level == 0 ? "2.4" : "1.8") +
                             "\"";
    std::string one;
    if (arc.level == 0) {
      one = svg_line({from + 6, ground}, {to - 6, ground}, look);
    } else {
      const double radius = std::min((to - from) / 2, 18.0);
      one = svg_path("M" + svg_number(from + 3) + " " + svg_number(ground - 7) + "V" +
                         svg_number(ground - height + radius) + "Q" + svg_number(from + 3) + " " +
                         svg_number(ground - height) + " " + svg_number(from + 3 + radius) + " " +
                         svg_number(ground - height) + "H" + svg_number(to - 3 - radius) + "Q" +
                         svg_number(to - 3) + " " + svg_number(ground - height) + " " +
                         svg_number(to - 3) + " " + svg_number(ground - height + radius) + "V" +
                         svg_number(ground - 7),
                     look);
      one +=
          svg_text(middle, ground - height - 5, arc.label,
                   "text-anchor=\"middle\" font-size=\"11\" " + svg_attribute("fill", arc.colour));
    }
    arcs += svg_group(one, arc.key.empty() ? "" : key_attribute(arc.key));
  }
  for (std::size_t i = 0; i < walk.names.size(); ++i) {
    const std::string name = cut_text(walk.names[i], kPlaceCharacters);
    places += svg_circle({x(i), ground}, 5, "fill=\"#111111\"", walk.names[i]);
    const bool fits = static_cast<double>(count_characters(name)) * 7.4 < step;
    // Names that are too wide for their place stand at two heights in turn.
    places += svg_text(x(i), ground + 20 + (fits || i % 2 == 0 ? 0 : 15), name,
                       "text-anchor=\"middle\" font-size=\"12\"");
  }
  return arcs + places;
}

}  // namespace logdepth::inline report_figures
