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
#include "cli/word_source.hpp"
#include "cli/work_part.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/computation_graphs.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
namespace {

struct TestArguments {
  std::string model;
  OracleOptions oracle;
  std::string oracle_as_typed;
  Bounds bounds;  ///< as given
  CLI::Option *up_to = nullptr, *random = nullptr, *max_length = nullptr;
  ShardOptions shards;
  bool json = false;

  /// What suits the kind of test, where the user gave nothing else.
  Bounds within(const Bounds& suited) const {
    Bounds chosen = suited;
    if (up_to->count() > 0) chosen.up_to = bounds.up_to;
    if (random->count() > 0) chosen.random = bounds.random;
    if (max_length->count() > 0) chosen.max_size = bounds.max_size;
    chosen.seed = bounds.seed;
    return chosen;
  }
};

/// Asks, with progress.
template <class Ask>
auto examined(const TestArguments& options, const char* noun, const Ask& ask) {
  Progress progress("test", noun);
  Asking how;
  how.shard = options.shards.shard;
  how.progress = [&](std::size_t done, std::size_t total) { progress.update(done, total); };
  return ask(how);
}

/// What all reports have.
template <class Input>
TestVerdict verdict_of(TestVerdict::Kind kind, const Examination<Input>& found,
                       const TestArguments& options, const Model& model,
                       const std::string& against) {
  TestVerdict verdict;
  verdict.kind = kind;
  verdict.file = options.model;
  verdict.model = model.name;
  verdict.hash = weights_hash(model);
  verdict.against = against;
  verdict.oracle = options.oracle_as_typed;
  verdict.seed = found.bounds.seed;
  verdict.promises = found.promises;
  verdict.unevaluated = descriptions(found.unevaluated);
  verdict.details = {{"up_to", found.bounds.up_to}};
  return verdict;
}

/// Everything about a counterexample that does not depend on the kind of its input.
template <class Input>
TestVerdict::Counterexample example_of(const FoundInput<Input>& found, std::string shown,
                                       std::string origin, nlohmann::json details,
                                       TypedInput typed) {
  return {std::move(shown),        std::move(origin),  expected_text(found.finding),
          got_text(found.finding), std::move(details), found.number,
          std::move(typed)};
}

/// Of a shard what it found is written to its file, of a whole test it is printed.
int store_or_conclude(const TestArguments& options, std::size_t random,
                      const TestVerdict& verdict) {
  if (options.shards.part.empty()) return conclude(verdict, options.json);
  write_part(
      {options.shards.part,
       kTestWork,
       options.shards.shard,
       {{"weights", verdict.hash},
        {"oracle", verdict.against},
        {"seed", verdict.seed},
        {"up_to", verdict.details.at("up_to")},
        {"random", random},
        {"max_length", verdict.details.contains("max_length") ? verdict.details.at("max_length")
                                                              : verdict.details.at("max_size")}},
       to_json(verdict)});
  return verdict.counterexample ? kCheckFailed : kDone;
}

int test_words(const TestArguments& options, const Model& model) {
  const NamedLanguage language = load_language_oracle(options.oracle.request(), model);
  ExactRuns runs(model);
  WordInquiry questions(model, *language.oracle);
  const Bounds bounds = options.within(kWordBounds);
  const auto found = examined(options, "words", [&](const Asking& how) {
    return examine_words(runs, questions, bounds, how);
  });
  TestVerdict verdict = verdict_of(TestVerdict::Kind::words, found, options, model, language.name);
  verdict.details.update({{"exhaustive_words", found.exhaustive},
                          {"chosen_words", found.chosen},
                          {"random_words", found.random},
                          {"max_length", found.bounds.max_size},
                          {"accepted", found.counts.positive},
                          {"prefixes", found.counts.prefixes},
                          {"values", found.counts.numbers},
                          {"prefix_kind", questions.prefix_kind()},
                          {"prefix_note", questions.prefix_note()}});
  if (const auto& example = found.counterexample) {
    const std::vector<std::string> word = questions.names(example->input);
    verdict.counterexample = example_of(
        *example, "'" + show_word(word) + "'",
        fmt::format("{} letters, shrunk from {}", word.size(), example->first.size()),
        {{"word", show_word(word)}, {"found_at_length", example->first.size()}}, typed_word(word));
  }
  return store_or_conclude(options, bounds.random, verdict);
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

int test_graphs(const TestArguments& options, const Model& model) {
  const NamedReachability right = load_reachability_oracle(options.oracle.request(), model);
  ExactRuns runs(model);
  GraphInquiry questions(model, right.undirected, right.program);
  GraphPlan plan{options.within(kGraphBounds), options.up_to->count() == 0, false};
  const auto found = examined(options, "graphs", [&](const Asking& how) {
    return examine_graphs(runs, questions, plan, how);
  });
  TestVerdict verdict = verdict_of(TestVerdict::Kind::graphs, found, options, model, right.name);
  verdict.details.update({{"exhaustive_graphs", found.exhaustive},
                          {"max_loopless", plan.loopless_size(model)},
                          {"random_graphs", found.random},
                          {"max_size", found.bounds.max_size},
                          {"pairs", found.counts.answers},
                          {"connected", found.counts.positive}});
  if (const auto& example = found.counterexample) {
    const auto& [graph, pairs] = example->input;
    const auto& [source, target] = pairs.front();
    nlohmann::json edges = nlohmann::json::array();
    for (Vertex i = 0; i < graph.size(); ++i)
      for (Vertex j = 0; j < graph.size(); ++j)
        if (graph.has_edge(i, j)) edges.push_back({i, j});
    const Graph& first = example->first.graph;
    verdict.counterexample = example_of(
        *example,
        show_graph(graph) + ", source " + graph.names()[source] + ", target " +
            graph.names()[target],
        fmt::format("shrunk from {} vertices and {} edges", first.size(), first.edge_count()),
        {{"vertices", graph.size()},
         {"edges", edges},
         {"source", source},
         {"target", target},
         {"found_at_vertices", first.size()},
         {"found_at_edges", first.edge_count()}},
        typed_graph(graph, source, target));
  }
  return store_or_conclude(options, plan.bounds.random, verdict);
}

int test_cells(const TestArguments& options, const Model& model) {
  if (options.oracle.against != "division")
    throw InputError("the weights file '" + model.name +
                     "' takes raw streams; expected --against division");
  ExactRuns runs(model);
  DivisionInquiry questions(model);
  const Bounds bounds = options.within(kDivisionBounds);
  const auto found = examined(options, "inputs", [&](const Asking& how) {
    return examine_divisions(runs, questions, bounds, how);
  });
  TestVerdict verdict =
      verdict_of(TestVerdict::Kind::divisions, found, options, model, options.oracle.against);
  verdict.details.update({{"exhaustive_inputs", found.exhaustive},
                          {"random_inputs", found.random},
                          {"max_length", found.bounds.max_size},
                          {"divisions", found.counts.numbers}});
  if (const auto& example = found.counterexample) {
    const DivisionInput& input = example->input;
    std::string shown = fmt::format("divisor {}, dividends", input.divisor);
    for (const std::uint64_t dividend : input.dividends) shown += fmt::format(" {}", dividend);
    verdict.counterexample =
        example_of(*example, std::move(shown),
                   fmt::format("shrunk from {} positions", example->first.dividends.size()),
                   {{"divisor", input.divisor},
                    {"dividends", input.dividends},
                    {"found_at_length", example->first.dividends.size()}},
                   typed_cells(model, division_rows(model, input)));
  }
  return store_or_conclude(options, bounds.random, verdict);
}

constexpr const char* kComputationGraph = "computation-graph";

int test_computation_graphs(const TestArguments& options, const Model& model) {
  if (options.oracle.names_automaton())
    throw InputError("--against computation-graph and a language are two oracles; give one");
  ExactRuns runs(model);
  ComputationGraphInquiry questions(model);
  const Bounds bounds = options.within(kComputationGraphBounds);
  const auto found = examined(options, "graphs", [&](const Asking& how) {
    return examine_computation_graphs(runs, questions, bounds, how);
  });
  TestVerdict verdict = verdict_of(TestVerdict::Kind::computation_graphs, found, options, model,
                                   options.oracle.against);
  verdict.details.update({{"exhaustive_graphs", found.exhaustive},
                          {"random_graphs", found.random},
                          {"max_size", found.bounds.max_size},
                          {"values", found.counts.numbers}});
  if (const auto& example = found.counterexample) {
    const std::vector<std::string> letters = questions.letters(example->input);
    const std::size_t first = questions.letters(example->first).size();
    verdict.counterexample =
        example_of(*example, "'" + show_word(letters) + "'",
                   fmt::format("{} letters, shrunk from {}", letters.size(), first),
                   {{"word", show_word(letters)},
                    {"iterations", example->input.iterations},
                    {"found_at_length", first}},
                   {});  // a run has the iterations of the file
  }
  return store_or_conclude(options, bounds.random, verdict);
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
                       ->add_option("--up-to", options->bounds.up_to,
                                    "every word of at most so many letters, every graph of at most "
                                    "so many vertices or equations")
                       ->check(kSmallCount);
  options->random =
      command->add_option("--random", options->bounds.random, "number of random inputs beyond")
          ->check(kSmallCount);
  options->max_length =
      command
          ->add_option("--max-length", options->bounds.max_size,
                       "largest number of letters, vertices, positions or equations of the random "
                       "inputs")
          ->check(kSmallCount);
  command->add_option("--seed", options->bounds.seed, "seed of the random inputs")->check(kCount);
  CLI::Option* const json = command->add_flag("--json", options->json, "print one JSON object");
  options->shards.add_to(*command);
  options->shards.option->excludes(json);
  add_run_limits(*command);
  return [options] { return test(*options); };
}

}  // namespace logdepth
