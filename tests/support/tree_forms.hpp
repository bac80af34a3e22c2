#pragma once

#include <string>
#include <vector>

#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "runtime/file/model.hpp"

/// The tree construction in its forms.
namespace logdepth::support {

struct TreeForm {
  ScanTable table = ScanTable::automatic;
  Norm norm = Norm::rms;
  bool strict = false;
  std::string name() const;
};

Model compile_tree(const Action& action, const TreeForm& form = {});

/// Both tables, both norms: all four.
std::vector<TreeForm> tree_forms();

}  // namespace logdepth::support
