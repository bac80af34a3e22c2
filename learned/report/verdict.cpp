#include "learned/report/verdict.hpp"

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

}  // namespace logdepth
