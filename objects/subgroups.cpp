#include "objects/subgroups.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace logdepth {
namespace {

using Permutations = std::vector<Transformation>;

/// The group that permutations generate: they have finite order, so products suffice.
TransitionMonoid generate(const Permutations& generators, std::size_t points) {
  return *enumerate_monoid(generators, points, std::numeric_limits<std::size_t>::max());
}

Transformation inverse(const Transformation& permutation) {
  Transformation images(permutation.size());
  for (State q = 0; q < permutation.size(); ++q) images[permutation[q]] = q;
  return images;
}

Transformation conjugate(const Transformation& x, const Transformation& by) {
  return compose(compose(inverse(by), x), by);
}

/// Few generators of a group that is given by all its elements.
Permutations some_generators(const Permutations& elements, std::size_t points) {
  Permutations generators;
  TransitionMonoid reached = generate(generators, points);
  for (const Transformation& x : elements) {
    if (reached.contains(x)) continue;
    generators.push_back(x);
    reached = generate(generators, points);
    if (reached.size() == elements.size()) break;
  }
  return generators;
}

/// Generators of the derived subgroup: the commutators of the generators and their conjugates.
Permutations derive(const Permutations& group, std::size_t points) {
  Permutations derived;
  TransitionMonoid reached = generate(derived, points);
  const auto add = [&](Transformation x) {
    if (reached.contains(x)) return;
    derived.push_back(std::move(x));
    reached = generate(derived, points);
  };
  for (const Transformation& a : group)
    for (const Transformation& b : group) add(compose(inverse(a), conjugate(a, b)));
  for (std::size_t i = 0; i < derived.size(); ++i)
    for (const Transformation& g : group) add(conjugate(derived[i], g));
  return derived;
}

/// The number of steps of the derived series to the trivial group; absent if it stops before.
std::optional<std::size_t> derived_length(Permutations group, std::size_t points) {
  std::size_t order = generate(group, points).size();
  for (std::size_t length = 0;; ++length) {
    if (order == 1) return length;
    group = derive(group, points);
    const std::size_t smaller = generate(group, points).size();
    if (smaller == order) return std::nullopt;
    order = smaller;
  }
}

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
    Permutations elements;
    for (const std::uint32_t member : members) {
      Transformation& permutation = elements.emplace_back();
      for (const State q : image)
        permutation.push_back(static_cast<State>(
            std::lower_bound(image.begin(), image.end(), monoid.elements[member][q]) -
            image.begin()));
    }
    if (image_and_kernel(elements.front()).first.size() != image.size()) continue;
    found.largest = std::max(found.largest, members.size());
    if (!found.derived_length) continue;
    const auto length = derived_length(some_generators(elements, image.size()), image.size());
    if (length) {
      found.derived_length = std::max(*found.derived_length, *length);
    } else {
      found.derived_length = std::nullopt;
    }
  }
  return found;
}

}  // namespace logdepth
