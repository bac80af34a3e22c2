#include "cli/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "compiler/program/program.hpp"
#include "library/requests/compile_request.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/graph_files.hpp"
#include "objects/text_format.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace cli {

void AutomatonOptions::add_to(CLI::App& app) {
  auto* one_of = app.add_option_group("automaton", "Language (one of these options)");
  const auto add_file = [](CLI::App& to, const std::string& name, std::optional<SourceFile>& file,
                           const std::string& description) {
    return to.add_option_function<std::string>(
        name, [&file](const std::string& path) { file = path; }, description);
  };
  std::vector<CLI::Option*> sources = {
      add_optional(*one_of, "--regex", source.regex, "regular expression, such as (a|b)*abb")};
  for (const AutomatonFile& kind : automaton_files())
    sources.push_back(add_file(*one_of, kind.option, source.*kind.file, kind.description));
  sources.push_back(add_optional(*one_of, "--group", source.group,
                                 "word problem of a named group or monoid: Z6, S3, A5, D4, Q8, "
                                 "flipflop, A4_x_Z5, ..."));
  for (CLI::Option* option : sources)
    for (CLI::Option* other : sources)
      if (option != other) option->excludes(other);
  options.assign(sources.begin(), sources.end());
  options.push_back(app.add_option_function<std::string>(
      "--alphabet", [this](const std::string& text) { source.alphabet = split_letters(text); },
      "alphabet in order: abc, or open,close"));
  options.push_back(add_file(app, "--symbols", source.symbols, "OpenFst symbols file for --fst"));
  options.push_back(add_optional(app, "--letters", source.letters,
                                 "letters of --group: generators or all elements")
                        ->check(choice_of(kGroupLetters)));
}

void OracleOptions::add_to(CLI::App& app, const std::string& description) {
  against_option = app.add_option("--against", against, description);
  automaton.add_to(app);
}

std::string OracleOptions::as_typed() const {
  std::vector<const CLI::Option*> all = {against_option};
  all.insert(all.end(), automaton.options.begin(), automaton.options.end());
  std::string text;
  for (const CLI::Option* option : all)
    for (const std::string& value : option->results())
      text += (text.empty() ? "" : " ") + option->get_name() + " " + shell_word(value);
  return text;
}

void read_temperature(const std::string& text, ExportSettings& settings) {
  if (text == "auto") return;
  if (text == "hard" || text == "tested") {
    settings.attention = text == "hard" ? ExportAttention::hard : ExportAttention::tested;
    return;
  }
  settings.attention = ExportAttention::temperature;
  settings.temperature = finite_number(text).value_or(0);
  require(
      settings.temperature > 0,
      "--temperature: expected auto, tested, hard or a number above 0, found " + in_quotes(text));
}

void add_graph_format(CLI::App& app, CLI::Option* graph, std::optional<std::string>& format) {
  add_optional(app, "--format", format,
               "format of the graph file; decides over its name and content")
      ->check(choice_of(graph_format_options()))
      ->needs(graph);
}

Program read_program(const std::string& file) {
  return parse_program(read_text_file(file), file);
}

namespace {

constexpr std::uint64_t kMostMemory = 65536;       // GiB
constexpr std::uint64_t kMostSeconds = 100000000;  // three years
constexpr double kGibibyte = std::size_t{1} << 30;

}  // namespace

void add_run_limits(CLI::App& command) {
  command
      .add_option_function<double>(
          "--memory", [](double gib) { set_run_memory(static_cast<std::size_t>(gib * kGibibyte)); },
          "memory limit of exact runs in GiB; an input that needs more ends with exit status 3")
      ->check(amount_up_to(kMostMemory, "GiB", "GIB"))
      ->default_str(fmt::format("{}", kRunMemory >> 30));
  add_time_limit(command, amount_up_to(kMostSeconds, "seconds", "SECONDS"));
}

Progress::~Progress() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void Progress::operator()(std::size_t done, std::size_t total) {
  if (!terminal_ || done == 0) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> elapsed = now - start_;
  const std::chrono::duration<double> since = now - last_;
  if (elapsed.count() < 1 || since.count() < 0.1) return;
  last_ = now;
  shown_ = true;
  const double rate = static_cast<double>(done) / elapsed.count();
  std::fprintf(stderr, "\r\033[K%s: %zu of %zu %s, %.0f s, %.1f/s, %.0f s left", what_.c_str(),
               done, total, unit_.c_str(), elapsed.count(), rate,
               static_cast<double>(total - done) / rate);
  std::fflush(stderr);
}

namespace {

/// What an error is about: FILE for "@FILE", else the option.
std::string place_of(const char* option, const std::string& text) {
  return text.starts_with('@') ? file_of(text) : option;
}

/// The text itself, or the content of FILE for "@FILE".
std::string text_or_file(const std::string& text) {
  return text.starts_with('@') ? read_text_file(file_of(text)) : text;
}

/// What --batch names, and its text.
std::pair<std::string, std::string> batch_of(const InputOptions& options) {
  if (options.batch == "-") return {"standard input", read_standard_input()};
  return {options.batch, read_text_file(options.batch)};
}

bool given(const CLI::Option* option) {
  return option && option->count() > 0;
}

/// Refuses options that are made for other models than this one.
void check_kind(const InputOptions& options, const Model& model) {
  const bool words = given(options.input_option) || given(options.tokens_option) ||
                     (given(options.batch_option) && !given(options.graph_option));
  const bool graph = given(options.graph_option);
  const bool cells = given(options.cells_option) || given(options.divide_option);
  const bool batch = options.batch_option != nullptr;
  std::string option;
  for (const CLI::Option* known : options.options())
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
  questions.graph =
      read_graph(read_text_file(options.graph), options.graph, options.undirected, options.format);
  for (const std::string& note : questions.graph.notes) std::cerr << note << '\n';
  const bool source = given(options.source_option), target = given(options.target_option);
  if (given(options.batch_option)) {
    if (source || target) throw InputError("--batch is not allowed with --source and --target");
    const auto [file, text] = batch_of(options);
    for (const auto& [from, to] : read_pairs(text, file)) {
      const std::string where = fmt::format("{}: pair {}", file, questions.pairs.size() + 1);
      questions.pairs.emplace_back(find_vertex(questions.graph, from, where, options.graph),
                                   find_vertex(questions.graph, to, where, options.graph));
    }
    return questions;
  }
  if (source != target || (needs_pair && !source))
    throw InputError(std::string("expected --source and --target") +
                     (options.batch_option ? ", or --batch with a file of pairs" : ""));
  if (source)
    questions.pairs.emplace_back(
        find_vertex(questions.graph, options.source, "--source", options.graph),
        find_vertex(questions.graph, options.target, "--target", options.graph));
  return questions;
}

StreamQuestion load_streams(const InputOptions& options, const Model& model) {
  if (given(options.divide_option))
    return {dividing_rows(model, options.dividend, options.divisor), true};
  return {parse_cells(read_text_file(options.cells), options.cells,
                      std::get<CellsInput>(model.input).names)};
}

}  // namespace

std::string file_of(const std::string& text) {
  return text.starts_with('@') ? text.substr(1) : std::string();
}

std::vector<Letters> load_words(const InputOptions& options,
                                const std::vector<std::string>& letters) {
  const Alphabet alphabet(letters);
  const auto located = [](const std::string& where, auto parse) {
    try {
      return parse();
    } catch (const InputError& error) {
      throw InputError(where + ": " + error.what());
    }
  };
  if (options.batch_option && options.batch_option->count() > 0) {
    const auto [source, text] = batch_of(options);
    std::vector<Letters> words;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      const std::string line = text.substr(start, end - start);
      if (line.find('\r') < line.size() - 1)
        throw InputError(
            fmt::format("{}:{}: expected one word, found a carriage return inside the line", source,
                        words.size() + 1));
      words.push_back(located(fmt::format("{}:{}", source, words.size() + 1),
                              [&] { return letters_of(alphabet.parse_word(line), alphabet); }));
      start = end + 1;
    }
    return words;
  }
  if (options.tokens_option->count() > 0) {
    const std::string text = text_or_file(options.tokens);
    return {located(place_of("--tokens", options.tokens),
                    [&] { return letters_of(alphabet.parse_tokens(text), alphabet); })};
  }
  if (options.input_option->count() > 0) {
    const std::string text = text_or_file(options.input);
    return {located(place_of("--input", options.input),
                    [&] { return letters_of(alphabet.parse_word(text), alphabet); })};
  }
  throw InputError(options.batch_option
                       ? "expected one of --input, --tokens, --batch to give the words"
                       : "expected --input or --tokens to give a word");
}

void InputOptions::add_to(CLI::App& app, bool with_batch) {
  input_option = app.add_option("--input", input,
                                "word, without separators if every letter is one character; or "
                                "@FILE, a file with one word, whose white space is ignored")
                     ->allow_extra_args(false);
  tokens_option =
      app.add_option("--tokens", tokens, "word, its letters separated by white space; or @FILE");
  input_option->excludes(tokens_option);
  if (with_batch) {
    batch_option = app.add_option(
        "--batch", batch,
        "file of words, one per line (an empty line is the empty word); - reads standard input; "
        "with --graph, one source and target per line");
    batch_option->excludes(input_option)->excludes(tokens_option);
  }
  graph_option = app.add_option("--graph", graph, kGraphFileDescription);
  add_graph_format(app, graph_option, format);
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
  for (CLI::Option* option : {input_option, tokens_option}) {
    graph_option->excludes(option);
    cells_option->excludes(option);
    divide_option->excludes(option);
  }
  cells_option->excludes(graph_option);
  divide_option->excludes(graph_option)->excludes(cells_option);
  if (batch_option) {
    cells_option->excludes(batch_option);
    divide_option->excludes(batch_option);
  }
}

std::vector<const CLI::Option*> InputOptions::options() const {
  return {input_option, tokens_option, graph_option, cells_option, divide_option, batch_option};
}

bool InputOptions::given() const {
  return std::ranges::any_of(options(), logdepth::given);
}

std::vector<std::string> InputOptions::files() const {
  return {batch, file_of(input), file_of(tokens), graph, cells};
}

Questions load_questions(const InputOptions& options, const Model& model) {
  check_kind(options, model);
  if (std::holds_alternative<GraphInput>(model.input)) return load_graph(options, true);
  if (std::holds_alternative<CellsInput>(model.input)) return load_streams(options, model);
  return load_words(options, model.alphabet);
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
  if (std::holds_alternative<CellsInput>(model.input))
    return {tokens_of(model, load_streams(options, model).rows), std::nullopt};
  const Letters word = load_words(options, model.alphabet).front();
  return {tokens_of(model, word), std::nullopt, std::nullopt, word};
}

}}  // namespace logdepth::cli
