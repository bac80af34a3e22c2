#pragma once

#include <string>
#include <vector>

#include "objects/automaton.hpp"
#include "objects/transition_monoid.hpp"
#include "report/figures/eggbox.hpp"

namespace logdepth { inline namespace report_pictures {

/// A monoid as its eggboxes: J-classes above each other, rows R-classes, columns L-classes, in each
/// cell the elements of an H-class by their shortest words where they fit, cells that are groups
/// filled. `groups`: of every class the name of its groups; empty where there is none to say.
Eggbox draw_monoid(const TransitionMonoid& monoid, const GreenClasses& classes,
                   const std::vector<std::string>& groups, const Alphabet& alphabet,
                   const std::string& title);

}}  // namespace logdepth::report_pictures
