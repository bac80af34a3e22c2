#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth {

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

/// The action of the letters on the states of a complete automaton.
Action to_action(const Dfa& dfa);
/// The minimal automaton of the language that the action recognises (for a word problem of a group
/// G: its Cayley graph, |G| states). Errors: SizeLimit beyond `max_states` reached products.
Dfa to_minimal_dfa(const Action& action, std::size_t max_states = 100000);

}  // namespace logdepth
