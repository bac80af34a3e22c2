#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proofs-check/precision/first_wrong_position.hpp"
#include "proofs-check/precision/precision_curves.hpp"

namespace logdepth::inline proofs_check_precision {

/// Raw points as they are kept: precision.csv. The first line names the file's form, the version
/// and the seed, the second the columns; rows are in the order of the report.
struct PrecisionTable {
  std::vector<PrecisionPoint> points;
  std::vector<FirstWrong> first_wrong;

  /// The stored answer, or nullptr.
  const PrecisionPoint* find(const PrecisionPoint& question, const std::string& weights) const;
  const FirstWrong* find(const FirstWrong& question) const;
};

std::string print_precision_table(const PrecisionTable& table, std::uint64_t seed,
                                  const std::string& version);
/// Errors: InputError naming `source` and line for anything that print_precision_table does not
/// write, and for another seed or version.
PrecisionTable parse_precision_table(const std::string& text, const std::string& source,
                                     std::uint64_t seed, const std::string& version);

}  // namespace logdepth::inline proofs_check_precision
