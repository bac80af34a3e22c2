#pragma once

#include <nlohmann/json.hpp>

#include "learned/records/run_record.hpp"
#include "learned/relit/relit_network.hpp"

namespace logdepth::inline learned_relit {

/// What is read off the network of a finished run, on prompts that it was measured on:
/// {"run": folder,
///  "backbone": {"file", "parameters", "before", "after"}: hashes of all its numbers, before and
///    after a step of training,
///  "macro_steps": of the training,
///  "convergence": [{"step", "change"}]: |y_n - y_n-1| / |y_n-1| after each macro step n, far
///    beyond those, means over prompts and tokens,
///  "spectral_radius": [{"tokens", "trained", "far"}]: of one recursion's derivative by (y, z), at
///    the states of one prompt after the macro steps of the training, and after the last of
///    "convergence"}
/// Errors: InputError where the run has no recursive block.
nlohmann::ordered_json probe_relit(const RunRecord& record, const Network& network);

}  // namespace logdepth::inline learned_relit
