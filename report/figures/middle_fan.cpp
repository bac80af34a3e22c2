#include "report/figures/middle_fan.hpp"

#include <algorithm>

#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_figures {
namespace {

constexpr std::size_t kFanCharacters = 14;
constexpr double kFanRow = 21, kFanTop = 26, kBoxHalf = 52, kFanLines = 90;
constexpr double kFanCharacter = 8.2;  ///< of the bold names at both ends

double fan_end(const std::string& name) {
  return 12 + kFanCharacter * static_cast<double>(count_characters(cut_text(name, kFanCharacters)));
}

}  // namespace

PlotPoint middle_fan_size(const MiddleFan& fan) {
  return {fan_end(fan.source) + fan_end(fan.target) + 2 * (kFanLines + kBoxHalf),
          kFanTop + kFanRow * static_cast<double>(std::max<std::size_t>(3, fan.middles.size()))};
}

std::string middle_fan_elements(const MiddleFan& fan, PlotPoint corner) {
  const double top = corner.second + kFanTop;
  const double middle = top + (middle_fan_size(fan).second - kFanTop) / 2;
  const PlotPoint source{corner.first + fan_end(fan.source), middle};
  const double centre = source.first + kFanLines + kBoxHalf;
  const PlotPoint target{centre + kFanLines + kBoxHalf, middle};
  std::string lines, names;
  names += svg_text(centre, corner.second + 11, fan.title,
                    "text-anchor=\"middle\" font-size=\"11\" " + svg_attribute("fill", kQuietInk));
  for (std::size_t i = 0; i < fan.middles.size(); ++i) {
    const FanMiddle& one = fan.middles[i];
    const double y = top + kFanRow * (static_cast<double>(i) + 0.5);
    const std::string look = one.joined
                                 ? svg_attribute("stroke", kHues[1]) + " stroke-width=\"2.4\""
                                 : svg_attribute("stroke", kHues[0]) + " stroke-width=\"1.2\"";
    std::string group;
    if (one.first)
      group += svg_line({source.first + 6, source.second}, {centre - kBoxHalf, y}, look);
    if (one.second)
      group += svg_line({centre + kBoxHalf, y}, {target.first - 6, target.second}, look);
    group += svg_rect({centre - kBoxHalf, y - 9}, 2 * kBoxHalf, 18,
                      std::string("rx=\"4\" stroke=\"#8A8A8A\" fill=\"") +
                          (one.joined                ? "#FBD9C2"
                           : one.first || one.second ? "#E3EEF6"
                                                     : "#FFFFFF") +
                          "\"",
                      one.name);
    group += svg_text(centre, y + 4, cut_text(one.name, kFanCharacters),
                      "text-anchor=\"middle\" font-size=\"11\"");
    lines += svg_group(group, one.key.empty() ? "" : key_attribute(one.key));
  }
  const auto end = [&](PlotPoint place, const std::string& name, double side, const char* anchor) {
    names += svg_circle(place, 6, svg_attribute("fill", kInk), name);
    names +=
        svg_text(place.first + side * 11, place.second + 4, cut_text(name, kFanCharacters),
                 svg_attribute("text-anchor", anchor) + " font-size=\"12\" font-weight=\"bold\"");
  };
  end(source, fan.source, -1, "end");
  end(target, fan.target, 1, "start");
  return lines + names;
}

}  // namespace logdepth::inline report_figures
