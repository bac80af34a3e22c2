#pragma once

#include <string>

#include "report/figures/strip_picture.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline report_pictures {

/// A page of its own: the picture, and the model card below it.
std::string circuit_page(const Model& model, const StripPicture& picture);
std::string run_page(const Model& model, const StripPicture& picture, bool together);

/// Writes the circuit of `model` in the form that the name asks for: `.dot` one graph, `.svg`, `.pdf`,
/// `.png`, `.tex` and `.tikz` the sheet of columns, `.html` a page with a slider over the layers. The file appears
/// when it is complete. Returns what is to be said of it: of a sheet its columns and letters.
/// Errors: InputError for another ending, as render_labels and render_svg, and when the folder
/// cannot be written.
std::string save_circuit(const Model& model, const CircuitCards& circuit, const std::string& path);

/// The same for a picture of a run, which has no `.dot`. `together`: a page begins with all steps.
void save_run(const Model& model, const StripPicture& picture, bool together,
              const std::string& path);

/// The same for a picture that is of no weights file.
void save_picture(const StripPicture& picture, const std::string& path);

/// The first graph of a DOT text, as Graphviz draws it: `.tex` a document, `.tikz` a picture for one.
/// Errors: as above.
void save_graph(const std::string& dot, const std::string& path);

/// The same for a figure of one page, which has neither `.dot` nor `.html`.
void save_figure(const std::string& svg, const std::string& path);

}  // namespace logdepth::inline report_pictures
