#include "report/figures/strip_picture.hpp"

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

std::string key_attribute(std::string_view key) {
  return svg_attribute("data-key", key);
}

std::string strips_svg(const StripPicture& picture) {
  std::string elements;
  double bottom = 0;
  for (const Strip& strip : picture.strips) {
    elements += strip.elements;
    bottom = strip.bottom;
  }
  return svg_document(picture.width, bottom, picture.title, elements, "");
}

}  // namespace logdepth::inline report_figures
