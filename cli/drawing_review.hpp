#pragma once

#include <string>

#include "cli/input_source.hpp"
#include "cli/oracle_options.hpp"
#include "report/pictures/run_review.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline cli {

/// What a picture of this run compares it with: what the oracle of the options says, and a program:
/// that of the .cells file `program`, or else the one that the weights file carries; nothing
/// without options. `--against program`: only the program.
/// Errors: InputError where the options do not fit the model, and where they name a program that
/// the run cannot be compared with.
RunReview review_of(const OracleOptions& options, const std::string& program, const Model& model,
                    const OneQuestion& question);

}  // namespace logdepth::inline cli
