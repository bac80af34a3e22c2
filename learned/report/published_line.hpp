#pragma once

#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline learned_report {

/// Numbers that a paper prints about trained networks. They are compared with, never mixed with
/// what was measured here, and never evaluated outside the range they were fitted on.
struct PublishedLine {
  enum class Of {
    depth,  ///< d = a log2 n* + b
    width   ///< n* = a log2 w + b
  };
  Of of = Of::depth;
  std::string problem;     ///< "A5"
  std::string kind;        ///< "stack"
  std::string text;        ///< "d = 4.8 log2 n* - 15.8"
  std::string source;      ///< "MS25 section 7"
  std::string setting;     ///< what was held fixed, and how seeds became one number
  std::vector<double> at;  ///< depths, or widths
  double a = 0, b = 0, r2 = 0;
  double first = 0, last = 0;  ///< range of n*, or of the width, in which the line may be used
  std::string training;        ///< what its networks were trained on

  /// a log2 x + b. Precondition: first <= x <= last.
  double value(double x) const;
  /// Within its range, over log2 x.
  PlotLine corners() const;
};

}  // namespace logdepth::inline learned_report
