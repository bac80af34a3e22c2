#pragma once

#include <string>
#include <vector>

#include "objects/automaton.hpp"
#include "objects/cascade.hpp"
#include "report/figures/level_stack.hpp"

namespace logdepth::inline report_pictures {

inline constexpr std::size_t kMostDrawnLevels = 16, kMostDrawnLetters = 200;

/// A word through the levels of an automaton: `cascade` is its decomposition, `states` the names of
/// its states. Errors: SizeLimit when it has more levels or letters than a picture shows.
LevelStack draw_levels(const Dfa& dfa, const Cascade& cascade,
                       const std::vector<std::string>& states, const Word& word,
                       const std::string& name);

}  // namespace logdepth::inline report_pictures
