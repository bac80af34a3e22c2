#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace logdepth { inline namespace report_figures {

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

/// Okabe and Ito's hues without yellow, which colour-blind readers can tell apart, green and purple
/// darkened for lines on white.
inline constexpr const char *kBlue = "#0072B2", *kVermilion = "#D55E00", *kGreen = "#00875F",
                            *kPurple = "#B4508F", *kBlack = "#000000", *kOrange = "#E69F00",
                            *kSky = "#56B4E9";
inline constexpr std::array kHues = {kBlue, kVermilion, kGreen, kPurple, kBlack, kOrange, kSky};
inline constexpr const char* kInk = "#111111";
inline constexpr const char* kAxisInk = "#333333";
/// Of what stands back: notes, positions, names of axes.
inline constexpr const char* kQuietInk = "#5A5A5A";
/// Of what is wrong; a sign or words stand beside it.
inline constexpr const char* kWrongSign = "\xE2\x9C\x97";  // ballot X
inline constexpr const char *kWrongInk = "#C8001E", *kWrongFill = "#FBDDE0";
inline constexpr const char* kGridInk = "#E2E2E2";

/// A picture on a page of a paper: A4, 15 mm of it left free on every side.
struct PaperFit {
  double scale = 1;     ///< points of the page per unit of the picture, not more than 1
  bool across = false;  ///< the page lies on its longer side
};

/// As large as the picture can stand there; upright unless it is larger across.
PaperFit fit_paper(double width, double height);

// --- Markdown ------------------------------------------------------------------------------------

/// Text of any origin for a place in a paragraph, an item or a cell: what Markdown, or the HTML in
/// it, would read as something else has a backslash before it, and a line's end becomes a blank.
std::string markdown_text(std::string_view text);

/// "| a | b |" and the line's end. Cells are Markdown already.
std::string markdown_row(const std::vector<std::string>& cells);
/// The row of headings and the rule under it; columns from `first_number` on are set to the right.
std::string markdown_headings(const std::vector<std::string>& cells,
                              std::size_t first_number = std::string::npos);

// --- HTML ----------------------------------------------------------------------------------------

/// A row of cells, which are escaped; `cell`: "td", or "th" of headings.
std::string html_row(const std::vector<std::string>& texts, const std::string& cell = "td");

/// A page of its own. The title is escaped, the body is HTML; `style`: what this page adds to the
/// looks that all pages share.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

}}  // namespace logdepth::report_figures
