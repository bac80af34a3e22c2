#include "report/figures/direction_circle.hpp"

#include <algorithm>
#include <cmath>

#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::inline report_figures {
namespace {

constexpr double kBeyond = 12;     ///< from the circle to the middle of a name
constexpr double kNameApart = 13;  ///< of two names that are both written
constexpr double kLetter = 6.6;

PlotPoint along(const DirectionCircle::Direction& direction, PlotPoint centre, double length) {
  const double norm = std::hypot(direction.x, direction.y);
  return {centre.first + length * direction.x / norm, centre.second - length * direction.y / norm};
}

std::string ray(const DirectionCircle::Direction& direction, PlotPoint centre, double length,
                const std::string& style) {
  return svg_line(centre, along(direction, centre, length), style);
}

std::string name_of(const DirectionCircle::Direction& direction, PlotPoint centre, double length,
                    const std::string& style) {
  const auto [x, y] = along(direction, centre, length);
  return svg_text(x, y + 3, direction.name, "text-anchor=\"middle\" font-size=\"10\" " + style);
}

}  // namespace

double direction_circle_width(const DirectionCircle& circle, double radius) {
  const double name = kLetter * static_cast<double>(count_characters(circle.asked.name));
  return std::max(radius + 3 * kBeyond + name,
                  kLetter * static_cast<double>(count_characters(circle.meaning)));
}

std::string direction_circle_elements(const DirectionCircle& circle, PlotPoint centre,
                                      double radius) {
  const auto [x, y] = centre;
  const std::string quiet = "fill=\"" + std::string(kQuietInk) + "\"";
  std::string elements =
      svg_path("M" + svg_number(x) + " " + svg_number(y - radius) + "A" + svg_number(radius) + " " +
                   svg_number(radius) + " 0 0 1 " + svg_number(x + radius) + " " + svg_number(y),
               "fill=\"none\" stroke=\"" + std::string(kGridInk) + "\"");
  elements += svg_text(x, y - radius - 2 * kBeyond, circle.meaning, "font-size=\"11\" " + quiet);
  const auto& chosen = circle.directions[circle.nearest];
  const auto apart = [&](const DirectionCircle::Direction& one,
                         const DirectionCircle::Direction& other) {
    const auto a = along(one, centre, radius), b = along(other, centre, radius);
    return std::hypot(a.first - b.first, a.second - b.second) >= kNameApart;
  };
  std::vector<DirectionCircle::Direction> named = {chosen};
  for (const auto& direction : circle.directions) {
    elements += ray(direction, centre, radius, "stroke=\"#B8B8B8\"");
    if (!std::ranges::all_of(named, [&](const auto& other) { return apart(direction, other); }))
      continue;
    named.push_back(direction);
    elements += name_of(direction, centre, radius + kBeyond, quiet);
  }
  const std::string stroke = "stroke=\"" + circle.colour + "\" stroke-width=\"2.4\"";
  elements += ray(chosen, centre, radius, stroke + " class=\"nearest\"");
  elements += name_of(chosen, centre, radius + kBeyond, "font-weight=\"bold\"");
  elements += ray(circle.asked, centre, radius + 6,
                  "stroke=\"#000000\" stroke-width=\"1.4\" stroke-dasharray=\"4 3\"");
  const auto [tip_x, tip_y] = along(circle.asked, centre, radius + 2 * kBeyond);
  return elements + svg_text(tip_x, tip_y + 3, circle.asked.name, "font-size=\"10\"");
}

}  // namespace logdepth::inline report_figures
