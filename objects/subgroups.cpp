#include "objects/subgroups.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "objects/permutation_group.hpp"

namespace logdepth {
namespace {

/// The points that x maps to, and for every point the smallest point with the same image.
std::pair<std::vector<State>, std::vector<State>> image_and_kernel(const Transformation& x) {
  std::vector<State> image, kernel(x.size());
  std::vector<std::optional<State>> first(x.size());
  for (State q = 0; q < x.size(); ++q) {
    if (!first[x[q]]) {
      first[x[q]] = q;
      image.push_back(x[q]);
    }
    kernel[q] = *first[x[q]];
  }
  std::sort(image.begin(), image.end());
  return {std::move(image), std::move(kernel)};
}

}  // namespace

// The maximal subgroup around an idempotent e is the set of the elements with the image and the
// kernel of e: such an x satisfies ex = x = xe and permutes the image, which meets every kernel
// class once, so a power of x is e. It acts faithfully on the image. A set of elements with one
// image and one kernel is such a group as soon as one of them permutes the image.
Subgroups examine_subgroups(const TransitionMonoid& monoid) {
  std::map<std::pair<std::vector<State>, std::vector<State>>, std::vector<std::uint32_t>> classes;
  for (std::uint32_t e = 0; e < monoid.size(); ++e)
    classes[image_and_kernel(monoid.elements[e])].push_back(e);
  Subgroups found;
  for (const auto& [common, members] : classes) {
    const std::vector<State>& image = common.first;
    if (members.size() == 1) continue;
    std::vector<Transformation> elements;
    for (const std::uint32_t member : members) {
      Transformation& permutation = elements.emplace_back();
      for (const State q : image)
        permutation.push_back(static_cast<State>(
            std::lower_bound(image.begin(), image.end(), monoid.elements[member][q]) -
            image.begin()));
    }
    if (!is_permutation(elements.front())) continue;
    found.largest = std::max(found.largest, members.size());
    if (!found.derived_length) continue;
    const auto series = derived_series(*generated_group(elements, image.size(), elements.size()));
    if (series.back().order() == 1) {
      found.derived_length = std::max(*found.derived_length, series.size() - 1);
    } else {
      found.derived_length = std::nullopt;
    }
  }
  return found;
}

}  // namespace logdepth
