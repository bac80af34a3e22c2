#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/report/passed_sizes.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_report {

/// Runs on words that differ in a few settings: what each choice of them does to how soon a length is
/// passed (passed_sizes.hpp).
struct SettingsSweep {
  struct Run {
    std::uint64_t seed = 0;
    std::vector<PassedSize> passed;
    double tokens = 0;  ///< trained on in all; 0: not recorded
    DepthReading::Point reached;
    std::string early_end;  ///< run_record.hpp

    /// Where it passed that size.
    const PassedSize* at(std::uint64_t size) const;
  };
  /// The runs of one choice, by seed.
  struct Choice {
    std::vector<std::string> values;  ///< of `settings`
    std::vector<Run> runs;

    std::size_t passing(std::uint64_t size) const;  ///< runs
    /// Tokens until that size is passed, the median over seeds; a run that did not pass it comes after
    /// all that did, and where the median is such a run there is none.
    std::optional<double> median_tokens(std::uint64_t size) const;
  };
  std::string problem;                ///< "A5", where all runs have the same; else empty
  std::vector<std::string> settings;  ///< that differ, by path
  std::vector<std::uint64_t> sizes;   ///< that some run passed
  std::vector<Choice> choices;        ///< by their values, numbers as numbers

  /// The choice whose runs pass the largest size first: the most runs, then the fewest tokens in the
  /// median. Null where no size was passed.
  const Choice* best() const;
};

/// Of the runs among the records that report an n*, each training once. Errors: InputError where there
/// is none, or for fields of a record that are not what they should be.
SettingsSweep settings_sweep(const std::vector<RunRecord>& records);

/// sweep.md and sweep.json. Errors: those of settings_sweep.
report::Report sweep_report(const std::vector<RunRecord>& records);

}  // namespace logdepth::inline learned_report
