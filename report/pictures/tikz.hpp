#pragma once

#include <string>

namespace logdepth::inline report_pictures {

/// An SVG of this project, or of Graphviz, as a `tikzpicture` of LaTeX: the same shapes at the same
/// places, text in the fonts of the document. Errors: InputError for an element or a path command
/// that such pictures do not have.
std::string tikz_picture(const std::string& svg);

/// The same as a document of its own, which pdflatex, lualatex and xelatex read.
std::string tikz_document(const std::string& svg);

}  // namespace logdepth::inline report_pictures
