#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth {

/// A picture of sections below each other, numbered from 1. A Drawing is made of a section and
/// where it begins; draw(number) gives its elements, bottom() where it ended.
template <class Drawing, class Section>
std::string stacked_sections_svg(const std::vector<Section>& sections, double width, double top,
                                 std::string_view title) {
  std::string body;
  double y = top;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    Drawing drawing(sections[i], y);
    body += drawing.draw(i + 1);
    y = drawing.bottom();
  }
  return svg_document(width, y, title, body);
}

}  // namespace logdepth
