// One run of one contender on one input of a weights file: its seconds, memory and answers.
// bench/exact_cost.py runs the contenders in turn and compares what they say.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/prefix_products.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/reachability_oracle.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth { namespace {

struct Options {
  std::string contender, model, word, group, graph, source, target, answers;
};

/// One input of one weights file, as every contender needs it.
struct Question {
  explicit Question(const Options& options) : model(read_weights(options.model)) {
    if (options.graph.empty()) {
      const Alphabet alphabet(model.alphabet);
      word = alphabet.parse_word(read_whole_file(options.word));
      std::vector<std::string> letters;
      for (const Letter letter : word) letters.push_back(alphabet.name(letter));
      tokens = demand(tokens_of(model, letters));
    } else {
      graph = read_graph(read_whole_file(options.graph), options.graph);
      source = vertex(options.source);
      target = vertex(options.target);
      tokens = demand(tokens_of(model, *graph, source, target));
    }
  }
  Vertex vertex(const std::string& name) const {
    const auto found = graph->vertex(name);
    if (!found) throw InputError("'" + name + "' is not a vertex of the graph");
    return *found;
  }

  Model model;
  Tokens tokens;
  Word word;
  std::optional<Graph> graph;
  Vertex source = 0, target = 0;
};

/// Seconds of one run: from tokens (letters, a graph) to the last residual stream (products, a verdict),
/// without reading files and without reading the answers.
struct Timed {
  double seconds = 0;
  std::size_t repeats = 1;  ///< short runs are repeated, `seconds` is their mean
  std::uint64_t peak_bytes = 0;
  /// One per line: every prefix product and the verdict of a word, or the verdict of a graph.
  std::vector<std::string> answers;
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

const char* verdict(bool yes) {
  return yes ? "yes" : "no";
}
template <class T, class Show>
std::string shown(const Outcome<T>& answer, Show show) {
  return answer.has_value() ? show(answer.value()) : "undecided";
}

/// By columns, as `logdepth run`: every selection contract is proved.
Timed run_exactly(const Question& question) {
  const auto start = Clock::now();
  ColumnRunner runner(question.model, kRunMemory);
  ColumnWords words(question.model);
  if (!words.add(question.tokens)) throw InputError("the input is none of columns");
  const auto logits = runner.run(words, loops_at(question.model.unroll, question.tokens.size));
  Timed result{seconds_since(start), 1, peak_bytes(), {}};
  if (!logits) throw InputError("handed over: " + runner.statistics().reason);
  for (std::size_t i = 0; i < question.word.size(); ++i)
    result.answers.push_back(
        shown(logits->prefix(0, first_letter(question.model) + i), prefix_text));
  result.answers.push_back(shown(logits->accepts(0, question.tokens.kinds.size() - 1), verdict));
  return result;
}

/// Repeats a short run until the clock can be trusted.
Timed repeat(const std::function<void()>& run) {
  constexpr double enough = 0.02;
  std::size_t repeats = 0;
  const auto start = Clock::now();
  for (; repeats == 0 || seconds_since(start) < enough; ++repeats) run();
  return {seconds_since(start) / static_cast<double>(repeats), repeats, peak_bytes(), {}};
}

Timed run_products(const Question& question, const std::string& group) {
  const Action action = named_monoid(group);
  PrefixProducts products(action);
  Timed result = repeat([&] { products.run(question.word); });
  for (std::size_t i = 0; i < question.word.size(); ++i)
    result.answers.push_back(format_transformation(products.at(i)));
  result.answers.push_back(verdict(action.accepts(products.at(question.word.size() - 1))));
  return result;
}

Timed run_search(const Question& question) {
  const ReachabilityOracle search(*question.graph);
  bool reached = false;
  Timed result = repeat([&] { reached = search.reaches(question.source, question.target); });
  result.answers = {verdict(reached)};
  return result;
}

Timed run_contender(const Options& options, const Question& question) {
  if (options.contender == "exact") return run_exactly(question);
  if (options.contender == "sequential" && !question.word.empty())
    return run_products(question, options.group);
  if (options.contender == "search" && question.graph) return run_search(question);
  throw InputError("'" + options.contender + "' is not a contender for this input");
}

nlohmann::json measure(const Options& options) {
  const Question question(options);
  const Timed timed = run_contender(options, question);
  if (!options.answers.empty()) {
    std::string text;
    for (const std::string& line : timed.answers) text += line + '\n';
    write_whole_file(options.answers, text);
  }
  return {{"contender", options.contender}, {"tokens", question.tokens.kinds.size()},
          {"seconds", timed.seconds},       {"repeats", timed.repeats},
          {"program", "GCC " __VERSION__},  {"peak_bytes", timed.peak_bytes}};
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("One run of one contender on one input; prints a JSON object.");
  app.add_option("--contender", options.contender,
                 "exact; words: sequential, the product letter by letter; graphs: search");
  app.add_option("--model", options.model, "weights file");
  app.add_option("--word", options.word, "file with one word");
  app.add_option("--group", options.group, "words: what the file was compiled from");
  app.add_option("--graph", options.graph, "file with a graph");
  app.add_option("--source", options.source);
  app.add_option("--target", options.target);
  app.add_option("--answers", options.answers, "file for the answers, one per line");
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << measure(options).dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_exact_cost: " << error.what() << '\n';
    return 2;
  }
}

}}  // namespace logdepth

int main(int argc, char** argv) {
  return logdepth::run(argc, argv);
}
