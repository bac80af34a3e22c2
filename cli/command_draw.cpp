#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "learned/jobs/training_jobs.hpp"
#include "learned/word_problems/labelling.hpp"
#include "learned/word_problems/prefix_circuit.hpp"
#include "learned/word_problems/word_attention.hpp"
#include "learned/word_problems/word_task.hpp"
#include "library/exports/write_export.hpp"
#include "library/requests/automaton_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/automaton_files.hpp"
#include "objects/graph_files.hpp"
#include "objects/named_monoids.hpp"
#include "report/pictures/circuit_cards.hpp"
#include "report/pictures/draw_attention.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// What the run was trained on, where it is a monoid or an automaton.
std::optional<Action> action_of(const RunRecord& record) {
  const auto& task = record.config.task.as<WordTaskConfig>();
  if (task.asks_products()) return named_monoid(task.monoid, task.named_letters());
  if (!record.result.contains("automaton")) return std::nullopt;
  const std::optional<Dfa> automaton = automaton_from_json(record.result["automaton"]);
  return automaton ? std::optional(to_action(*automaton)) : std::nullopt;
}

/// The compiled scan of the same problem on the same word.
Outcome<TokenBands> compiled_bands(const Action& action, const std::string& problem,
                                   const Letters& word) {
  const Model model =
      with_derived(compile(regular_language_scan_MS25_thm4_1(action, "compiled: " + problem)));
  Runner runner(model);
  const auto tokens = tokens_of(model, word);
  if (!tokens.has_value()) return tokens.refusal();
  auto bands = attention_bands(runner, tokens.value());
  if (!bands.has_value()) return bands.refusal();
  TokenBands products = std::move(bands).value();
  products.verdict = {};  // a trained network gives products only
  return products;
}

/// `draw --learned RUN`: the circuit that a trained network of word problems has found.
struct LearnedDrawing {
  std::string run;
  std::uint32_t words = 64;
  std::uint64_t seed = 1;
  bool json = false;
  CLI::Option* given = nullptr;

  void add_to(CLI::App& app) {
    given = app.add_option("--learned", run,
                           "folder of a training run on word problems, instead of MODEL: draw its "
                           "attention next to the compiled scan, and name its prefix circuit");
    app.add_option("--words", words, "number of random words that name the circuit of --learned")
        ->check(CLI::Range(1U, 1000000U))
        ->capture_default_str()
        ->needs(given);
    app.add_option("--seed", seed, "seed of these words")
        ->check(kCount)
        ->capture_default_str()
        ->needs(given);
    app.add_flag("--json", json, "print one JSON object")->needs(given);
  }
};

/// Names the circuit on standard output; `output`: the picture, empty: none. The exit status.
int draw_learned(const LearnedDrawing& options, const InputOptions& input,
                 const std::string& output) {
  if (!output.empty() && std::filesystem::path(output).extension() != ".svg")
    throw InputError(output + ": a picture of a trained network is written as .svg");
  std::vector<std::string> inputs = input.files();
  for (const char* file : {kRunConfigFile, kRecordFile, kWeightsFile})
    inputs.push_back(options.run + "/" + file);
  refuse_overwriting(output, inputs);
  if (input.graph_option->count() + input.cells_option->count() > 0)
    throw InputError("--learned: expected a word, by --input or --tokens");
  const RunRecord record = read_run(options.run);
  const std::vector<std::string> letters = letters_of_run(record);
  const Letters word = load_words(input, letters).front();
  const auto& task = record.config.task.as<WordTaskConfig>();
  const std::string problem = task.monoid.empty() ? record.result.value("monoid", "") : task.monoid;
  const std::optional<Action> action = action_of(record);
  if (!output.empty() && !action)
    throw InputError(output +
                     ": expected a run of a monoid or an automaton, whose compiled scan is "
                     "drawn, found one of " +
                     (task.crasp.empty() ? "words of a file" : "a C-RASP program") +
                     "; without -o its circuit is named");
  const std::uint32_t most = most_looked_at(task);
  if (word.size() < 2 || word.size() > most)
    throw InputError(fmt::format("the word: expected 2 to {} letters{}, found {}", most,
                                 most < kMostLookedAt ? " (the positions of the network)" : "",
                                 word.size()));

  AttentionQuestion question{{}, options.words, options.seed};
  const Alphabet alphabet(letters);
  for (const std::string& letter : word) question.word.push_back(*alphabet.find(letter));
  const ProgramOutput answer = output_of_training_program(
      {options.run, "--inspect", kWordAttention, "--question", to_json(question).dump()});
  if (answer.status != kDone) return answer.status;  // it has said why itself
  const auto attention = nlohmann::json::parse(answer.text).get<WordAttention>();
  const PrefixCircuit circuit = prefix_circuit(attention.mean);

  if (!output.empty()) {
    const auto compiled = compiled_bands(*action, problem, word);
    if (!compiled.has_value()) {
      std::cerr << "logdepth: " << describe(compiled.refusal()) << "; no picture was written\n";
      return kNotDecided;
    }
    write_whole_file(output,
                     strips_svg(token_bands_picture(
                         {learned_bands(record, word, attention, circuit), compiled.value()},
                         "learned and compiled attention of " + problem)));
    std::cerr << "wrote " << output << '\n';
  }
  if (options.json) {
    nlohmann::ordered_json named = to_json(circuit);
    named["words"] = options.words;
    named["seed"] = options.seed;
    std::cout << named.dump(1) << '\n';
  } else {
    std::cout << fmt::format("{}, on {} random words of {} letters, seed {}\n",
                             circuit_name(circuit), options.words, word.size(), options.seed)
              << circuit_text(circuit);
    if (!task.edges.empty())
      std::cout << "imposed in training: the edges of radices " << radices_text(task.edges) << '\n';
  }
  return kDone;
}

struct DrawArguments {
  std::string model, program, output;
  InputOptions input;
  OracleOptions oracle;
  LearnedDrawing learned;
};

int draw(DrawArguments& options) {
  if (options.model.empty() == options.learned.given->empty())
    throw InputError("expected either MODEL, a weights file, or --learned RUN");
  if (!options.learned.given->empty())
    return draw_learned(options.learned, options.input, options.output);
  if (options.output.empty()) throw InputError("--output: expected the name of the picture");
  auto inputs = options.input.files();
  inputs.insert(inputs.end(), {options.model, options.program});
  refuse_overwriting(options.output, inputs);
  const Model model = read_weights(options.model);
  std::string said;
  if (!options.input.given()) {
    if (options.oracle.given() || !options.program.empty())
      throw InputError("--against and --program require an input");
    said = save_circuit(model, circuit_cards(model), options.output);
  } else {
    const OneQuestion question = load_one(options.input, model);
    ReviewRequest request;
    if (options.oracle.given()) request.oracle = options.oracle.request();
    if (!options.program.empty()) request.program = read_program(options.program);
    const RunReview review = review_of(request, model, question, [](const std::string& note) {
      std::cerr << "logdepth: " << printable(note, kMostPrinted) << '\n';
    });
    const RunDrawing drawing =
        draw_run(model, question.tokens, question.graph, question.pair, review);
    if (!drawing.note.empty())
      std::cerr << "logdepth: " << printable(drawing.note, kMostPrinted)
                << "; drawing the attention instead\n";
    if (!drawing.picture.has_value()) {
      std::cerr << "logdepth: " << printable(describe(drawing.picture.refusal()), kMostPrinted)
                << "; no picture was written\n";
      return kNotDecided;
    }
    save_run(model, drawing.picture.value(), drawing.together, options.output);
  }
  std::cerr << "wrote " << options.output << (said.empty() ? "" : ": ") << said << '\n';
  return kDone;
}

}  // namespace

Command add_draw(CLI::App& app) {
  auto options = std::make_shared<DrawArguments>();
  CLI::App* command = app.add_subcommand(
      "draw",
      "draw the circuit of a weights file; for a word, the attention per layer or the pointers per "
      "iteration; for a graph, the reachable vertices per iteration\nExample: logdepth draw "
      "a5.json -o a5.svg && logdepth draw "
      "a5.json --input abab -o abab.svg");
  command->add_option("MODEL", options->model, "weights file");
  options->learned.add_to(*command);
  options->input.add_to(*command, false);
  options->oracle.add_to(*command,
                         "test oracle (as in test), or program. Differences are drawn in red: "
                         "answers and prefix products that differ from the oracle, and the first "
                         "value that differs from the embedded program");
  command->add_option(
      "--program", options->program,
      "program (.cells) to compare the run with (default with --against: the embedded program)");
  command
      ->add_option("-o,--output", options->output,
                   "picture to write: .svg, .html, .pdf or .png; "
                   "optional with --learned (.svg)")
      ->check(kInAFolder);
  add_run_limits(*command);
  return [options] { return draw(*options); };
}

namespace {

struct ExportArguments {
  std::string model, target, output, precision = "float64", temperature = "auto", norms;
  ExportSettings settings;
  bool json = false;
};

const std::map<std::string, ExportTarget> kTargets = {
    {"torch", ExportTarget::torch},
    {"safetensors", ExportTarget::safetensors},
    {"onnx", ExportTarget::onnx},
    {"transformer-lens", ExportTarget::transformer_lens},
    {"circuit", ExportTarget::circuit}};

int export_model(ExportArguments& options, const CLI::App& command) {
  refuse_overwriting(options.output, {options.model});
  const bool circuit = options.target == "circuit";
  for (const auto& [option, of_circuit] :
       {std::pair("--pairs", true), std::pair("--norms", true), std::pair("--temperature", false),
        std::pair("--precision", false), std::pair("--certify", false)})
    if (command.count(option) > 0 && circuit != of_circuit)
      throw InputError(fmt::format("{}: not of --to {}", option, options.target));
  ExportSettings settings = options.settings;
  settings.file_norms = options.norms == "file";
  settings.target = kTargets.at(options.target);
  settings.single = options.precision == "float32";
  read_temperature(options.temperature, settings);
  const Model model = read_weights(options.model);
  const ExportReport report = exports::write_export(model, settings, options.output);
  std::cerr << "wrote " << options.output << ": " << report.text << '\n';
  nlohmann::json summary = {{"schema", "logdepth/export/1"},
                            {"target", options.target},
                            {"length", settings.length},
                            {"tokens", report.tokens},
                            {"loops", report.loops}};
  if (!circuit)
    summary.update({{"precision", options.precision},
                    {"temperature", report.temperature},
                    {"inputs", report.inputs},
                    {"answers", report.answers},
                    {"separated", report.separated},
                    {"certified", report.certified}});
  if (options.json) std::cout << summary.dump(2) << '\n';
  return kDone;
}

}  // namespace

Command add_export(CLI::App& app) {
  auto options = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand(
      "export",
      "export a network in floating point to other programs, after a self-test against the exact "
      "run\nExample: logdepth export a5.json --to torch --length 32 -o a5");
  command->add_option("MODEL", options->model, "weights file")->required();
  command
      ->add_option(
          "--to", options->target,
          "target; torch, safetensors, transformer-lens and circuit write a folder, onnx a file")
      ->required()
      ->check(choice_of({"torch", "safetensors", "onnx", "transformer-lens", "circuit"}));
  command
      ->add_option("--length", options->settings.length,
                   "largest input size: letters, vertices or raw tokens")
      ->required()
      ->check(kSmallCount);
  command->add_option("--temperature", options->temperature,
                      "softmax temperature: a number, auto (default; from the proved score gaps), "
                      "tested (least power of two that passes the self-test, or with --certify at "
                      "which every answer is certified), or hard (averaging-hard attention)");
  command->add_option("--precision", options->precision, "number format (default: float64)")
      ->check(choice_of({"float64", "float32"}));
  command->add_option("--seed", options->settings.seed, "seed of the self-test (default: 1)")
      ->check(kCount);
  command->add_flag("--json", options->json, "print a summary as JSON on standard output");
  command->add_option("-o,--output", options->output, "folder to write; for onnx a file")
      ->required();
  command->add_flag("--certify", options->settings.certify,
                    "write bounds that hold for every word up to the length, certificate.json, for "
                    "float_recheck.py");
  command
      ->add_option(
          "--pairs", options->settings.pairs,
          "circuit: pairs of words that differ in one letter and in the verdict (default: 64)")
      ->check(kCount);
  command
      ->add_option(
          "--norms", options->norms,
          "circuit: exported (default; a scale that is proved is constant) or file (every norm "
          "is computed)")
      ->check(choice_of({"exported", "file"}));
  add_run_limits(*command);
  return [options, command] { return export_model(*options, *command); };
}

namespace {

struct ConvertOptions {
  AutomatonOptions automaton;
  std::string graph, output;
  std::optional<std::string> format;
  bool minimal = false, undirected = false;
};

/// What was written, for people.
std::string convert_graph(const ConvertOptions& options) {
  const Graph graph =
      read_graph(read_text_file(options.graph), options.graph, options.undirected, options.format);
  write_whole_file(options.output, write_graph(graph, options.output));
  for (const std::string& note : graph.notes) std::cerr << note << '\n';
  return fmt::format("{} and {}", counted(graph.size(), "vertex", "vertices"),
                     counted(graph.edge_count(), "edge"));
}

std::string convert_automaton(const ConvertOptions& options) {
  std::optional<Nfa> nfa;
  if (!options.minimal) nfa = given_automaton(options.automaton.source);
  const bool minimal = !nfa;
  if (minimal) {
    const LoadedAutomaton loaded = load_automaton(options.automaton.source);
    nfa = loaded.minimal_to_write();
    nfa->notes = loaded.notes;
  }
  write_whole_file(options.output, write_automaton(*nfa, options.output));
  for (const std::string& note : nfa->notes) std::cerr << note << '\n';
  return fmt::format("the {}automaton, {}", minimal ? "minimal " : "",
                     counted(nfa->states(), "state"));
}

int convert(const ConvertOptions& options) {
  const bool graph = !options.graph.empty();
  if (graph == names_automaton(options.automaton.source))
    throw InputError(graph ? "expected --graph or an option that names an automaton, found both"
                           : "expected --graph or an option that names an automaton");
  if (graph && options.minimal) throw InputError("--minimal requires an automaton");
  std::vector<std::string> inputs = files_of(options.automaton.source);
  inputs.push_back(options.graph);
  refuse_overwriting(options.output, inputs);
  const std::string written = graph ? convert_graph(options) : convert_automaton(options);
  std::cerr << "wrote " << options.output << ": " << written << '\n';
  return kDone;
}

}  // namespace

Command add_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert",
                         "write an automaton or a graph in another format\n"
                         "Example: logdepth convert --jff ends_in_abb.jff -o ends_in_abb.mata");
  options->automaton.add_to(*command);
  CLI::Option* graph = command->add_option("--graph", options->graph, kGraphFileDescription);
  add_graph_format(*command, graph, options->format);
  command
      ->add_flag("--undirected", options->undirected, "treat the edges of the graph as undirected")
      ->needs(graph);
  command->add_flag("--minimal", options->minimal,
                    "write the minimal deterministic automaton instead of the given one");
  command
      ->add_option("-o,--output", options->output,
                   "file to write; automata: .fst, .dot, .jff, .mata, .json; graphs: .edges, .txt, "
                   ".dot, .graphml, .gr, .col, .mtx, .json")
      ->required()
      ->check(kInAFolder);
  return [options] { return convert(*options); };
}

}}  // namespace logdepth::cli
