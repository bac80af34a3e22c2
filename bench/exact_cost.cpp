// One run of one contender on one input of a weights file: its seconds, memory and answers.
// bench/exact_cost.py runs the contenders in turn and compares what they say.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/contenders.hpp"
#include "bench/phi_head.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

struct Options {
  std::string contender, model, word, group, graph, source, target, answers;
  DenseOptions dense;
  std::uint64_t phi = 0;
  bool single = false;
};

template <class T>
T demand(Outcome<T> outcome) {
  if (!outcome.has_value()) throw InputError(describe(outcome.refusal()));
  return std::move(outcome).value();
}

Vertex vertex(const Graph& graph, const std::string& name) {
  const auto found = graph.vertex(name);
  if (!found) throw InputError("'" + name + "' is not a vertex of the graph");
  return *found;
}

TimedQuestion load(const Options& options) {
  TimedQuestion question;
  question.model = read_weights(options.model);
  if (options.graph.empty()) {
    const Alphabet alphabet(question.model.alphabet);
    question.group = options.group;
    question.word = alphabet.parse_word(read_whole_file(options.word));
    std::vector<std::string> letters;
    for (const Letter letter : question.word) letters.push_back(alphabet.name(letter));
    question.tokens = demand(tokens_of(question.model, letters));
  } else {
    question.graph = read_graph(read_whole_file(options.graph), options.graph);
    question.source = vertex(*question.graph, options.source);
    question.target = vertex(*question.graph, options.target);
    question.tokens =
        demand(tokens_of(question.model, *question.graph, question.source, question.target));
  }
  return question;
}

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

nlohmann::json run_contender(const Options& options) {
  const TimedQuestion question = load(options);
  const auto contender = make_contender(options.contender, question, options.dense);
  const RunSeconds seconds = contender->run();
  nlohmann::json result = {{"contender", options.contender},
                           {"tokens", question.tokens.kinds.size()},
                           {"seconds", seconds.total},
                           {"repeats", seconds.repeats},
                           {"row_stride", options.dense.row_stride},
                           {"tolerance", options.dense.tolerance},
                           {"zero", options.dense.zero},
                           {"compiler", "GCC " __VERSION__},
                           {"peak_bytes", peak_bytes()}};
  if (seconds.dense) {
    result["attention_seconds"] = seconds.dense->attention;
    result["scores"] = seconds.dense->scores;
  }
  if (!options.answers.empty()) {
    std::string text;
    for (const std::string& line : contender->answers()) text += line + '\n';
    write_whole_file(options.answers, text);
  }
  return result;
}

nlohmann::json run_phi(const Options& options) {
  const double tolerance = options.dense.tolerance;
  const PhiHead head = options.single ? run_phi_head<float>(options.phi, tolerance)
                                      : run_phi_head<double>(options.phi, tolerance);
  nlohmann::json result = {{"number", options.single ? "float32" : "float64"},
                           {"tokens", options.phi},
                           {"tolerance", tolerance},
                           {"wrong", head.wrong},
                           {"first_wrong", nullptr}};
  if (head.first_wrong) result["first_wrong"] = *head.first_wrong;
  return result;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("One run of one contender on one input; prints a JSON object.");
  app.add_option(
      "--contender", options.contender,
      "exact, exact-2 (on two threads), general, float64, float32; words: scan, sequential; "
      "graphs: search, squaring");
  app.add_option("--model", options.model, "weights file");
  app.add_option("--word", options.word, "file with one word");
  app.add_option("--group", options.group, "words: what the file was compiled from");
  app.add_option("--graph", options.graph, "file with a graph");
  app.add_option("--source", options.source);
  app.add_option("--target", options.target);
  app.add_option("--answers", options.answers, "file for the answers, one per line");
  app.add_option("--tolerance", options.dense.tolerance,
                 "dense contenders: scores this close to the largest are ties");
  app.add_option("--zero", options.dense.zero,
                 "dense contenders: numbers of at most this size are zero to a norm");
  app.add_option("--stride", options.dense.row_stride,
                 "dense contenders: answer each so many-th tile of rows, to estimate the time")
      ->check(CLI::PositiveNumber);
  app.add_option("--phi", options.phi,
                 "instead of a contender: one head with queries and keys phi(1), phi(2), ...");
  app.add_flag("--single", options.single, "that head in float32");
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << (options.phi > 0 ? run_phi(options) : run_contender(options)).dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_exact_cost: " << error.what() << '\n';
    return 2;
  }
}

}  // namespace
}  // namespace logdepth

int main(int argc, char** argv) {
  return logdepth::run(argc, argv);
}
