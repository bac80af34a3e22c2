#pragma once

#include <string>

#include "runtime/file/model.hpp"

namespace logdepth {

enum class DrawingKind { dot, svg };

/// A picture as the drawing functions return it.
struct Drawing {
  DrawingKind kind = DrawingKind::dot;
  std::string text;
};

/// DOT text as SVG, through the program `dot`; without what names the version of Graphviz.
/// Errors: InputError with the Debian package when `dot` is missing or refuses the text.
std::string render_dot(const std::string& dot);

/// A page of its own: title, claim sheet, and the picture inline.
std::string drawing_page(const Model& model, const std::string& svg);

/// Writes the drawing of `model` in the form that the name asks for: `.dot` the text itself, `.svg`
/// the picture, `.html` a page with the claim sheet. The file appears when it is complete.
/// Errors: InputError for another ending, for an SVG as `.dot`, as above, and when the folder
/// cannot be written.
void save_drawing(const Model& model, const Drawing& drawing, const std::string& path);

}  // namespace logdepth
