#include "report/figures/vertex_circle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_figures {
namespace {

constexpr double kVertexRadius = 12;
constexpr double kNameRadius = kVertexRadius + 6;  ///< from the middle of a vertex to its name
constexpr double kBend = 0.14;                     ///< of the length of an arrow
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
    const PlotPoint control{(from.first + to.first) / 2 + kBend * dy,
                            (from.second + to.second) / 2 - kBend * dx};
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
    const double side = std::cos(angle(at));
    const char* const anchor = side < -0.2 ? "end" : side > 0.2 ? "start" : "middle";
    const double down = std::sin(angle(at));
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

}  // namespace logdepth::inline report_figures
