#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "cli/commands.hpp"
#include "cli/oracle_options.hpp"
#include "cli/progress.hpp"
#include "cli/run_limits.hpp"
#include "cli/test_verdict.hpp"
#include "cli/typed_input.hpp"
#include "cli/validators.hpp"
#include "cli/word_source.hpp"
#include "cli/work_part.hpp"
#include "library/runs/tested.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline cli {
namespace {

struct TestArguments {
  std::string model;
  OracleOptions oracle;
  std::string oracle_as_typed;
  struct {
    std::size_t up_to = 0, random = 0, largest = 0;
    std::uint64_t seed = 1;
  } given;
  CLI::Option *up_to = nullptr, *random = nullptr, *largest = nullptr;
  ShardOptions shards;
  bool json = false;

  /// What suits the kind of test, where the user gave nothing else; `largest` is its largest size.
  template <class Tested>
  Tested within(std::size_t Tested::*largest_size) const {
    Tested chosen;
    if (up_to->count() > 0) chosen.up_to = given.up_to;
    if (random->count() > 0) chosen.random = given.random;
    if (largest->count() > 0) chosen.*largest_size = given.largest;
    chosen.seed = given.seed;
    return chosen;
  }
};

/// How cases are asked: those of the shard, with progress.
Asking asking(const TestArguments& options, Progress& progress) {
  Asking how;
  how.shard = options.shards.shard;
  how.progress = [&progress](std::size_t done, std::size_t total) { progress.update(done, total); };
  return how;
}

/// What all reports have. Of a shard it is written to its file, of a whole test it is printed.
template <class Result>
int store_or_conclude(const TestArguments& options, const CheckedModel& model, const Result& result,
                      const std::string& against, std::uint64_t largest, TestVerdict verdict) {
  verdict.file = options.model;
  verdict.model = model->name;
  verdict.sha256 = weights_hash(model);
  verdict.against = against;
  verdict.oracle = options.oracle_as_typed;
  verdict.seed = result.within.seed;
  verdict.promises = result.promises;
  verdict.unevaluated = result.unasked;
  verdict.details["up_to"] = result.within.up_to;
  if (result.wrong) {
    verdict.counterexample->expected = result.wrong->expected;
    verdict.counterexample->got = result.wrong->got;
    verdict.counterexample->number = result.wrong->number;
  }
  if (options.shards.part.empty()) return conclude(verdict, options.json);
  write_part({options.shards.part,
              kTestWork,
              options.shards.shard,
              {{"weights", verdict.sha256},
               {"oracle", verdict.against},
               {"seed", verdict.seed},
               {"up_to", result.within.up_to},
               {"random", result.within.random},
               {"max_length", largest}},
              verdict});
  return verdict.counterexample ? kCheckFailed : kDone;
}

/// A counterexample, but for what all of them have; `typed` is nothing where no options say it.
TestVerdict::Counterexample example_of(std::string shown, std::string origin,
                                       nlohmann::json details, const TypedInput& typed) {
  return {std::move(shown),
          std::move(origin),
          std::move(details),
          typed.preparation,
          typed.options,
          {},
          {},
          0};
}

template <class Wrong>
TestVerdict::Counterexample wrong_word(const Wrong& wrong, const TypedInput& typed) {
  const std::string word = show_word(wrong.word);
  return example_of(
      "'" + word + "'",
      fmt::format("{}, shrunk from {}", counted(wrong.word.size(), "letter"), wrong.shrunk_from),
      {{"word", word}, {"found_at_length", wrong.shrunk_from}}, typed);
}

int test_words(const TestArguments& options, const CheckedModel& model) {
  const NamedLanguage language = load_language_oracle(options.oracle.request(), model);
  for (const std::string& note : language.notes) std::cerr << note << '\n';
  Progress progress("test", "words");
  const TestResult found = tested_words(
      model, *language.oracle, options.within(&TestedWords::max_length), asking(options, progress));
  TestVerdict verdict;
  verdict.kind = TestVerdict::Kind::words;
  verdict.details = {{"exhaustive_words", found.exhaustive_words},
                     {"chosen_words", found.chosen_words},
                     {"random_words", found.random_words},
                     {"max_length", found.within.max_length},
                     {"accepted", found.accepted},
                     {"prefixes", found.products + found.states},
                     {"values", found.numbers},
                     {"prefix_kind", found.prefix_kind},
                     {"prefix_note", found.note}};
  if (found.wrong) verdict.counterexample = wrong_word(*found.wrong, typed_word(found.wrong->word));
  return store_or_conclude(options, model, found, language.name, found.within.max_length,
                           std::move(verdict));
}

/// "0 -> 1, 1 -> 2 on 3 vertices"
std::string show_graph(const DirectedGraph& graph) {
  std::string edges;
  for (const auto& [from, to] : graph.edges)
    edges += fmt::format("{}{} -> {}", edges.empty() ? "" : ", ", from, to);
  return (edges.empty() ? "no edge" : edges) + " on " +
         counted(graph.vertices, "vertex", "vertices");
}

int test_graphs(const TestArguments& options, const CheckedModel& model) {
  const NamedReachability right = load_reachability_oracle(options.oracle.request(), model);
  Progress progress("test", "graphs");
  TestedGraphs graphs = options.within(&TestedGraphs::max_size);
  graphs.undirected = right.undirected;
  graphs.loopless_beyond = options.up_to->count() == 0;
  const GraphTestResult found =
      tested_graphs(model, right.program, graphs, asking(options, progress));
  TestVerdict verdict;
  verdict.kind = TestVerdict::Kind::graphs;
  verdict.details = {{"exhaustive_graphs", found.exhaustive_graphs},
                     {"max_loopless", found.largest_loopless},
                     {"random_graphs", found.random_graphs},
                     {"max_size", found.within.max_size},
                     {"pairs", found.pairs},
                     {"connected", found.connected}};
  if (const auto& wrong = found.wrong)
    verdict.counterexample =
        example_of(fmt::format("{}, source {}, target {}", show_graph(wrong->graph), wrong->source,
                               wrong->target),
                   fmt::format("shrunk from {} and {}",
                               counted(wrong->shrunk_from_vertices, "vertex", "vertices"),
                               counted(wrong->shrunk_from_edges, "edge")),
                   {{"vertices", wrong->graph.vertices},
                    {"edges", wrong->graph.edges},
                    {"source", wrong->source},
                    {"target", wrong->target},
                    {"found_at_vertices", wrong->shrunk_from_vertices},
                    {"found_at_edges", wrong->shrunk_from_edges}},
                   typed_graph(wrong->graph, wrong->source, wrong->target));
  return store_or_conclude(options, model, found, right.name, found.within.max_size,
                           std::move(verdict));
}

int test_cells(const TestArguments& options, const CheckedModel& model) {
  if (options.oracle.against != "division")
    throw InputError("the weights file '" + model->name +
                     "' takes raw streams; expected --against division");
  Progress progress("test", "inputs");
  const DivisionTestResult found = tested_divisions(
      model, options.within(&TestedDivisions::max_length), asking(options, progress));
  TestVerdict verdict;
  verdict.kind = TestVerdict::Kind::divisions;
  verdict.details = {{"exhaustive_inputs", found.exhaustive_inputs},
                     {"random_inputs", found.random_inputs},
                     {"max_length", found.within.max_length},
                     {"divisions", found.divisions}};
  if (const auto& wrong = found.wrong) {
    std::string dividends;
    for (const std::uint64_t dividend : wrong->dividends) dividends += fmt::format(" {}", dividend);
    verdict.counterexample =
        example_of(fmt::format("divisor {}, dividends{}", wrong->divisor, dividends),
                   "shrunk from " + counted(wrong->shrunk_from, "position"),
                   {{"divisor", wrong->divisor},
                    {"dividends", wrong->dividends},
                    {"found_at_length", wrong->shrunk_from}},
                   typed_cells(model, division_rows(model, {wrong->divisor, wrong->dividends})));
  }
  return store_or_conclude(options, model, found, options.oracle.against, found.within.max_length,
                           std::move(verdict));
}

constexpr const char* kComputationGraph = "computation-graph";

int test_computation_graphs(const TestArguments& options, const CheckedModel& model) {
  if (options.oracle.names_automaton())
    throw InputError("--against computation-graph and a language: expected one oracle, found two");
  Progress progress("test", "graphs");
  const ComputationGraphTestResult found = tested_computation_graphs(
      model, options.within(&TestedComputationGraphs::max_size), asking(options, progress));
  TestVerdict verdict;
  verdict.kind = TestVerdict::Kind::computation_graphs;
  verdict.details = {{"exhaustive_graphs", found.exhaustive_graphs},
                     {"random_graphs", found.random_graphs},
                     {"max_size", found.within.max_size},
                     {"values", found.values}};
  if (found.wrong) {  // nothing types it: a run has the iterations of the file
    verdict.counterexample = wrong_word(*found.wrong, {});
    verdict.counterexample->details["iterations"] = found.wrong->iterations;
  }
  return store_or_conclude(options, model, found, kComputationGraph, found.within.max_size,
                           std::move(verdict));
}

int test(TestArguments& options) {
  options.oracle_as_typed = options.oracle.as_typed();
  const CheckedModel model = read_weights(options.model);
  if (options.oracle.against == kComputationGraph) return test_computation_graphs(options, model);
  if (std::holds_alternative<WordInput>(model->input)) return test_words(options, model);
  if (options.oracle.names_automaton())
    throw InputError("the weights file '" + model->name +
                     "' does not take words; a language is no oracle for it");
  return std::holds_alternative<GraphInput>(model->input) ? test_graphs(options, model)
                                                          : test_cells(options, model);
}

}  // namespace

int merge_tests(const std::vector<WorkPart>& parts, bool json) {
  std::vector<TestVerdict> shards;
  for (const WorkPart& part : parts) try {
      shards.push_back(part.answer.get<TestVerdict>());
    } catch (const nlohmann::json::exception&) {
      throw InputError(part.file + ": expected a shard result of test");
    }
  return conclude(merged(shards), json);
}

Command add_test(CLI::App& app) {
  auto options = std::make_shared<TestArguments>();
  CLI::App* command = app.add_subcommand(
      "test",
      "test a weights file against an independent oracle and shrink the first "
      "counterexample\nExample: logdepth test abb.json --against regex:'(a|b)*abb' --up-to 8");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->oracle.add_to(
      *command,
      "test oracle. Words: regex:R, fst:FILE, jff:FILE, dot:FILE, mata:FILE, json:FILE, "
      "group:NAME, crasp:FILE, a file with one of these extensions, or a regular expression. "
      "Graphs: graph:reachability or graph:undirected-reachability. Words and graphs: "
      "command:PROGRAM, which reads one input per line and prints one answer per line. Others: "
      "division, computation-graph");
  options->up_to =
      command
          ->add_option("--up-to", options->given.up_to,
                       "test all inputs up to this size: letters, vertices, positions or equations")
          ->check(kSmallCount);
  options->random =
      command->add_option("--random", options->given.random, "number of additional random inputs")
          ->check(kSmallCount);
  options->largest =
      command
          ->add_option(
              "--max-length", options->given.largest,
              "largest size of the random inputs: letters, vertices, positions or equations")
          ->check(kSmallCount);
  command->add_option("--seed", options->given.seed, "seed of the random inputs")->check(kCount);
  CLI::Option* const json = command->add_flag("--json", options->json, "print one JSON object");
  options->shards.add_to(*command);
  options->shards.option->excludes(json);
  add_run_limits(*command);
  return [options] { return test(*options); };
}

}  // namespace logdepth::inline cli
