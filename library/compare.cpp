// What is wrong in one run, and the first value that differs: compare.hpp.
#include "logdepth/compare.hpp"

#include <utility>

#include "library/compared_runs.hpp"
#include "library/given_inputs.hpp"
#include "library/runs/run_difference.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "report/pictures/division_results.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth {
namespace {

std::string verdict_text(const Model& model, bool verdict) {
  if (std::holds_alternative<GraphInput>(model.input))
    return verdict ? "connected" : "not connected";
  return verdict ? "accept" : "reject";
}

std::string found_text(const Model& model, const Answer& answer) {
  if (answer.decision == Decision::accepted) return verdict_text(model, true);
  if (answer.decision == Decision::rejected) return verdict_text(model, false);
  return answer.reason;
}

/// The first wrong quotient or remainder of a run of natural numbers.
void check_division(const Model& model, const Tokens& tokens, std::vector<std::string>& problems) {
  Runner runner(model);
  const auto stream = runner.run(tokens);
  if (!stream.has_value()) return;  // the answer says so
  const auto results = division_results(runner, tokens, stream.value());
  require(!results.empty(),
          "--against division: expected the streams of a division of natural numbers");
  for (std::size_t token = 0; token < results.size(); ++token) {
    const DivisionResult& result = results[token];
    if (result.quotient_is_right && result.remainder_is_right) continue;
    const auto number = [](const std::optional<std::uint64_t>& read) {
      return read ? std::to_string(*read) : std::string("no natural number");
    };
    problems.push_back("token " + std::to_string(token) + ": " + std::to_string(result.dividend) +
                       " divided by " + std::to_string(result.divisor) + ": expected quotient " +
                       std::to_string(result.dividend / result.divisor) + " and remainder " +
                       std::to_string(result.dividend % result.divisor) + ", found " +
                       number(result.quotient) + " and " + number(result.remainder));
    return;
  }
}

RunCheck checked(const Model& model, const RunComparison& comparison, const OneQuestion& question,
                 Answer answer) {
  const RunReview review = review_of(comparison, model, question);
  RunCheck check;
  if (answer.broken_promise) check.problems.push_back(*answer.broken_promise);
  if (review.wrong_answer) {
    check.problems.push_back(*review.wrong_answer);
  } else if (review.verdict &&
             answer.decision != (*review.verdict ? Decision::accepted : Decision::rejected)) {
    check.problems.push_back("expected " + verdict_text(model, *review.verdict) + ", found " +
                             found_text(model, answer));
  }
  if (comparison.against == "division" && question.tokens.has_value())
    check_division(model, question.tokens.value(), check.problems);
  if (review.difference)
    check.problems.push_back("first difference from the program: " + describe(*review.difference));
  // An input that the file is not made for was compared with nothing.
  if (!question.tokens.has_value()) check.problems.push_back(answer.reason);
  check.answer = std::move(answer);
  return check;
}

Diff differing(const Transformer& transformer, const OneQuestion& question,
               const DiffSettings& settings) {
  DifferenceRequest request;
  request.engine = settings.engine;
  request.rule = settings.rule;
  request.scores = settings.scores;
  if (settings.program) request.program = settings.program->program();
  require_consistent(request);
  const auto outcome = difference_of(request, transformer.hidden().model, question.tokens);
  Diff diff;
  if (!outcome.has_value()) {
    diff.refused = describe(outcome.refusal());
  } else if (const auto& found = outcome.value()) {
    diff.first = {found->step,     found->sublayer, found->token,    found->cell,
                  found->expected, found->got,      describe(*found)};
  }
  return diff;
}

}  // namespace

OneQuestion question_of(const Model& model, const Letters& word) {
  return {tokens_of(model, word), std::nullopt, std::nullopt, word};
}
OneQuestion question_of(const Model& model, const DirectedGraph& graph, std::uint32_t source,
                        std::uint32_t target) {
  Graph named = graph_of(graph, source, target);
  Outcome<Tokens> tokens = tokens_of(model, named, source, target);
  return {std::move(tokens), VertexPair(source, target), std::move(named)};
}
OneQuestion question_of(const Model& model, const RawStreams& streams) {
  return {tokens_of_streams(model, streams), std::nullopt};
}

RunReview review_of(const RunComparison& comparison, const Model& model,
                    const OneQuestion& question) {
  ReviewRequest request;
  if (!comparison.against.empty()) request.oracle = OracleRequest{comparison.against, {}};
  if (comparison.program) request.program = comparison.program->program();
  return review_of(request, model, question, [&](const std::string& note) {
    if (comparison.note) comparison.note(note);
  });
}

RunCheck check(const Transformer& transformer, const Letters& word,
               const RunComparison& comparison) {
  const Model& model = transformer.hidden().model;
  return checked(model, comparison, question_of(model, word), run(transformer, word));
}
RunCheck check(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
               std::uint32_t target, const RunComparison& comparison) {
  const Model& model = transformer.hidden().model;
  return checked(model, comparison, question_of(model, graph, source, target),
                 run(transformer, graph, source, target));
}
RunCheck check(const Transformer& transformer, const RawStreams& streams,
               const RunComparison& comparison) {
  const Model& model = transformer.hidden().model;
  return checked(model, comparison, question_of(model, streams), run(transformer, streams));
}

Diff diff(const Transformer& transformer, const Letters& word, const DiffSettings& settings) {
  return differing(transformer, question_of(transformer.hidden().model, word), settings);
}
Diff diff(const Transformer& transformer, const DirectedGraph& graph, std::uint32_t source,
          std::uint32_t target, const DiffSettings& settings) {
  return differing(transformer, question_of(transformer.hidden().model, graph, source, target),
                   settings);
}
Diff diff(const Transformer& transformer, const RawStreams& streams, const DiffSettings& settings) {
  return differing(transformer, question_of(transformer.hidden().model, streams), settings);
}

}  // namespace logdepth
