#pragma once

#include <cstddef>
#include <vector>

#include "learned/records/run_record.hpp"

namespace logdepth::inline learned_report {

/// Records, each training once.
struct DistinctRuns {
  std::vector<RunRecord> records;  ///< in their order
  std::size_t repeated = 0;        ///< left out
};
/// Two records of equal configuration, seed included, on the same kind of device are the same
/// training, whatever seconds, machine and result they name: a copied folder, or a run that was gone on
/// with for more steps, which decide nothing else. The one with the most steps counts; of equal ones
/// the first.
DistinctRuns distinct_runs(const std::vector<RunRecord>& records);

}  // namespace logdepth::inline learned_report
