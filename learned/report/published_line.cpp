#include "learned/report/published_line.hpp"

#include <cmath>
#include <stdexcept>

namespace logdepth {

double PublishedLine::value(double x) const {
  if (x < first || x > last)
    throw std::logic_error("a published line was evaluated outside its range");
  return a * std::log2(x) + b;
}

}  // namespace logdepth
