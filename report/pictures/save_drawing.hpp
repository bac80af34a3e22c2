#pragma once

#include <cstddef>
#include <string>

#include "report/figures/strip_picture.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace report_pictures {

/// A circuit in columns, as many as make its letters as large as can be on a page of a paper: the
/// residual stream leaves a column at its bottom and enters the next one at its top.
struct CircuitSheet {
  std::string svg;
  std::size_t columns = 1;
  double letters = 0;   ///< the smallest ones in points, the sheet fit on an A4 page
  bool across = false;  ///< that page lies on its longer side
};

/// Errors: InputError, as render_labels.
CircuitSheet circuit_sheet(const CircuitCards& circuit);

/// "3 columns, on an A4 page its smallest letters are 5.1 pt".
std::string sheet_text(const CircuitSheet& sheet);

/// The same circuit for a page: each layer a step, with what its heads and units do in tables.
/// Errors: as above.
StripPicture circuit_strips(const CircuitCards& circuit);

/// A page of its own: the picture, and the model card below it.
std::string circuit_page(const Model& model, const StripPicture& picture);
std::string run_page(const Model& model, const StripPicture& picture, bool together);

/// Writes the circuit of `model` in the form that the name asks for: `.svg`, `.pdf` and `.png` the sheet
/// of columns, `.html` a page with a slider over the layers. The file appears when it is complete. Returns what is to be said of it: of a sheet its columns and letters.
/// Errors: InputError for another ending, as render_labels and render_svg, and when the folder
/// cannot be written.
std::string save_circuit(const Model& model, const CircuitCards& circuit, const std::string& path);

/// The same for a picture of a run. `together`: a page begins with all steps.
void save_run(const Model& model, const StripPicture& picture, bool together,
              const std::string& path);

}}  // namespace logdepth::report_pictures
