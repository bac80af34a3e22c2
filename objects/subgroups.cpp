#include "objects/subgroups.hpp"

#include <algorithm>
#include <vector>

#include "objects/green_classes.hpp"
#include "objects/permutation_group.hpp"

namespace logdepth::inline objects {

Subgroups examine_subgroups(const TransitionMonoid& monoid) {
  const GreenClasses classes = green_classes(monoid);
  Subgroups found;
  for (const JClass& one : classes.j) {
    if (!one.regular() || one.cell_size() == 1) continue;
    found.largest = std::max(found.largest, one.cell_size());
    if (!found.derived_length) continue;
    const auto elements = maximal_subgroup(monoid, classes, one.idempotents.front());
    const auto series =
        derived_series(*generated_group(elements, elements.front().size(), elements.size()));
    if (series.back().order() == 1) {
      found.derived_length = std::max(*found.derived_length, series.size() - 1);
    } else {
      found.derived_length = std::nullopt;
    }
  }
  return found;
}

}  // namespace logdepth::inline objects
