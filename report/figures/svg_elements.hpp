#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace logdepth::inline report_figures {

/// A place in a picture, or on two axes.
using PlotPoint = std::pair<double, double>;
using PlotLine = std::vector<PlotPoint>;

/// A coordinate: a tenth of a pixel, no more digits than needed.
std::string svg_number(double value);
/// name="value", the value a coordinate or a text of ours.
std::string svg_attribute(std::string_view name, double value);
std::string svg_attribute(std::string_view name, std::string_view value);

// One element each, ended by a newline. `attributes`: more of them, as SVG writes them; `title`:
// what is shown to a reader who points at it. Contents and titles are escaped, of whatever origin.
std::string svg_text(double x, double y, std::string_view content, std::string_view attributes);
std::string svg_line(PlotPoint from, PlotPoint to, std::string_view attributes);
/// Along `data`, as the attribute d of SVG has it.
std::string svg_path(std::string_view data, std::string_view attributes);
std::string svg_polyline(const PlotLine& points, std::string_view attributes,
                         std::string_view title = "");
std::string svg_polygon(const PlotLine& corners, std::string_view attributes,
                        std::string_view title = "");
std::string svg_rect(PlotPoint corner, double width, double height, std::string_view attributes,
                     std::string_view title = "");
std::string svg_circle(PlotPoint centre, double radius, std::string_view attributes,
                       std::string_view title = "");

/// Elements that share attributes.
std::string svg_group(std::string_view elements, std::string_view attributes);

/// The picture: a white page of this size with the elements on it. `attributes`: of all of them.
std::string svg_document(double width, double height, std::string_view title,
                         std::string_view elements,
                         std::string_view attributes = "font-size=\"12\"");

}  // namespace logdepth::inline report_figures
