#pragma once

#include "library/runs/run_answers.hpp"
#include "logdepth/run.hpp"

namespace logdepth {

/// Answers as the public headers have them. Errors: SizeLimit where the run met one.
void give(const Model& model, RunAnswer read, Answer& answer);
void give(const Model& model, RunAnswer read, RoundedAnswer& answer);

}  // namespace logdepth
