#include <fmt/core.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "compiler/file/checks_file.hpp"
#include "library/runs/tested.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/run.hpp"
#include "oracle/command_oracle.hpp"
#include "proofs-check/check/divisions.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/sha256.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// An input as a user types it in a shell.
struct TypedInput {
  std::string preparation = {};  ///< writes the file that the options name; or nothing
  std::string options = {};      ///< of InputOptions; empty: none say this input
};

std::string written(const std::vector<std::string>& lines, const std::string& file) {
  std::string text = "printf '%s\\n'";
  for (const std::string& line : lines) text += " " + shell_word(line);
  return text + " > " + file;
}

TypedInput typed_word(const Letters& letters) {
  const std::string word = show_word(letters);
  const bool separated = letters.size() > 1 && word.find(' ') != std::string::npos;
  return {"", (separated ? "--tokens " : "--input ") + shell_word(word)};
}

TypedInput typed_graph(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target) {
  std::vector<std::string> lines = {"# edge list"};  // some lines hold one vertex
  // First the vertices, so that they keep their order.
  for (std::uint32_t i = 0; i < graph.vertices; ++i) lines.push_back(std::to_string(i));
  for (const auto& [from, to] : graph.edges)
    lines.push_back(std::to_string(from) + " " + std::to_string(to));
  const std::string file = "counterexample.edges";
  return {written(lines, file), "--graph " + file + " --source " + std::to_string(source) +
                                    " --target " + std::to_string(target)};
}

/// Precondition: the model takes raw streams.
TypedInput typed_cells(const Model& model, const std::vector<std::vector<Real>>& rows) {
  std::vector<std::string> lines = {joined(std::get<CellsInput>(model.input).names, " ")};
  for (const std::vector<Real>& row : rows) {
    std::vector<std::string> values;
    for (const Real& value : row) values.push_back(value.text());
    lines.push_back(joined(values, " "));
  }
  const std::string file = "counterexample.txt";
  return {written(lines, file), "--cells " + file};
}

using nlohmann::json;

/// An input with a wrong answer.
struct FoundCounterexample : TypedInput {
  std::string shown, origin;  ///< the input, and what it was shrunk from
  json details;               ///< beside expected and got
};

/// What a test of a weights file found, whatever the file takes.
struct Findings {
  std::string against;     ///< what says what is right
  std::string bound;       ///< what was covered
  std::string compared;    ///< what was compared with the oracle
  std::string too_small;   ///< why a head may never have been asked
  std::string note = {};   ///< on what was not compared, or nothing
  std::string batch = {};  ///< names the words that were given, or nothing
  json details = {};       ///< limits and counts, beside what all tests say
  std::optional<FoundCounterexample> counterexample = {};
};

/// Longer commands than this are not typed again.
constexpr std::size_t kLongestCommand = 2000;

/// How to look at the counterexample.
void print_commands(const TypedInput& typed, const std::string& file, const std::string& oracle) {
  if (typed.options.empty() || typed.preparation.size() + typed.options.size() > kLongestCommand)
    return;
  const std::string input = shell_word(file) + " " + typed.options;
  std::cout << "to inspect: " << typed.preparation << (typed.preparation.empty() ? "" : "; ")
            << "logdepth diff " << input << "; logdepth draw " << input << " " << oracle
            << " -o counterexample.svg\n";
}

struct TestArguments {
  std::string model;
  OracleOptions oracle;
  InputOptions words;  // --batch alone
  std::optional<std::size_t> up_to, random, largest;
  std::uint64_t seed = 1;
  bool json = false;

  /// What suits the kind of test, where the user gave nothing else; `largest` is its largest size.
  template <class Tested>
  Tested within(std::size_t Tested::*largest_size) const {
    Tested chosen;
    chosen.up_to = up_to.value_or(chosen.up_to);
    chosen.random = random.value_or(chosen.random);
    chosen.*largest_size = largest.value_or(chosen.*largest_size);
    chosen.seed = seed;
    return chosen;
  }
};

/// "every word of at most 6 letters ..., seed 1"; of a test that ended early how far it came.
template <class Result>
std::string covered(const Result& result, std::uint64_t cases, const char* noun,
                    const std::string& all) {
  return (result.wrong ? "stopped after " + counted(cases, noun) : all) +
         fmt::format(", seed {}", result.within.seed);
}

/// Prints the verdict and writes it beside the weights file; a folder that cannot be written does
/// not undo the test. Exit status 1 for a counterexample.
template <class Result>
int conclude(const TestArguments& options, const CheckedModel& model, const Result& result,
             const Findings& found) {
  const auto& wrong = result.wrong;
  const std::string difference =
      wrong ? "expected " + wrong->expected + ", found " + wrong->got : "";
  const std::string promises = counted(result.promises, "contract instance");
  json out = found.details;
  out["up_to"] = result.within.up_to;
  std::map<std::string, std::uint64_t> limits;
  for (const auto& [name, value] : out.items())
    if (name == "up_to" || name.starts_with("max_") || name.starts_with("random_"))
      limits[name] = value;
  if (!found.batch.empty()) limits["batch " + found.batch] = 1;
  if (options.json) {
    out.update({{"schema", "logdepth/test/1"},
                {"model", model->name},
                {"against", found.against},
                {"passed", !wrong},
                {"seed", result.within.seed},
                {"promises", result.promises},
                {"unevaluated", result.unasked}});
    if (wrong) {
      out["counterexample"] = found.counterexample->details;
      out["counterexample"].update({{"expected", wrong->expected}, {"got", wrong->got}});
    }
    std::cout << out.dump(1) << '\n';
  } else {
    std::cout << (wrong ? "FAILED" : "passed") << ": against "
              << printable(found.against, kMostPrinted) << ", " << found.bound << '\n'
              << found.compared << " and " << promises << '\n';
    if (!found.note.empty()) std::cout << found.note << '\n';
    for (const std::string& head : result.unasked)
      std::cout << "never exercised: " << printable(head, kMostPrinted) << " (" << found.too_small
                << ")\n";
    if (wrong) {
      std::cout << "counterexample: " << printable(found.counterexample->shown, std::string::npos)
                << " (" << found.counterexample->origin
                << "): " << printable(difference, kMostPrinted) << '\n';
      print_commands(*found.counterexample, options.model, options.oracle.as_typed());
    }
  }
  try {
    // A program of the user's may have been repaired.
    compiler_file::add_check(
        options.model, weights_hash(model),
        {"test", found.against, found.bound,
         wrong ? "failed: on " + found.counterexample->shown + " " + difference : "passed",
         fmt::format("{} and {}; cells, depth and limit at every run", found.compared, promises),
         limits},
        found.against.starts_with(kCommandOracle));
  } catch (const InputError& error) {
    std::cerr << "logdepth: the result was not recorded: " << error.what() << '\n';
  }
  return wrong ? kCheckFailed : kDone;
}

template <class Wrong>
FoundCounterexample wrong_word(const Wrong& wrong, TypedInput typed) {
  const std::string word = show_word(wrong.word);
  return {
      std::move(typed),
      "'" + word + "'",
      fmt::format("{}, shrunk from {}", counted(wrong.word.size(), "letter"), wrong.shrunk_from),
      {{"word", word}, {"found_at_length", wrong.shrunk_from}}};
}

int test_words(const TestArguments& options, const CheckedModel& model) {
  const NamedLanguage language = load_language_oracle(options.oracle.request(), model);
  for (const std::string& note : language.notes) std::cerr << note << '\n';
  Progress progress("test", "words");
  TestedWords words = options.within(&TestedWords::max_length);
  if (options.words.batch_option->count() > 0)
    words.batch = load_words(options.words, model->alphabet);
  const TestResult result =
      tested_words(model, *language.oracle, words, {.progress = std::ref(progress)});
  const std::uint64_t prefixes = result.products + result.states;
  Findings found;
  found.against = language.name;
  found.bound = covered(
      result,
      result.batch_words + result.exhaustive_words + result.chosen_words + result.random_words,
      "word",
      fmt::format("{}every word of at most {} ({}), {} with one letter that differs "
                  "from the rest, {} of at most {}",
                  result.batch_words > 0 ? counted(result.batch_words, "given word") + ", " : "",
                  counted(result.within.up_to, "letter"), result.exhaustive_words,
                  counted(result.chosen_words, "word"), counted(result.random_words, "random word"),
                  counted(result.within.max_length, "letter")));
  found.compared = result.numbers > 0 ? "checked " + counted(result.numbers, "named value")
                                      : fmt::format("{} accepted; checked {}", result.accepted,
                                                    counted(prefixes, result.prefix_kind));
  found.too_small = "no word was long enough";
  if (!result.note.empty())
    found.note =
        (prefixes == 0 ? "no " + result.prefix_kind + " was compared: " : "") + result.note;
  found.details = {{"exhaustive_words", result.exhaustive_words},
                   {"chosen_words", result.chosen_words},
                   {"random_words", result.random_words},
                   {"batch_words", result.batch_words},
                   {"max_length", result.within.max_length},
                   {"accepted", result.accepted},
                   {"prefixes", prefixes},
                   {"values", result.numbers},
                   {"prefix_kind", result.prefix_kind},
                   {"prefix_note", result.note}};
  if (!words.batch.empty()) found.batch = sha256(json(words.batch).dump());
  if (result.wrong)
    found.counterexample = wrong_word(*result.wrong, typed_word(result.wrong->word));
  return conclude(options, model, result, found);
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
  graphs.loopless_beyond = !options.up_to;
  const GraphTestResult result =
      tested_graphs(model, right.program, graphs, {.progress = std::ref(progress)});
  Findings found;
  found.against = right.name;
  found.bound = covered(
      result, result.exhaustive_graphs + result.random_graphs, "graph",
      fmt::format(
          "every graph of at most {}{} ({} up to renaming) with every source and target, {} more "
          "of at most {}",
          counted(result.within.up_to, "vertex", "vertices"),
          result.largest_loopless > 0
              ? fmt::format(" and, without self-loops, of {}", result.largest_loopless)
              : "",
          result.exhaustive_graphs, result.random_graphs,
          counted(result.within.max_size, "vertex", "vertices")));
  found.compared = fmt::format("{} connected; checked {}", result.connected,
                               counted(result.pairs, "query", "queries"));
  found.too_small = "no graph was large enough";
  found.details = {{"exhaustive_graphs", result.exhaustive_graphs},
                   {"max_loopless", result.largest_loopless},
                   {"random_graphs", result.random_graphs},
                   {"max_size", result.within.max_size},
                   {"pairs", result.pairs},
                   {"connected", result.connected}};
  if (const auto& wrong = result.wrong)
    found.counterexample = {typed_graph(wrong->graph, wrong->source, wrong->target),
                            fmt::format("{}, source {}, target {}", show_graph(wrong->graph),
                                        wrong->source, wrong->target),
                            fmt::format("shrunk from {} and {}",
                                        counted(wrong->shrunk_from_vertices, "vertex", "vertices"),
                                        counted(wrong->shrunk_from_edges, "edge")),
                            {{"vertices", wrong->graph.vertices},
                             {"edges", wrong->graph.edges},
                             {"source", wrong->source},
                             {"target", wrong->target},
                             {"found_at_vertices", wrong->shrunk_from_vertices},
                             {"found_at_edges", wrong->shrunk_from_edges}}};
  return conclude(options, model, result, found);
}

int test_cells(const TestArguments& options, const CheckedModel& model) {
  if (options.oracle.against != "division")
    throw InputError("the weights file '" + model->name +
                     "' takes raw streams; expected --against division");
  Progress progress("test", "inputs");
  const DivisionTestResult result = tested_divisions(
      model, options.within(&TestedDivisions::max_length), {.progress = std::ref(progress)});
  Findings found;
  found.against = options.oracle.against;
  found.bound =
      covered(result, result.exhaustive_inputs + result.random_inputs, "input",
              fmt::format("every dividend at the positions up to {} by every divisor up "
                          "to it ({}), {} more of at most {}",
                          result.within.up_to, counted(result.exhaustive_inputs, "input"),
                          result.random_inputs, counted(result.within.max_length, "position")));
  found.compared = "checked " + counted(result.divisions, "division");
  found.too_small = "no input was long enough";
  found.details = {{"exhaustive_inputs", result.exhaustive_inputs},
                   {"random_inputs", result.random_inputs},
                   {"max_length", result.within.max_length},
                   {"divisions", result.divisions}};
  if (const auto& wrong = result.wrong) {
    std::string dividends;
    for (const std::uint64_t dividend : wrong->dividends) dividends += fmt::format(" {}", dividend);
    found.counterexample = {
        typed_cells(model, division_rows(model, {wrong->divisor, wrong->dividends})),
        fmt::format("divisor {}, dividends{}", wrong->divisor, dividends),
        "shrunk from " + counted(wrong->shrunk_from, "position"),
        {{"divisor", wrong->divisor},
         {"dividends", wrong->dividends},
         {"found_at_length", wrong->shrunk_from}}};
  }
  return conclude(options, model, result, found);
}

constexpr const char* kComputationGraph = "computation-graph";

int test_computation_graphs(const TestArguments& options, const CheckedModel& model) {
  if (options.oracle.names_automaton())
    throw InputError("--against computation-graph and a language: expected one oracle, found two");
  Progress progress("test", "graphs");
  const ComputationGraphTestResult result = tested_computation_graphs(
      model, options.within(&TestedComputationGraphs::max_size), {.progress = std::ref(progress)});
  Findings found;
  found.against = kComputationGraph;
  found.bound =
      covered(result, result.exhaustive_graphs + result.random_graphs, "graph",
              fmt::format("every graph of at most {} ({}), {} more of at most {}",
                          counted(result.within.up_to, "equation"), result.exhaustive_graphs,
                          result.random_graphs, counted(result.within.max_size, "equation")));
  found.compared = "checked " + counted(result.values, "token value");
  found.too_small = "no graph was large enough";
  found.details = {{"exhaustive_graphs", result.exhaustive_graphs},
                   {"random_graphs", result.random_graphs},
                   {"max_size", result.within.max_size},
                   {"values", result.values}};
  if (result.wrong) {  // nothing types it: a run has the iterations of the file
    found.counterexample = wrong_word(*result.wrong, {});
    found.counterexample->details["iterations"] = result.wrong->iterations;
  }
  return conclude(options, model, result, found);
}

int test(const TestArguments& options) {
  const CheckedModel model = read_weights(options.model);
  const bool words = std::holds_alternative<WordInput>(model->input);
  const bool graph = options.oracle.against == kComputationGraph;
  if (options.words.batch_option->count() > 0 && (graph || !words))
    throw InputError("--batch gives words; " + in_quotes(model->name) + " is not tested on words");
  if (graph) return test_computation_graphs(options, model);
  if (words) return test_words(options, model);
  if (options.oracle.names_automaton())
    throw InputError("the weights file '" + model->name +
                     "' does not take words; a language is no oracle for it");
  return std::holds_alternative<GraphInput>(model->input) ? test_graphs(options, model)
                                                          : test_cells(options, model);
}

}  // namespace

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
  add_optional(*command, "--up-to", options->up_to,
               "test all inputs up to this size: letters, vertices, positions or equations")
      ->check(kSmallCount);
  add_optional(*command, "--random", options->random, "number of additional random inputs")
      ->check(kSmallCount);
  add_optional(*command, "--max-length", options->largest,
               "largest size of the random inputs: letters, vertices, positions or equations")
      ->check(kSmallCount);
  command->add_option("--seed", options->seed, "seed of the random inputs")->check(kCount);
  options->words.batch_option = command->add_option(
      "--batch", options->words.batch,
      "file of words, one per line, that are tested first; - reads standard input");
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] { return test(*options); };
}

}}  // namespace logdepth::cli
