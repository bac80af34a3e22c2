#pragma once

namespace logdepth::inline report_figures {

/// A picture on a page of a paper: A4, 15 mm of it left free on every side.
struct PaperFit {
  double scale = 1;     ///< points of the page per unit of the picture, not more than 1
  bool across = false;  ///< the page lies on its longer side
};

/// As large as the picture can stand there; upright unless it is larger across.
PaperFit fit_paper(double width, double height);

}  // namespace logdepth::inline report_figures
