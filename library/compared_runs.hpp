#pragma once

#include <cstdint>

#include "library/runs/run_review.hpp"
#include "logdepth/compare.hpp"
#include "logdepth/run.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// Inputs of the public headers as questions about one run. Errors: as run.
OneQuestion question_of(const Model& model, const Letters& word);
OneQuestion question_of(const Model& model, const DirectedGraph& graph, std::uint32_t source,
                        std::uint32_t target);
OneQuestion question_of(const Model& model, const RawStreams& streams);

/// What the comparison says is right. Errors: as check.
RunReview review_of(const RunComparison& comparison, const Model& model,
                    const OneQuestion& question);

}  // namespace logdepth
