#include "learned/report/published_line.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace logdepth::inline learned_report {

double PublishedLine::value(double x) const {
  if (x < first || x > last)
    throw std::logic_error("a published line was evaluated outside its range");
  return a * std::log2(x) + b;
}

PlotLine PublishedLine::corners() const {
  constexpr int kSteps = 32;
  PlotLine line;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = first * std::pow(last / first, double(i) / kSteps);
    line.emplace_back(std::log2(x), value(std::min(x, last)));
  }
  return line;
}

}  // namespace logdepth::inline learned_report
