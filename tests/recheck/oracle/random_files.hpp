#pragma once

// Random weights files: sublayers drawn from what a file reads and writes are put between those of a file that is certified, or
// of a small one made by hand. Most of what they read is refused; what is accepted has to be true.

#include <random>
#include <string>
#include <vector>

#include "tests/recheck/oracle/run.hpp"

namespace logdepth::oracle_numbers {

struct File {
  std::string name, theorem;
  recheck::Weights weights;
  recheck::Json certificate;
};

/// A file that `logdepth certify` certified, with room for more: coordinates that nothing uses, where the norm allows it.
File read_base(const std::string& path, const std::string& certificate);

using Random = std::mt19937_64;

/// A small file for the theorem of resets, counting, or scans of one point.
File by_hand(Random& random);
/// Puts sublayers into a file, and now and then changes a number of it.
void graft(File& file, Random& random);

Input draw_input(const File& file, long size, Random& random);

}  // namespace logdepth::oracle_numbers
