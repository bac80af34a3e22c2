#pragma once

#include <string>

#include "learned/records/training_plan.hpp"

namespace logdepth::inline learned_jobs {

inline constexpr const char* kBatchesFile = "batches.csv";
inline constexpr const char* kMeasuredFile = "measured.csv";

/// Refuses runs whose samples cannot be written. Errors: InputError naming the run.
void require_batch_text(const TrainingPlan& plan);

/// Writes into the folder of every finished run what it was trained on, batch by batch, and what it was
/// measured on. A run without a record, or one that diverged, is left out. Errors: InputError for a record
/// that does not fit its task, or a file that cannot be written.
void write_batch_files(const TrainingPlan& plan, const std::string& out);

}  // namespace logdepth::inline learned_jobs
