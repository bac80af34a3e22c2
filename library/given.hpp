#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "library/runs/run_answers.hpp"
#include "logdepth/compare.hpp"
#include "logdepth/compile.hpp"
#include "logdepth/run.hpp"
#include "objects/graph.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

struct Transformer::Hidden {
  CheckedModel model;
};

inline Transformer transformer_of(CheckedModel model) {
  return Transformer(std::make_shared<Transformer::Hidden>(Transformer::Hidden{std::move(model)}));
}

// Inputs of the public headers, as the inside has them.

/// Vertices are called by their numbers. Errors: InputError for a vertex that is not there.
Graph graph_of(const DirectedGraph& graph);
Graph graph_of(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target);
void require_vertices(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target);

/// Errors: InputError where the model reads no raw streams, for names that are not its own, and for
/// what is no number.
Outcome<Tokens> tokens_of_streams(const Model& model, const RawStreams& streams);

/// As questions about one run. Errors: as run.
OneQuestion question_of(const Model& model, const Letters& word);
OneQuestion question_of(const Model& model, const DirectedGraph& graph, std::uint32_t source,
                        std::uint32_t target);
OneQuestion question_of(const Model& model, const RawStreams& streams);

/// What the comparison says is right. Errors: as check.
RunReview review_of(const RunComparison& comparison, const Model& model,
                    const OneQuestion& question);

/// Answers as the public headers have them. Errors: SizeLimit where the run met one.
void give(const Model& model, RunAnswer read, Answer& answer);
void give(const Model& model, RunAnswer read, RoundedAnswer& answer);

}  // namespace logdepth
