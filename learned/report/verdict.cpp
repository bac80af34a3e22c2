#include "learned/report/verdict.hpp"

#include <algorithm>

namespace logdepth {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

const char* reproduced_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "reproduced";
    case Verdict::failed:
      return "not reproduced at this scale";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Verdict overall(const std::vector<Verdict>& parts) {
  if (std::ranges::count(parts, Verdict::failed) > 0) return Verdict::failed;
  return std::ranges::count(parts, Verdict::undecided) > 0 ? Verdict::undecided : Verdict::passed;
}

}  // namespace logdepth
