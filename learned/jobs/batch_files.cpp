#include "learned/jobs/batch_files.hpp"

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "base/quoted_text.hpp"
#include "learned/jobs/run_folder.hpp"
#include "learned/records/batch_text.hpp"
#include "learned/records/task.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

/// The stage of a name.
std::size_t stage_named(const Task& task, const std::string& name, const std::string& file) {
  for (std::size_t stage = 0; stage < task.stages(); ++stage)
    if (task.stage_name(stage) == name) return stage;
  throw InputError(file + ": training.promotions: expected a stage of the task, found " +
                   in_quotes(name));
}

void write_batches(const Task& task, const BatchText& text, const RunRecord& record,
                   const std::string& folder) {
  const std::string file = folder + "/" + kRecordFile;
  const RecordFields training = fields_of(record, record.training, "training");
  OutputFile batches(folder + "/" + kBatchesFile);
  text.write_batch_header(batches.stream());
  std::size_t stage = 0;
  std::uint64_t step = 0;
  const auto write_until = [&](std::uint64_t end) {
    for (; step < end && batches.stream(); ++step) text.write_batch(batches.stream(), stage, step);
  };
  for (const nlohmann::ordered_json& item : training.list("promotions")) {
    const RecordFields promotion = training.entry("promotions", item);
    write_until(promotion.count("step"));
    stage = stage_named(task, promotion.text("to"), file);
  }
  write_until(training.count("steps"));
  batches.commit();
  OutputFile measured(folder + "/" + kMeasuredFile);
  text.write_measured(measured.stream(), stage);
  measured.commit();
  std::cerr << "wrote " << kBatchesFile << " and " << kMeasuredFile << " to " << folder << '\n';
}

}  // namespace

void require_batch_text(const TrainingPlan& plan) {
  for (const PlannedRun& run : plan) {
    const std::unique_ptr<Task> task = run.config.task->make_task(run.config.seed);
    if (!dynamic_cast<const BatchText*>(task.get()))
      throw InputError("--write-data: expected runs of word problems, found " +
                       in_quotes(run.name) + " with task.kind " + run.config.task->kind());
    if (task->format().taught > 0)
      throw InputError("--write-data: " + run.name +
                       ": targets of windows are not written, expected task.teach none");
  }
}

void write_batch_files(const TrainingPlan& plan, const std::string& out) {
  for (const PlannedRun& run : plan) {
    const std::string folder = out + "/" + run.name;
    const std::optional<RunRecord> record = finished_record(run, folder);
    if (!record || diverged(*record)) continue;
    const std::unique_ptr<Task> task = record->config.task->make_task(record->config.seed);
    write_batches(*task, dynamic_cast<const BatchText&>(*task), *record, folder);
  }
}

}  // namespace logdepth::inline learned_jobs
