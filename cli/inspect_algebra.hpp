#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "objects/green_classes.hpp"

namespace logdepth::inline cli {

/// A maximal subgroup up to isomorphism, and how often it occurs.
struct OccurringGroup {
  std::optional<std::string> name;
  std::size_t order = 1;
  bool commutative = true, solvable = true;
  std::size_t j_classes = 0, idempotents = 0;  ///< around so many, in so many J-classes
};

/// What an algebraist looks for in a transition monoid.
struct MonoidAlgebra {
  GreenClasses classes;
  std::size_t idempotents = 0, regular = 0;
  std::vector<OccurringGroup> groups;     ///< larger ones first
  std::vector<std::string> class_groups;  ///< of every J-class; empty: not regular
  bool quasi_aperiodic = false;
};
MonoidAlgebra examine_algebra(const TransitionMonoid& monoid);

/// The members of --json.
nlohmann::json algebra_json(const MonoidAlgebra& algebra, bool word_problem);
/// The lines of the command, each a name and what stands behind it. `word_problem`: the monoid is
/// the one of all products, not that of the words accepted.
std::vector<std::pair<std::string, std::string>> algebra_lines(const MonoidAlgebra& algebra,
                                                               bool word_problem);

}  // namespace logdepth::inline cli
