#pragma once

#include <string>

#include "figures/strip_picture.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// DOT text as SVG, through the program `dot`; without what names the version of Graphviz.
/// Errors: InputError with the Debian package when `dot` is missing or refuses the text.
std::string render_dot(const std::string& dot);

/// An SVG as "pdf" or "png", through the program `rsvg-convert`; the latter at twice its size.
/// Errors: InputError with the Debian package when it is missing or fails.
std::string render_svg(const std::string& svg, const std::string& form);

/// A page of its own: title, picture and claim sheet.
std::string circuit_page(const Model& model, const std::string& svg);
std::string run_page(const Model& model, const StripPicture& picture, bool together);

/// Writes the circuit of `model` (as circuit_dot has it) in the form that the name asks for: `.dot`
/// the text itself, `.svg`, `.pdf` and `.png` the picture, `.html` a page with the claim sheet. The
/// file appears when it is complete.
/// Errors: InputError for another ending, as above, and when the folder cannot be written.
void save_circuit(const Model& model, const std::string& dot, const std::string& path);

/// The same for a picture of a run, which has no `.dot`. `together`: a page begins with all steps.
void save_run(const Model& model, const StripPicture& picture, bool together,
              const std::string& path);

}  // namespace logdepth
