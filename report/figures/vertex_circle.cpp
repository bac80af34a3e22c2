#include "report/figures/vertex_circle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "report/figures/strip_picture.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {
namespace {

constexpr double kVertexRadius = 12;
constexpr double kNameRadius = kVertexRadius + 6;  ///< from the middle of a vertex to its name
constexpr std::size_t kNameCharacters = 14;
constexpr double kNameCharacter = 7.6;

std::string shown_name(const CircleVertex& vertex) {
  return cut_text(vertex.name, kNameCharacters);
}

/// Around the circle: every vertex has room, and the circle is not too small for few.
double radius_of(const VertexCircle& circle) {
  return std::max(112.0, static_cast<double>(circle.vertices.size()) * 10.5);
}

double name_room(const VertexCircle& circle) {
  std::size_t characters = 0;
  for (const CircleVertex& vertex : circle.vertices)
    characters = std::max(characters, count_characters(shown_name(vertex)));
  return kNameRadius + static_cast<double>(characters) * kNameCharacter + 4;
}

class CircleDrawing {
 public:
  CircleDrawing(const VertexCircle& circle, PlotPoint corner)
      : circle_(circle), radius_(radius_of(circle)) {
    const auto [width, height] = circle_size(circle);
    centre_ = {corner.first + width / 2, corner.second + height / 2};
  }

  std::string elements() const {
    std::string result;
    for (const CircleArrow& arrow : circle_.arrows)
      result += arrow.from == arrow.to ? loop(arrow) : bent(arrow);
    for (std::size_t i = 0; i < circle_.vertices.size(); ++i) result += vertex(i);
    return result;
  }

 private:
  double angle(std::size_t vertex) const {
    return std::numbers::pi *
           (1 + 2 * static_cast<double>(vertex) / static_cast<double>(circle_.vertices.size()));
  }
  PlotPoint place(std::size_t vertex, double radius) const {
    if (const auto& own = circle_.vertices[vertex].place)
      return {own->first, own->second + radius - radius_};
    return {centre_.first + radius * std::cos(angle(vertex)),
            centre_.second + radius * std::sin(angle(vertex))};
  }

  static std::string point(PlotPoint p) { return svg_number(p.first) + " " + svg_number(p.second); }

  /// A curve by its control points, cut short at the last of them for the arrow's head.
  static std::string with_head(const std::string& curve, PlotPoint control, PlotPoint tip,
                               const CircleArrow& arrow) {
    const double dx = tip.first - control.first, dy = tip.second - control.second;
    const double length = std::hypot(dx, dy), half = 1.6 + arrow.width,
                 head = 4.5 + 1.6 * arrow.width;
    const double ux = dx / length, uy = dy / length;
    const PlotPoint base{tip.first - head * ux, tip.second - head * uy};
    const std::string look = svg_attribute("stroke-opacity", fixed_text(arrow.opacity, 2)) +
                             " fill=\"none\" " + svg_attribute("stroke", arrow.colour) + " " +
                             svg_attribute("stroke-width", arrow.width);
    return svg_group(
        svg_path(curve + point(base), look) +
            svg_polygon({tip,
                         {base.first - half * uy, base.second + half * ux},
                         {base.first + half * uy, base.second - half * ux}},
                        svg_attribute("fill", arrow.colour) + " " +
                            svg_attribute("fill-opacity", fixed_text(arrow.opacity, 2))),
        arrow.key.empty() ? "" : key_attribute(arrow.key));
  }

  std::string bent(const CircleArrow& arrow) const {
    const PlotPoint from = place(arrow.from, radius_), to = place(arrow.to, radius_);
    const double dx = to.first - from.first, dy = to.second - from.second;
    const PlotPoint control{(from.first + to.first) / 2 + arrow.bend * dy,
                            (from.second + to.second) / 2 - arrow.bend * dx};
    const auto towards = [&](PlotPoint p) {  // from the middle of a vertex to its edge
      const double x = control.first - p.first, y = control.second - p.second;
      const double length = std::hypot(x, y);
      return PlotPoint{p.first + (kVertexRadius + 1) * x / length,
                       p.second + (kVertexRadius + 1) * y / length};
    };
    return with_head("M" + point(towards(from)) + "Q" + point(control) + " ", control, towards(to),
                     arrow);
  }

  /// Inside the circle, where nothing is written.
  std::string loop(const CircleArrow& arrow) const {
    const PlotPoint middle = place(arrow.from, radius_);
    const double inward = angle(arrow.from) + std::numbers::pi;
    const auto at = [&](double turn, double radius) {
      return PlotPoint{middle.first + radius * std::cos(inward + turn),
                       middle.second + radius * std::sin(inward + turn)};
    };
    const PlotPoint control = at(-0.65, 42);
    return with_head("M" + point(at(0.6, kVertexRadius)) + "C" + point(at(0.65, 42)) + " " +
                         point(control) + " ",
                     control, at(-0.6, kVertexRadius + 1), arrow);
  }

  std::string vertex(std::size_t at) const {
    const CircleVertex& one = circle_.vertices[at];
    const PlotPoint middle = place(at, radius_),
                    name = place(at, radius_ + kNameRadius + (one.ringed ? 4 : 0));
    const double side = one.place ? 0 : std::cos(angle(at));
    const char* const anchor = side < -0.2 ? "end" : side > 0.2 ? "start" : "middle";
    const double down = one.place ? 1 : std::sin(angle(at));
    std::string elements;
    if (one.ringed)
      elements += svg_circle(middle, kVertexRadius + 4,
                             "fill=\"none\" stroke=\"#111111\" stroke-width=\"1.6\"");
    elements += svg_circle(middle, kVertexRadius,
                           svg_attribute("fill", one.fill) + " " +
                               svg_attribute("stroke", one.ink) + " stroke-width=\"1.4\"",
                           one.name);
    if (!one.mark.empty())
      elements += svg_text(middle.first, middle.second + 4, one.mark,
                           "text-anchor=\"middle\" font-size=\"11\" font-weight=\"bold\" " +
                               svg_attribute("fill", one.ink));
    elements += svg_text(name.first, name.second + 4 + 5 * down, shown_name(one),
                         svg_attribute("text-anchor", anchor) + " font-size=\"12\"");
    return svg_group(elements, one.key.empty() ? "" : key_attribute(one.key));
  }

  const VertexCircle& circle_;
  double radius_;
  PlotPoint centre_;
};

}  // namespace

PlotPoint circle_size(const VertexCircle& circle) {
  const double radius = radius_of(circle);
  return {2 * (radius + name_room(circle)), 2 * (radius + kNameRadius + 16)};
}

std::string circle_elements(const VertexCircle& circle, PlotPoint corner) {
  return CircleDrawing(circle, corner).elements();
}

namespace {

constexpr std::size_t kHeadingCharacters = 14;
constexpr double kSmallCharacter = 6.9;

double cell_side(const PairMatrix& matrix) {
  return matrix.names.size() <= 12 ? 22 : matrix.names.size() <= 16 ? 20 : 17;
}

double heading_room(const PairMatrix& matrix) {
  std::size_t characters = 0;
  for (const std::string& name : matrix.names)
    characters = std::max(characters, count_characters(cut_text(name, kHeadingCharacters)));
  return 12 + static_cast<double>(characters) * kSmallCharacter;
}

/// A text that runs upwards from this place.
std::string upright(double x, double y, std::string_view content, const std::string& attributes) {
  return svg_text(0, 0, content,
                  attributes + (attributes.empty() ? "" : " ") + "transform=\"translate(" +
                      svg_number(x) + " " + svg_number(y) + ") rotate(-90)\"");
}

}  // namespace

PlotPoint pair_matrix_size(const PairMatrix& matrix) {
  const double side =
      18 + heading_room(matrix) + cell_side(matrix) * static_cast<double>(matrix.names.size());
  return {side + 4, side + 4};
}

std::string pair_matrix_elements(const PairMatrix& matrix, PlotPoint corner) {
  const double side = cell_side(matrix), room = 18 + heading_room(matrix);
  const double left = corner.first + room, top = corner.second + room;
  const double end = side * static_cast<double>(matrix.names.size());
  const std::string quiet = "text-anchor=\"middle\" " + svg_attribute("fill", kQuietInk);
  std::string headings = svg_text(left + end / 2, corner.second + 11, matrix.column_title, quiet) +
                         upright(corner.first + 11, top + end / 2, matrix.row_title, quiet);
  std::string cells, lines, framed;
  for (std::size_t i = 0; i <= matrix.names.size(); ++i) {
    const double at = side * static_cast<double>(i);
    lines += svg_line({left, top + at}, {left + end, top + at}, "");
    lines += svg_line({left + at, top}, {left + at, top + end}, "");
    if (i == matrix.names.size()) break;
    const std::string name = cut_text(matrix.names[i], kHeadingCharacters);
    headings += svg_text(left - 6, top + at + side / 2 + 4, name, "text-anchor=\"end\"");
    headings += upright(left + at + side / 2 + 4, top - 6, name, "");
    for (std::size_t j = 0; j < matrix.names.size(); ++j) {
      const PairCell& cell = matrix.cells[i][j];
      const PlotPoint place{left + side * static_cast<double>(j), top + at};
      std::string one = svg_rect(place, side, side,
                                 svg_attribute("fill", cell.fill.empty() ? "#FFFFFF" : cell.fill));
      if (!cell.mark.empty())
        one += svg_text(place.first + side / 2, place.second + side / 2 + 4, cell.mark,
                        svg_attribute("fill", cell.ink));
      cells += svg_group(one, cell.key.empty() ? "" : key_attribute(cell.key));
      if (cell.framed)
        framed += svg_rect(place, side, side,
                           "fill=\"none\" stroke-width=\"2.4\" " + svg_attribute("stroke", kInk));
    }
  }
  return svg_group(headings + svg_group(cells, "text-anchor=\"middle\""), "font-size=\"11\"") +
         svg_group(lines, svg_attribute("stroke", kGridInk)) + framed;
}

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

}}  // namespace logdepth::report_figures
