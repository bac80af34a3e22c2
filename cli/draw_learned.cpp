#include "cli/draw_learned.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/validators.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "learned/jobs/training_program.hpp"
#include "learned/word_problems/attention_figure.hpp"
#include "learned/word_problems/own_automaton.hpp"
#include "learned/word_problems/radix_circuit.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/automaton.hpp"
#include "objects/named_monoids.hpp"
#include "report/pictures/draw_attention.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
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
                                   const LetterNames& word) {
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

void check_output(const std::string& output, const std::string& run, const InputOptions& input) {
  if (!output.empty() && std::filesystem::path(output).extension() != ".svg")
    throw InputError(output + ": a picture of a trained network is written as .svg");
  std::vector<std::string> inputs = input.files();
  for (const char* file : {kRunConfigFile, kRecordFile, kWeightsFile})
    inputs.push_back(run + "/" + file);
  refuse_overwriting(output, inputs);
}

AttentionQuestion question_of(const LearnedDrawing& options, const LetterNames& word,
                              const std::vector<std::string>& letters) {
  AttentionQuestion question;
  const Alphabet alphabet(letters);
  for (const std::string& letter : word) question.word.push_back(*alphabet.find(letter));
  question.words = options.words;
  question.seed = options.seed;
  return question;
}

}  // namespace

void LearnedDrawing::add_to(CLI::App& app) {
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

int draw_learned(const LearnedDrawing& options, const InputOptions& input,
                 const std::string& output) {
  check_output(output, options.run, input);
  if (input.graph_option->count() + input.cells_option->count() > 0)
    throw InputError("--learned: expected a word, by --input or --tokens");
  const RunRecord record = read_run(options.run);
  const std::vector<std::string> letters = letters_of_run(record);
  const LetterNames word = load_words(input.words, letters).front();
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

  const ProgramOutput answer =
      output_of_training_program({options.run, "--inspect", kWordAttention, "--question",
                                  to_json(question_of(options, word, letters)).dump()});
  if (answer.status != kDone) return answer.status;  // it has said why itself
  const WordAttention attention =
      word_attention_from_json(nlohmann::ordered_json::parse(answer.text));
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
  const RadixCircuit radices = radix_circuit(attention.mean);
  if (options.json) {
    nlohmann::ordered_json named = to_json(circuit);
    named["radices"] = to_json(radices);
    named["words"] = options.words;
    named["seed"] = options.seed;
    std::cout << named.dump(1) << '\n';
  } else {
    std::cout << fmt::format("{}, on {} random words of {} letters, seed {}\n",
                             circuit_name(circuit), options.words, word.size(), options.seed)
              << circuit_text(circuit) << radix_text(radices);
    if (!task.edges.empty())
      std::cout << "imposed in training: the edges of radices " << radices_text(task.edges) << '\n';
  }
  return kDone;
}

}  // namespace logdepth::inline cli
