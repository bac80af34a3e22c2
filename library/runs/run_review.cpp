#include "library/runs/run_review.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/overload.hpp"
#include "base/quoted_text.hpp"
#include "compiler/difference/first_difference.hpp"
#include "compiler/file/carried_program.hpp"
#include "logdepth/errors.hpp"
#include "oracle/reachability_oracle.hpp"
#include "proofs-check/check/right_prefixes.hpp"
#include "proofs-check/check/words.hpp"

namespace logdepth::inline library_runs {
namespace {

constexpr const char* kProgram = "program";
/// More tokens take a program minutes.
constexpr std::size_t kMostCompared = 4000;

void ask_language(const OracleRequest& request, const Model& model,
                  const std::vector<std::string>& word, RunReview& review) {
  const NamedLanguage language = load_language_oracle(request, model);
  ExactRuns runs(model);
  WordDomain questions(model, *language.oracle);
  ComparedCounts counts;
  const auto finding = runs.ask(questions, questions.word_of(word), counts);
  // The picture says itself which promise was broken.
  if (finding && property_of(*finding) != TestedProperty::contract)
    review.wrong_answer = "expected " + expected_text(*finding) + ", found " + got_text(*finding);
  Word letters;
  for (const std::string& name : word)
    letters.push_back(language.oracle->alphabet().find(name).value());
  if (std::holds_alternative<AcceptOutput>(model.output))
    review.verdict = language.oracle->accepts(letters);
  review.prefixes = RightPrefixes(model, *language.oracle).of(letters);
}

void ask_reachability(const OracleRequest& request, const Model& model, const Graph& graph,
                      const std::optional<VertexPair>& pair, RunReview& review) {
  const NamedReachability right = load_reachability_oracle(request, model);
  if (right.program) {
    if (pair) review.verdict = right.program(graph, pair->first, pair->second);
    return;
  }
  if (right.undirected) {
    Graph both_ways = graph;
    both_ways.make_undirected();
    if (both_ways.edge_count() != graph.edge_count())
      throw InputError("--against " + right.name +
                       ": expected a graph with every edge both ways, as --undirected takes it");
  }
  const ReachabilityOracle searched(graph);
  if (pair) review.verdict = searched.reaches(pair->first, pair->second);
  review.reaches = searched.transitive_closure();
}

void ask_oracle(const OracleRequest& request, const Model& model, const OneQuestion& question,
                RunReview& review) {
  std::visit(
      Overload{[&](const WordInput&) {
                 if (request.against == "computation-graph")
                   throw InputError(
                       "--against computation-graph: a picture compares such a file with its "
                       "program; expected --against program");
                 ask_language(request, model, question.word.value(), review);
               },
               [&](const GraphInput&) {
                 ask_reachability(request, model, question.graph.value(), question.pair, review);
               },
               [&](const CellsInput&) {
                 // Quotients and remainders of natural numbers are judged where they are drawn.
                 if (request.against != "division")
                   throw InputError("the weights file " + in_quotes(model.name) +
                                    " takes raw streams; expected --against division or program");
               }},
      model.input);
}

/// Errors: InputError where there is none, or none of these weights.
void compare_with_program(const std::optional<Program>& program, const Model& model,
                          const Tokens& tokens, RunReview& review) {
  auto difference = first_difference(program ? *program : carried_by(model), model, tokens);
  if (difference.has_value()) review.difference = std::move(difference).value();
}

}  // namespace

RunReview review_of(const ReviewRequest& request, const Model& model, const OneQuestion& question,
                    const std::function<void(const std::string&)>& note) {
  RunReview review;
  if (!request.oracle && !request.program) return review;
  if (!question.tokens.has_value()) return review;
  review.although_refused = true;
  const bool only_program = request.oracle && request.oracle->against == kProgram;
  if (request.oracle && !only_program) ask_oracle(*request.oracle, model, question, review);
  const std::size_t tokens = question.tokens.value().kinds.size();
  if (!request.program && !only_program && tokens > kMostCompared) {
    note("the run of " + std::to_string(tokens) +
         " tokens is not compared with its program; --against program does only that");
    return review;
  }
  try {
    compare_with_program(request.program, model, question.tokens.value(), review);
  } catch (const InputError& error) {
    if (request.program || only_program) throw;
    note(std::string("the run is not compared with a program: ") + error.what());
  }
  return review;
}

Program carried_by(const Model& model) {
  const CarriedProgram carried(model, Trust::none);
  if (!carried.program()) throw InputError(carried.reason());
  return *carried.program();
}

}  // namespace logdepth::inline library_runs
