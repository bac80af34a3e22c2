#include "report/figures/svg_elements.hpp"

#include "base/number_text.hpp"
#include "base/xml_text.hpp"

namespace logdepth::inline report_figures {
namespace {

std::string element(std::string_view start, std::string_view attributes) {
  return "<" + std::string(start) + (attributes.empty() ? "" : " ") + std::string(attributes);
}

/// The end of an element that holds nothing but its title.
std::string ended(const std::string& name, std::string_view title) {
  if (title.empty()) return "/>\n";
  return "><title>" + xml_text(title) + "</title></" + name + ">\n";
}

std::string through(const std::string& name, const PlotLine& points, std::string_view attributes,
                    std::string_view title) {
  std::string places;
  for (const auto& [x, y] : points)
    places += (places.empty() ? "" : " ") + svg_number(x) + "," + svg_number(y);
  return element(name, attributes) + " " + svg_attribute("points", places) + ended(name, title);
}

}  // namespace

std::string svg_number(double value) {
  std::string text = fixed_text(value, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string svg_attribute(std::string_view name, double value) {
  return svg_attribute(name, svg_number(value));
}

std::string svg_attribute(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string svg_text(double x, double y, std::string_view content, std::string_view attributes) {
  return element("text " + svg_attribute("x", x) + " " + svg_attribute("y", y), attributes) + ">" +
         xml_text(content) + "</text>\n";
}

std::string svg_line(PlotPoint from, PlotPoint to, std::string_view attributes) {
  return element("line " + svg_attribute("x1", from.first) + " " +
                     svg_attribute("y1", from.second) + " " + svg_attribute("x2", to.first) + " " +
                     svg_attribute("y2", to.second),
                 attributes) +
         "/>\n";
}

std::string svg_path(std::string_view data, std::string_view attributes) {
  return element("path " + svg_attribute("d", data), attributes) + "/>\n";
}

std::string svg_polyline(const PlotLine& points, std::string_view attributes,
                         std::string_view title) {
  return through("polyline", points, attributes, title);
}

std::string svg_polygon(const PlotLine& corners, std::string_view attributes,
                        std::string_view title) {
  return through("polygon", corners, attributes, title);
}

std::string svg_rect(PlotPoint corner, double width, double height, std::string_view attributes,
                     std::string_view title) {
  return element("rect " + svg_attribute("x", corner.first) + " " +
                     svg_attribute("y", corner.second) + " " + svg_attribute("width", width) + " " +
                     svg_attribute("height", height),
                 attributes) +
         ended("rect", title);
}

std::string svg_circle(PlotPoint centre, double radius, std::string_view attributes,
                       std::string_view title) {
  return element("circle " + svg_attribute("cx", centre.first) + " " +
                     svg_attribute("cy", centre.second) + " " + svg_attribute("r", radius),
                 attributes) +
         ended("circle", title);
}

std::string svg_group(std::string_view elements, std::string_view attributes) {
  return element("g", attributes) + ">\n" + std::string(elements) + "</g>\n";
}

std::string svg_document(double width, double height, std::string_view title,
                         std::string_view elements, std::string_view attributes) {
  return element("svg xmlns=\"http://www.w3.org/2000/svg\" " + svg_attribute("width", width) + " " +
                     svg_attribute("height", height) + " viewBox=\"0 0 " + svg_number(width) + " " +
                     svg_number(height) +
                     "\" font-family=\"DejaVu Sans,Helvetica,Arial,sans-serif\"",
                 attributes) +
         ">\n<title>" + xml_text(title) +
         "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         std::string(elements) + "</svg>\n";
}

}  // namespace logdepth::inline report_figures
