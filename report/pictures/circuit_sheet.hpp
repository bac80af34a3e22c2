#pragma once

#include <cstddef>
#include <string>

#include "report/figures/strip_picture.hpp"
#include "report/pictures/circuit_cards.hpp"

namespace logdepth::inline report_pictures {

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

}  // namespace logdepth::inline report_pictures
