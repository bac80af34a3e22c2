#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth::inline objects {

/// A map of the points {0..n-1} to themselves, as the list of images.
using Transformation = std::vector<State>;

Transformation identity_transformation(std::size_t points);
/// First letter first: apply `first`, then `second`; the image of q is second[first[q]].
Transformation compose(const Transformation& first, const Transformation& second);
/// "[1,0,2]": the list of images, the notation of `run --prefixes` and `info --json`.
std::string format_transformation(const Transformation& transformation);

/// Letters acting on points: what a regular-language construction compiles. A word is accepted when
/// its product maps `initial` into `accepting` (an automaton), or, when `initial` is absent, when
/// its product is the identity (a word problem).
struct Action {
  Alphabet alphabet;
  std::size_t points = 0;
  std::vector<Transformation> generators;  ///< one per letter
  std::optional<State> initial;
  std::vector<bool> accepting;  ///< per point; empty when `initial` is absent

  bool accepts(const Transformation& product) const;
};

/// For every point those that products of letters send it to, in increasing order. Points that reach
/// one another share a list: of thousands that all do there is one.
class ReachablePoints {
 public:
  ReachablePoints() = default;
  explicit ReachablePoints(const Action& action);
  /// Nothing where more than `most` pairs of points, the second another that the first is sent to,
  /// are among them; found out by visiting about so many.
  static std::optional<ReachablePoints> of_at_most(const Action& action, std::size_t most);
  std::size_t points() const { return list_of_.size(); }
  const std::vector<State>& operator[](State point) const { return lists_[list_of_[point]]; }
  const std::vector<std::vector<State>>& lists() const { return lists_; }
  std::size_t list_of(State point) const { return list_of_[point]; }

 private:
  bool find(const Action& action, std::size_t most_visits);
  std::vector<std::vector<State>> lists_;
  std::vector<std::size_t> list_of_;
};

/// The action of the letters on the states of a complete automaton.
Action to_action(const Dfa& dfa);
/// The other way round. Precondition: the action has an initial point.
Dfa to_dfa(const Action& action);

}  // namespace logdepth::inline objects
