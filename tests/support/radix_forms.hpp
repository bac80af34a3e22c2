#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "runtime/file/model.hpp"

/// The radix construction in its forms, and the count that its depth is compared with.
namespace logdepth::support {

struct RadixForm {
  unsigned radix = 2;
  std::uint64_t max_length = 0;
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
  Norm norm = Norm::rms;
  bool strict = false;
  std::string name() const;
};

Model compile_radix(const Action& action, const RadixForm& form);

/// Three position encodings, both tables, both norms: all twelve.
std::vector<RadixForm> radix_forms(unsigned radix, std::uint64_t max_length);

/// How often 1 has to be multiplied by `radix` to reach at least `length`: ceil(log_k T), counted.
std::size_t levels_to_reach(unsigned radix, std::uint64_t length);

}  // namespace logdepth::support
