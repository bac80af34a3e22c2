#include "runtime/numbers/outcome.hpp"

namespace logdepth::inline runtime_numbers {

std::string describe(const Refusal& refusal) {
  struct Describe {
    std::string operator()(const Undecided& r) const { return "undecided: " + r.reason; }
    std::string operator()(const OutsideField& r) const {
      return "outside the number field: " + r.reason;
    }
    std::string operator()(const OutsideHypotheses& r) const {
      return "hypothesis violated: " + r.reason;
    }
  };
  return std::visit(Describe{}, refusal);
}

}  // namespace logdepth::inline runtime_numbers
