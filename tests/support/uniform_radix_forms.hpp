#pragma once

#include <string>
#include <vector>

#include "constructions/MS25/regular_language_uniform_radix_cor4_2.hpp"
#include "runtime/file/model.hpp"

/// The uniform radix construction in its forms.
namespace logdepth::support {

struct UniformRadixForm {
  unsigned radix = 2, block = 2;
  ScanTable table = ScanTable::automatic;
  Norm norm = Norm::rms;
  bool strict = false;
  std::string name() const;
};

Model compile_uniform_radix(const Action& action, const UniformRadixForm& form);

/// Both tables, both norms: all four.
std::vector<UniformRadixForm> uniform_radix_forms(unsigned radix, unsigned block);

}  // namespace logdepth::support
