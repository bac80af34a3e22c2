#include "report/pictures/svg_text.hpp"

#include "runtime/file/model.hpp"

namespace logdepth::inline report_pictures {

std::string visible_letter(std::string_view letter) {
  for (const char* kind : {kBeginToken, kEndToken, kEdgeToken, kNoEdgeToken, kPadToken,
                           kSourceToken, kTargetToken, kVertexToken})
    if (letter == kind) return std::string(letter.substr(1, letter.size() - 2));
  if (letter.empty()) return "\xCE\xB5";  // epsilon
  std::string result;
  for (const char c : letter) {
    if (c == ' ') {
      result += "\xE2\x90\xA3";  // open box
    } else {
      result += c;
    }
  }
  return result;
}

std::string bare_svg(std::string_view svg) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string_view::npos) return std::string(svg);
  svg.remove_prefix(begin);
  // Text and attributes hold no unescaped '<', so "<!--" can only be a comment.
  std::string result;
  while (true) {
    const std::size_t comment = svg.find("<!--");
    result += svg.substr(0, comment);
    if (comment == std::string_view::npos) break;
    const std::size_t end = svg.find("-->", comment);
    if (end == std::string_view::npos) break;
    svg.remove_prefix(end + 3);
    if (svg.starts_with('\n')) svg.remove_prefix(1);
  }
  return result;
}

}  // namespace logdepth::inline report_pictures
