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

#include "cli/commands.hpp"
#include "cli/oracle_options.hpp"
#include "cli/progress.hpp"
#include "cli/run_limits.hpp"
#include "cli/test_verdict.hpp"
#include "cli/typed_input.hpp"
#include "cli/word_source.hpp"
#include "cli/work_part.hpp"
#include "logdepth/errors.hpp"
#include "objects/phrases.hpp"
#include "proofs-check/check/computation_graph_run.hpp"
#include "proofs-check/check/test_computation_graph.hpp"
#include "proofs-check/check/test_division.hpp"
#include "proofs-check/check/test_language.hpp"
#include "proofs-check/check/test_reachability.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
namespace {

struct TestArguments {
  std::string model;
  OracleOptions oracle;
  std::string oracle_as_typed;
  TestOptions test;
  CLI::Option *up_to = nullptr, *random = nullptr, *max_length = nullptr;
  ShardOptions shards;
  std::size_t random_asked = 0;  ///< of the whole test: as given, or what suits its kind
  bool json = false;
};

/// `given` where the user gave it, else what suits the kind of test.
std::size_t chosen(const CLI::Option* option, std::size_t given, std::size_t otherwise) {
  return option->count() > 0 ? given : otherwise;
}

/// What all reports have.
template <class Report>
TestVerdict verdict_of(TestVerdict::Kind kind, const Report& report, const TestArguments& options,
                       const Model& model, const std::string& against) {
  TestVerdict verdict;
  verdict.kind = kind;
  verdict.file = options.model;
  verdict.model = model.name;
  verdict.hash = weights_hash(model);
  verdict.against = against;
  verdict.oracle = options.oracle_as_typed;
  verdict.seed = report.seed;
  verdict.promises = report.promises;
  verdict.unevaluated = descriptions(report.unevaluated);
  return verdict;
}

/// Of a shard what it found is written to its file, of a whole test it is printed.
int store_or_conclude(const TestArguments& options, const TestVerdict& verdict) {
  if (options.shards.part.empty()) return conclude(verdict, options.json);
  write_part(
      {options.shards.part,
       kTestWork,
       options.shards.shard,
       {{"weights", verdict.hash},
        {"oracle", verdict.against},
        {"seed", verdict.seed},
        {"up_to", verdict.details.at("up_to")},
        {"random", options.random_asked},
        {"max_length", verdict.details.contains("max_length") ? verdict.details.at("max_length")
                                                              : verdict.details.at("max_size")}},
       to_json(verdict)});
  return verdict.counterexample ? kCheckFailed : kDone;
}

int test_words(TestArguments& options, const Model& model) {
  const NamedLanguage language = load_language_oracle(options.oracle.request(), model);
  options.test.shard = options.shards.shard;
  options.random_asked = options.test.random;
  TestReport report;
  {
    Progress progress("test", "words");
    options.test.progress = [&](std::size_t done, std::size_t total) {
      progress.update(done, total);
    };
    report = test_language(model, *language.oracle, options.test);
  }
  TestVerdict verdict = verdict_of(TestVerdict::Kind::words, report, options, model, language.name);
  verdict.details = {{"up_to", report.up_to},
                     {"exhaustive_words", report.exhaustive_words},
                     {"random_words", report.random_words},
                     {"max_length", report.max_length},
                     {"accepted", report.accepted},
                     {"prefixes", report.prefixes},
                     {"values", report.values},
                     {"prefix_kind", report.prefix_kind},
                     {"prefix_note", report.prefix_note}};
  if (const auto& example = report.counterexample)
    verdict.counterexample = {
        "'" + show_word(example->word) + "'",
        fmt::format("{} letters, shrunk from {}", example->word.size(), example->original_length),
        example->expected,
        example->got,
        {{"word", show_word(example->word)}, {"found_at_length", example->original_length}},
        example->number,
        typed_word(example->word)};
  return store_or_conclude(options, verdict);
}

/// "0 -> 1, 1 -> 2 on 3 vertices"
std::string show_graph(const Graph& graph) {
  std::string edges;
  for (Vertex i = 0; i < graph.size(); ++i)
    for (Vertex j = 0; j < graph.size(); ++j)
      if (graph.has_edge(i, j))
        edges += (edges.empty() ? "" : ", ") + graph.names()[i] + " -> " + graph.names()[j];
  return (edges.empty() ? "no edge" : edges) + " on " + counted(graph.size(), "vertex", "vertices");
}

int test_graphs(TestArguments& options, const Model& model) {
  const NamedReachability right = load_reachability_oracle(options.oracle.request(), model);
  ReachabilityOptions asked;
  asked.oracle = right.program;
  asked.up_to = chosen(options.up_to, options.test.up_to, asked.up_to);
  asked.random = chosen(options.random, options.test.random, asked.random);
  asked.max_size = chosen(options.max_length, options.test.max_length, asked.max_size);
  asked.seed = options.test.seed;
  asked.shard = options.shards.shard;
  options.random_asked = asked.random;
  asked.undirected = right.undirected;
  ReachabilityReport report;
  {
    Progress progress("test", "graphs");
    asked.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    report = test_reachability(model, asked);
  }
  const auto& example = report.counterexample;
  TestVerdict verdict = verdict_of(TestVerdict::Kind::graphs, report, options, model, right.name);
  verdict.details = {{"up_to", report.up_to},
                     {"exhaustive_graphs", report.exhaustive_graphs},
                     {"random_graphs", report.random_graphs},
                     {"max_size", report.max_size},
                     {"pairs", report.pairs},
                     {"connected", report.connected}};
  if (example) {
    nlohmann::json edges = nlohmann::json::array();
    for (Vertex i = 0; i < example->graph.size(); ++i)
      for (Vertex j = 0; j < example->graph.size(); ++j)
        if (example->graph.has_edge(i, j)) edges.push_back({i, j});
    verdict.counterexample = {show_graph(example->graph) + ", source " +
                                  example->graph.names()[example->source] + ", target " +
                                  example->graph.names()[example->target],
                              fmt::format("shrunk from {} vertices and {} edges",
                                          example->original_vertices, example->original_edges),
                              example->expected,
                              example->got,
                              {{"vertices", example->graph.size()},
                               {"edges", edges},
                               {"source", example->source},
                               {"target", example->target},
                               {"found_at_vertices", example->original_vertices},
                               {"found_at_edges", example->original_edges}},
                              example->number,
                              typed_graph(example->graph, example->source, example->target)};
  }
  return store_or_conclude(options, verdict);
}

int test_cells(TestArguments& options, const Model& model) {
  if (options.oracle.against != "division")
    throw InputError("the weights file '" + model.name +
                     "' takes raw streams; expected --against division");
  DivisionTestOptions asked;
  asked.up_to = chosen(options.up_to, options.test.up_to, asked.up_to);
  asked.random = chosen(options.random, options.test.random, asked.random);
  asked.max_length = chosen(options.max_length, options.test.max_length, asked.max_length);
  asked.seed = options.test.seed;
  asked.shard = options.shards.shard;
  options.random_asked = asked.random;
  DivisionReport report;
  {
    Progress progress("test", "inputs");
    asked.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    report = test_division(model, asked);
  }
  const auto& example = report.counterexample;
  TestVerdict verdict =
      verdict_of(TestVerdict::Kind::divisions, report, options, model, options.oracle.against);
  verdict.details = {{"up_to", report.up_to},
                     {"exhaustive_inputs", report.exhaustive_inputs},
                     {"random_inputs", report.random_inputs},
                     {"max_length", report.max_length},
                     {"divisions", report.divisions}};
  if (example) {
    std::string shown = fmt::format("divisor {}, dividends", example->input.divisor);
    for (const std::uint64_t dividend : example->input.dividends)
      shown += fmt::format(" {}", dividend);
    verdict.counterexample = {shown,
                              fmt::format("shrunk from {} positions", example->original_length),
                              example->expected,
                              example->got,
                              {{"divisor", example->input.divisor},
                               {"dividends", example->input.dividends},
                               {"found_at_length", example->original_length}},
                              example->number,
                              typed_cells(model, division_rows(model, example->input))};
  }
  return store_or_conclude(options, verdict);
}

constexpr const char* kComputationGraph = "computation-graph";

int test_computation_graphs(TestArguments& options, const Model& model) {
  if (options.oracle.names_automaton())
    throw InputError("--against computation-graph and a language are two oracles; give one");
  ComputationGraphTestOptions asked;
  asked.up_to = chosen(options.up_to, options.test.up_to, asked.up_to);
  asked.random = chosen(options.random, options.test.random, asked.random);
  asked.max_size = chosen(options.max_length, options.test.max_length, asked.max_size);
  asked.operands = operands_of(model);
  asked.seed = options.test.seed;
  asked.shard = options.shards.shard;
  options.random_asked = asked.random;
  ComputationGraphReport report;
  {
    Progress progress("test", "graphs");
    asked.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
    report = test_computation_graph(model, asked);
  }
  const auto& example = report.counterexample;
  TestVerdict verdict = verdict_of(TestVerdict::Kind::computation_graphs, report, options, model,
                                   options.oracle.against);
  verdict.details = {{"up_to", report.up_to},
                     {"exhaustive_graphs", report.exhaustive_graphs},
                     {"random_graphs", report.random_graphs},
                     {"max_size", report.max_size},
                     {"values", report.values}};
  if (example) {
    const std::string shown = show_word(example->letters);
    verdict.counterexample = {"'" + shown + "'",
                              fmt::format("{} letters, shrunk from {}", example->letters.size(),
                                          example->original_length),
                              example->expected,
                              example->got,
                              {{"word", shown},
                               {"iterations", example->iterations},
                               {"found_at_length", example->original_length}},
                              example->number,
                              {}};  // a run has the iterations of the file
  }
  return store_or_conclude(options, verdict);
}

int test(TestArguments& options) {
  options.oracle_as_typed = options.oracle.as_typed();
  const Model model = read_weights(options.model);
  if (options.oracle.against == kComputationGraph) return test_computation_graphs(options, model);
  if (std::holds_alternative<WordInput>(model.input)) return test_words(options, model);
  if (options.oracle.names_automaton())
    throw InputError("the weights file '" + model.name +
                     "' does not take words; a language is no oracle for it");
  return std::holds_alternative<GraphInput>(model.input) ? test_graphs(options, model)
                                                         : test_cells(options, model);
}

}  // namespace

int merge_tests(const std::vector<WorkPart>& parts, bool json) {
  std::vector<TestVerdict> shards;
  for (const WorkPart& part : parts) try {
      shards.push_back(test_verdict_from_json(part.answer));
    } catch (const nlohmann::json::exception&) {
      throw InputError(part.file + ": expected what a part of test found");
    }
  return conclude(merged(shards), json);
}

Command add_test(CLI::App& app) {
  auto options = std::make_shared<TestArguments>();
  CLI::App* command = app.add_subcommand(
      "test",
      "property test of any weights file against an independent oracle, with a shrunk "
      "counterexample\nExample: logdepth test abb.json --against regex:'(a|b)*abb' --up-to 8");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->oracle.add_to(*command,
                         "regex:R, fst:FILE, jff:FILE, dot:FILE, mata:FILE, json:FILE, group:NAME, "
                         "crasp:FILE, a file by its "
                         "extension, or else a regular expression; for files that take graphs "
                         "graph:reachability or graph:undirected-reachability; for the division "
                         "lemma division; for computation graphs computation-graph; for words and "
                         "graphs also command:PROGRAM, which is asked a line and answers a line");
  options->up_to = command
                       ->add_option("--up-to", options->test.up_to,
                                    "every word of at most so many letters, every graph of at most "
                                    "so many vertices or equations")
                       ->check(kSmallCount);
  options->random =
      command->add_option("--random", options->test.random, "number of random inputs beyond")
          ->check(kSmallCount);
  options->max_length =
      command
          ->add_option("--max-length", options->test.max_length,
                       "largest number of letters, vertices, positions or equations of the random "
                       "inputs")
          ->check(kSmallCount);
  command->add_option("--seed", options->test.seed, "seed of the random inputs")->check(kCount);
  CLI::Option* const json = command->add_flag("--json", options->json, "print one JSON object");
  options->shards.add_to(*command);
  options->shards.option->excludes(json);
  add_run_limits(*command);
  return [options] { return test(*options); };
}

}  // namespace logdepth
