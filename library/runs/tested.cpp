#include "library/runs/tested.hpp"

#include <tuple>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/computation_graphs.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"

namespace logdepth { inline namespace library_runs {
namespace {

static_assert(static_cast<int>(WrongWord::Wrong::cell) == static_cast<int>(TestedProperty::cell));

/// What all tests say; `largest` is where `result.within` has the largest size.
template <class Input, class Result, class Tested>
void take(const Examination<Input>& found, std::size_t Tested::*largest, Result& result) {
  result.within.up_to = found.bounds.up_to;
  result.within.*largest = found.bounds.max_size;
  result.promises = found.promises;
  result.unasked = descriptions(found.unevaluated);
  if (!found.counterexample) return;
  auto& wrong = result.wrong.emplace();
  wrong.expected = expected_text(found.counterexample->finding);
  wrong.got = got_text(found.counterexample->finding);
  wrong.number = found.counterexample->number;
}

}  // namespace

DirectedGraph numbered_graph(const Graph& graph) {
  DirectedGraph numbered{static_cast<std::uint32_t>(graph.size()), {}};
  for (Vertex from = 0; from < graph.size(); ++from)
    for (Vertex to = 0; to < graph.size(); ++to)
      if (graph.has_edge(from, to)) numbered.edges.emplace_back(from, to);
  return numbered;
}

TestResult tested_words(const Model& model, const LanguageOracle& oracle, const TestedWords& words,
                        const Asking& how) {
  require(std::holds_alternative<WordInput>(model.input),
          "the weights file " + in_quotes(model.name) + " does not take words");
  WordDomain questions(model, oracle);
  std::vector<Word> batch;
  for (const Letters& letters : words.batch) {
    static_cast<void>(tokens_of(model, letters));  // refuses letters that the model has not
    batch.push_back(questions.word_of(letters));
  }
  const auto found = examine_words(
      questions, {words.up_to, words.random, words.max_length, words.seed}, how, batch);
  TestResult result;
  result.within = words;
  take(found, &TestedWords::max_length, result);
  result.exhaustive_words = found.exhaustive;
  result.chosen_words = found.chosen;
  result.random_words = found.random;
  result.batch_words = found.given;
  result.accepted = found.counts.positive;
  result.numbers = found.counts.numbers;
  (reads_states(model) ? result.states : result.products) = found.counts.prefixes;
  result.prefix_kind = questions.prefix_kind();
  result.note = questions.prefix_note();
  if (const auto& wrong = found.counterexample) {
    result.wrong->word = questions.names(wrong->input);
    result.wrong->wrong = static_cast<WrongWord::Wrong>(property_of(wrong->finding));
    result.wrong->shrunk_from = wrong->first.size();
  }
  return result;
}

GraphTestResult tested_graphs(const Model& model, ReachabilityQuestion oracle,
                              const TestedGraphs& graphs, const Asking& how) {
  GraphDomain questions(model, graphs.undirected, std::move(oracle));
  const GraphPlan plan{{graphs.up_to, graphs.random, graphs.max_size, graphs.seed},
                       graphs.loopless_beyond};
  const auto found = examine_graphs(questions, plan, how);
  GraphTestResult result;
  result.within = graphs;
  take(found, &TestedGraphs::max_size, result);
  result.exhaustive_graphs = found.exhaustive;
  result.largest_loopless = plan.loopless_size(model);
  result.random_graphs = found.random;
  result.pairs = found.counts.answers;
  result.connected = found.counts.positive;
  if (const auto& wrong = found.counterexample) {
    result.wrong->graph = numbered_graph(wrong->input.graph);
    std::tie(result.wrong->source, result.wrong->target) = wrong->input.pairs.front();
    result.wrong->shrunk_from_vertices = wrong->first.graph.size();
    result.wrong->shrunk_from_edges = wrong->first.graph.edge_count();
  }
  return result;
}

DivisionTestResult tested_divisions(const Model& model, const TestedDivisions& divisions,
                                    const Asking& how) {
  DivisionDomain questions(model);
  const auto found = examine_divisions(
      questions, {divisions.up_to, divisions.random, divisions.max_length, divisions.seed}, how);
  DivisionTestResult result;
  result.within = divisions;
  take(found, &TestedDivisions::max_length, result);
  result.exhaustive_inputs = found.exhaustive;
  result.random_inputs = found.random;
  result.divisions = found.counts.numbers;
  if (const auto& wrong = found.counterexample) {
    result.wrong->divisor = wrong->input.divisor;
    result.wrong->dividends = wrong->input.dividends;
    result.wrong->shrunk_from = wrong->first.dividends.size();
  }
  return result;
}

ComputationGraphTestResult tested_computation_graphs(const Model& model,
                                                     const TestedComputationGraphs& graphs,
                                                     const Asking& how) {
  ComputationGraphDomain questions(model);
  const auto found = examine_computation_graphs(
      questions, {graphs.up_to, graphs.random, graphs.max_size, graphs.seed}, how);
  ComputationGraphTestResult result;
  result.within = graphs;
  take(found, &TestedComputationGraphs::max_size, result);
  result.exhaustive_graphs = found.exhaustive;
  result.random_graphs = found.random;
  result.values = found.counts.numbers;
  if (const auto& wrong = found.counterexample) {
    result.wrong->word = questions.letters(wrong->input);
    result.wrong->iterations = wrong->input.iterations;
    result.wrong->shrunk_from = questions.letters(wrong->first).size();
  }
  return result;
}

}}  // namespace logdepth::library_runs
