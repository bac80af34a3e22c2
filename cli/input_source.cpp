#include "cli/input_source.hpp"

#include <fmt/core.h>

#include <iostream>
#include <iterator>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/validators.hpp"
#include "library/requests/stream_request.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_files.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/gzip_text.hpp"
#include "runtime/numbers/real_text.hpp"

namespace logdepth::inline cli {
namespace {

bool given(const CLI::Option* option) {
  return option && option->count() > 0;
}

/// Refuses options that are made for other models than this one.
void check_kind(const InputOptions& options, const Model& model) {
  const bool words = given(options.words.input_option) || given(options.words.tokens_option) ||
                     (given(options.words.batch_option) && !given(options.graph_option));
  const bool graph = given(options.graph_option);
  const bool cells = given(options.cells_option) || given(options.divide_option);
  const bool batch = options.words.batch_option != nullptr;
  std::string option;
  for (const CLI::Option* known :
       {options.words.input_option, options.words.tokens_option, options.graph_option,
        options.cells_option, options.divide_option, options.words.batch_option})
    if (option.empty() && given(known)) option = known->get_name() + ": ";
  const std::string file = option + "the weights file " + in_quotes(model.name) + " takes ";
  if (std::holds_alternative<WordInput>(model.input)) {
    if (graph || cells)
      throw InputError(file + "words; expected --input or --tokens" + (batch ? " or --batch" : ""));
  } else if (std::holds_alternative<GraphInput>(model.input)) {
    if (words || cells || !graph)
      throw InputError(file + "graphs; expected --graph FILE with --source and --target" +
                       (batch ? ", or with --batch and a file of pairs" : ""));
  } else if (words || graph || !cells) {
    throw InputError(file +
                     "raw streams; expected --cells FILE or, for the division lemma, --divide A " +
                     "--by M");
  }
}

Vertex find_vertex(const Graph& graph, const std::string& name, const std::string& where,
                   const std::string& file) {
  const auto vertex = graph.vertex(name);
  if (!vertex) throw InputError(where + ": " + in_quotes(name) + " is not a vertex of " + file);
  return *vertex;
}

GraphQuestions load_graph(const InputOptions& options, bool needs_pair) {
  GraphQuestions questions;
  questions.graph = read_graph(read_text_file(options.graph), options.graph, options.undirected,
                               options.format.value());
  const bool source = given(options.source_option), target = given(options.target_option);
  if (given(options.words.batch_option)) {
    if (source || target) throw InputError("--batch is not allowed with --source and --target");
    const bool standard_input = options.words.batch == "-";
    const std::string file = standard_input ? "standard input" : options.words.batch;
    const std::string text = standard_input
                                 ? std::string(std::istreambuf_iterator<char>(std::cin), {})
                                 : read_text_file(options.words.batch);
    for (const auto& [from, to] : read_pairs(text, file)) {
      const std::string where = fmt::format("{}: pair {}", file, questions.pairs.size() + 1);
      questions.pairs.emplace_back(find_vertex(questions.graph, from, where, options.graph),
                                   find_vertex(questions.graph, to, where, options.graph));
    }
    return questions;
  }
  if (source != target || (needs_pair && !source))
    throw InputError(std::string("expected --source and --target") +
                     (options.words.batch_option ? ", or --batch with a file of pairs" : "") + "");
  if (source)
    questions.pairs.emplace_back(
        find_vertex(questions.graph, options.source, "--source", options.graph),
        find_vertex(questions.graph, options.target, "--target", options.graph));
  return questions;
}

CellRows load_cells(const InputOptions& options, const Model& model) {
  return parse_cells(read_text_file(options.cells), options.cells,
                     std::get<CellsInput>(model.input).names);
}

}  // namespace

void InputOptions::add_to(CLI::App& app, bool with_batch) {
  words.add_to(app, with_batch);
  graph_option = app.add_option("--graph", graph, kGraphFileDescription);
  format.add_to(app, graph_option);
  source_option = app.add_option("--source", source, "source vertex")->needs(graph_option);
  target_option = app.add_option("--target", target, "target vertex")->needs(graph_option);
  app.add_flag("--undirected", undirected, "treat the edges of the graph as undirected")
      ->needs(graph_option);
  cells_option = app.add_option(
      "--cells", cells,
      "raw input file: a line of cell names, then one line of exact values per token");
  divide_option =
      app.add_option(
             "--divide", dividend,
             "dividend A, for weights files of the division lemma; the input has A + 1 tokens")
          ->check(count_up_to(kLargestDividend));
  by_option = app.add_option("--by", divisor, "divisor")->check(kCount);
  divide_option->needs(by_option);
  by_option->needs(divide_option);
  for (CLI::Option* option : {words.input_option, words.tokens_option}) {
    graph_option->excludes(option);
    cells_option->excludes(option);
    divide_option->excludes(option);
  }
  cells_option->excludes(graph_option);
  divide_option->excludes(graph_option)->excludes(cells_option);
  if (words.batch_option) {
    words.batch_option->description(words.batch_option->get_description() +
                                    "; with --graph, one source and target per line");
    cells_option->excludes(words.batch_option);
    divide_option->excludes(words.batch_option);
  }
}

bool InputOptions::given() const {
  for (const CLI::Option* option : {words.input_option, words.tokens_option, words.batch_option,
                                    graph_option, cells_option, divide_option})
    if (logdepth::given(option)) return true;
  return false;
}

std::vector<std::string> InputOptions::files() const {
  return {words.batch, file_of(words.input), file_of(words.tokens), graph, cells};
}

Questions load_questions(const InputOptions& options, const Model& model) {
  check_kind(options, model);
  if (std::holds_alternative<GraphInput>(model.input)) return load_graph(options, true);
  if (given(options.divide_option))
    return DivisionQuestion{dividing_rows(model, options.dividend, options.divisor)};
  if (std::holds_alternative<CellsInput>(model.input)) return load_cells(options, model);
  return load_words(options.words, model.alphabet);
}

OneQuestion load_one(const InputOptions& options, const Model& model) {
  check_kind(options, model);
  if (std::holds_alternative<GraphInput>(model.input)) {
    const GraphQuestions questions = load_graph(options, !answers_all_pairs(model));
    std::optional<VertexPair> pair;
    if (!questions.pairs.empty()) pair = questions.pairs.front();
    const auto [source, target] = pair.value_or(VertexPair(0, 0));
    return {tokens_of(model, questions.graph, source, target), pair, questions.graph};
  }
  if (std::holds_alternative<CellsInput>(model.input)) {
    const CellRows rows = given(options.divide_option)
                              ? dividing_rows(model, options.dividend, options.divisor)
                              : load_cells(options, model);
    return {tokens_of(model, rows), std::nullopt};
  }
  const LetterNames word = load_words(options.words, model.alphabet).front();
  return {tokens_of(model, word), std::nullopt, std::nullopt, word};
}

}  // namespace logdepth::inline cli
