#pragma once

#include <cstdint>
#include <string>

#include "learned/core/trainer.hpp"

namespace logdepth::inline learned_core {

/// The readings of a run as CSV, `losses.csv` of its folder: step, seconds, stage, loss, accuracy (the
/// average that the curriculum sees) and tokens. At most about four thousand rows, whatever the steps.
class LossHistory {
 public:
  /// Goes on from the rows of an earlier session, as far as `state` has come.
  LossHistory(std::string folder, const TrainingConfig& training, const TrainingState& state);
  void add(const TrainingState& state, const std::string& stage);
  /// Errors: as write_whole_file.
  void write() const;

 private:
  std::string file_, text_;
  std::uint64_t every_;
};

}  // namespace logdepth::inline learned_core
