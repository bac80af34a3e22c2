#pragma once

#include <string>
#include <vector>

namespace logdepth { inline namespace report_pictures {

/// One SVG for each graph of the DOT text, through the program `dot`; without what names the
/// version of Graphviz.
/// Errors: InputError with the Debian package when `dot` is missing or refuses the text.
std::vector<std::string> render_graphs(const std::string& dot);

/// A label as Graphviz sets it: SVG elements with the upper left corner at (0, -height).
struct LabelPicture {
  double width = 0, height = 0;
  std::string elements;
};
/// Labels of the `<...>` kind, each by itself, under these attributes of nodes. Errors: as above.
std::vector<LabelPicture> render_labels(const std::vector<std::string>& labels,
                                        const std::string& looks);

/// An SVG as "pdf" or "png", through the program `rsvg-convert`; the latter at twice its size.
/// Errors: InputError with the Debian package when it is missing or fails.
std::string render_svg(const std::string& svg, const std::string& form);

}}  // namespace logdepth::report_pictures
