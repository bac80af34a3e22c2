#pragma once

#include <string>
#include <string_view>

namespace logdepth::inline report_pictures {

/// A token kind as a reader should see it: the beginning token as `begin`, a letter with spaces and
/// the empty name made visible. Not escaped.
std::string visible_letter(std::string_view letter);

/// What an SVG made by Graphviz says beyond the picture: XML declaration, document type and
/// comments (which name the Graphviz version) are taken out, so that it can stand inside a page.
std::string bare_svg(std::string_view svg);

}  // namespace logdepth::inline report_pictures
