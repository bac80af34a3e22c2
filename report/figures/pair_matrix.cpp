#include "report/figures/pair_matrix.hpp"

#include <algorithm>

#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/strip_picture.hpp"

namespace logdepth::inline report_figures {
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

}  // namespace logdepth::inline report_figures
