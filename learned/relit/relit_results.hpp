#pragma once

#include "learned/records/run_record.hpp"
#include "learned/relit/relit_runs.hpp"

namespace logdepth {

/// The run of a record whose task is that of rules_task.hpp. Errors: InputError naming the file and
/// the number, where the result contradicts itself or the configuration.
RelitRun relit_run(const RunRecord& record);

}  // namespace logdepth
