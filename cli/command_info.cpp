#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "compiler/difference/first_difference.hpp"
#include "compiler/file/carried_program.hpp"
#include "compiler/file/cell_names.hpp"
#include "compiler/file/checks_file.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "library/runs/engine.hpp"
#include "library/runs/run_answers.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth { inline namespace cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measures, initial, repeated, final, loops, depth, width,
                                   strict_width, cells, heads, units, nonzeros, numerator_bits,
                                   denominator_bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CellSheet, name, type, lifetime, coordinates, read_by,
                                   written_by, meaning)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckEntry, kind, against, bound, compared, result, limits)

namespace {

struct InfoOptions {
  std::string model;
  std::optional<std::uint64_t> at;
  bool json = false, precision = false, cells = false, program = false;
};

/// What the file takes, in words.
std::string input_text(const Input& input) {
  return std::visit(
      Overload{[](const WordInput& word) -> std::string {
                 if (word.begin && word.end) return "words between a beginning and an end token";
                 if (word.begin) return "words after a beginning token";
                 return word.end ? "words before an end token" : "words";
               },
               [](const CellsInput& cells) {
                 std::string text = "raw streams:";
                 for (const std::string& name : cells.names) text += " " + printable(name);
                 return text;
               },
               [](const GraphInput& graph) {
                 std::string text =
                     graph.layout == GraphInput::Layout::rows ? "graphs, one token per vertex"
                     : graph.padding == GraphPadding::n3
                         ? "graphs, their adjacency matrix and n^3 tokens of padding"
                     : graph.padding == GraphPadding::n3_minus_n2
                         ? "graphs, their adjacency matrix and n^3 - n^2 tokens of padding"
                         : "graphs, their adjacency matrix and n^4 - n^2 tokens of padding";
                 if (graph.size) text += fmt::format(", exactly {} vertices", *graph.size);
                 return text;
               }},
      input);
}

/// What the verdicts say; empty for a file that has none.
std::string verdict_text(const Model& model) {
  if (std::holds_alternative<RelationOutput>(model.output)) return "which vertex reaches which";
  if (!std::holds_alternative<AcceptOutput>(model.output)) return "";
  if (std::holds_alternative<GraphInput>(model.input))
    return "connected: the target can be reached from the source";
  const std::string* automaton = text_in(model.parameters, "automaton");
  if (automaton && automaton->starts_with("group "))
    return "accept: the product of the letters, the first acting first, is the identity";
  return "accept: the word is in the language";
}

/// How many states the file tells apart, where it reads the state after every prefix.
std::optional<std::uint32_t> states_read(const Model& model) {
  if (!reads_states(model)) return std::nullopt;
  return std::get<StateReadout>(std::get<AcceptOutput>(model.output).prefix).states;
}

/// Whether the file says what a word does to the points.
bool reads_products(const Model& model) {
  return std::holds_alternative<WordInput>(model.input) && reads_prefixes(model) &&
         !reads_states(model);
}

/// Why the one-letter words are not run: a model card is a matter of a moment, whatever the file
/// says of its loops. Empty where they are.
std::string why_not_run(const Model& model) {
  constexpr std::uint64_t kMostLayers = std::uint64_t{1} << 20;
  const std::uint64_t layers = depth_at(model, 1);
  if (!reads_products(model) ||
      layers <= kMostLayers / std::max<std::size_t>(model.alphabet.size(), 1))
    return "";
  return fmt::format("not tested: each word of one letter takes {} layers", layers);
}

/// What each letter does to the points, read from the file by running the one-letter words.
std::map<std::string, Transformation> letter_actions(const Model& model) {
  std::map<std::string, Transformation> actions;
  if (!reads_products(model) || !why_not_run(model).empty()) return actions;
  Runner runner(model);
  for (const std::string& letter : model.alphabet) {
    const auto stream = runner.run_word({letter});
    if (!stream.has_value()) continue;
    const auto product = runner.prefix(stream.value(), first_letter(runner.model()));
    if (product.has_value()) actions[letter] = std::get<Transformation>(product.value());
  }
  return actions;
}

void print_json(const InfoOptions& options, const Model& model, const std::string& hash,
                std::uint64_t n, const std::vector<CheckEntry>& checks) {
  nlohmann::json out = measure(model, n);
  out["schema"] = "logdepth/info/1";
  out["name"] = model.name;
  out["construction"] = model.construction;
  out["source"] = model.source;
  out["hypotheses"] = model.hypotheses;
  out["contradicted"] = nlohmann::json::array();
  for (const std::string& text : model.hypotheses)
    if (const auto against = contradiction(model, text))
      out["contradicted"].push_back({{"hypothesis", text}, {"by", *against}});
  out["deviations"] = model.deviations;
  out["parameters"] = nlohmann::json::object();
  for (const auto& [key, value] : model.parameters)
    out["parameters"][key] =
        std::visit(Overload{[](const std::string& text) { return nlohmann::json(text); },
                            [](const JsonText& json) { return nlohmann::json::parse(json.text); }},
                   value);
  out["input"] = input_text(model.input);
  if (const std::string verdict = verdict_text(model); !verdict.empty()) out["verdict"] = verdict;
  out["alphabet"] = model.alphabet;
  out["norm"] = norm_name(model.norm);
  out["depth_formula"] = depth_formula(model);
  out["at"] = n;
  if (model.unroll.max_length) out["max_length"] = *model.unroll.max_length;
  out["sha256"] = hash;
  out["generators"] = letter_actions(model);
  if (const std::string note = why_not_run(model); !note.empty()) out["generators_note"] = note;
  if (const auto states = states_read(model)) out["states"] = *states;
  if (const auto numbers = state_numbers(model)) {
    out["states"] = numbers->states;
    out["initial_state"] = numbers->initial;
    out["accepting_states"] = numbers->accepting;
    if (!numbers->names.empty()) out["state_names"] = numbers->names;
  }
  out["checks"] = checks;
  if (options.precision) {
    out["precision"] = nlohmann::json::array();
    for (const PrecisionSentence& sentence : precision_sentences(model))
      out["precision"].push_back({{"proved", sentence.proved}, {"text", sentence.text}});
  }
  if (options.cells) out["meanings"] = cell_meanings(model);
  std::cout << out.dump(1) << '\n';
}

/// States as the automaton's author calls them, up to twelve of them.
std::string state_text(const StateNumbers& numbers) {
  constexpr std::size_t kListed = 12;
  const auto name = [&](std::uint32_t state) {
    return std::to_string(state) +
           (numbers.names.empty() ? "" : " " + in_quotes(numbers.names[state]));
  };
  std::vector<std::string> accepting;
  for (const std::uint32_t state : numbers.accepting)
    if (accepting.size() < kListed) accepting.push_back(name(state));
  if (accepting.size() < numbers.accepting.size()) accepting.push_back("...");
  return fmt::format("{}, numbered from 0; initial {}; accepting {}", numbers.states,
                     name(numbers.initial), accepting.empty() ? "none" : joined(accepting));
}

std::string parts_text(const std::vector<std::string>& parts) {
  return parts.empty() ? "nothing" : joined(parts);
}

/// Cells that differ only in a last number, and in nothing that is said of them, are one entry.
void print_cells(const Model& model) {
  const std::vector<CellSheet> all = cell_meanings(model);
  if (all.empty()) {
    std::cout << "\nno cells: the weights file has no index of cells\n";
    return;
  }
  std::map<std::string, const CellSheet*> by_name;
  for (const CellSheet& cell : all) by_name[cell.name] = &cell;
  const auto alike = [](const CellSheet& a, const CellSheet& b) {
    return a.type == b.type && a.lifetime == b.lifetime && a.read_by == b.read_by &&
           a.written_by == b.written_by && a.meaning == b.meaning;
  };
  std::vector<std::vector<const CellSheet*>> entries;
  for (const CellFamily& family : CellNames(model).families())
    for (std::size_t i = 0; i < family.cells.size(); ++i) {
      const CellSheet* cell = by_name.at(family.cells[i]);
      if (i > 0 && alike(*entries.back().front(), *cell)) {
        entries.back().push_back(cell);
      } else {
        entries.push_back({cell});
      }
    }
  for (const auto& entry : entries) {
    std::vector<std::string> names;
    std::vector<std::uint32_t> coordinates;
    for (const CellSheet* cell : entry) {
      names.push_back(cell->name);
      coordinates.insert(coordinates.end(), cell->coordinates.begin(), cell->coordinates.end());
    }
    const CellSheet& first = *entry.front();
    std::cout << '\n'
              << printable(group_families(names).front().text, kMostPrinted) << ": "
              << printable(first.meaning, kMostPrinted) << '\n'
              << "  type          " << first.type << ", " << first.lifetime << '\n'
              << "  coordinates   " << number_ranges(coordinates, 8) << '\n'
              << "  read by       " << printable(parts_text(first.read_by), kMostPrinted) << '\n'
              << "  written by    " << printable(parts_text(first.written_by), kMostPrinted)
              << '\n';
  }
}

void print_text(const InfoOptions& options, const Model& model, const std::string& hash,
                std::uint64_t n, const std::vector<CheckEntry>& checks) {
  const Measures m = measure(model, n);
  const auto line = [](const std::string& key, const std::string& value) {
    const std::string name = printable(key);
    std::cout << name << std::string(name.size() < 14 ? 14 - name.size() : 1, ' ')
              << printable(value, kMostPrinted) << '\n';
  };
  line("name", model.name);
  const bool both = !model.construction.empty() && !model.source.empty();
  if (const std::string text = model.construction + (both ? ", " : "") + model.source;
      !text.empty())
    line("construction", text);
  for (const std::string& text : model.hypotheses) {
    const auto against = contradiction(model, text);
    line(against ? "contradicted" : "hypothesis", text + (against ? ": " + *against : ""));
  }
  for (const std::string& text : model.deviations) line("deviation", text);
  for (const auto& [key, value] : model.parameters) line(key, member_text(value));
  line("input", input_text(model.input));
  if (const std::string verdict = verdict_text(model); !verdict.empty()) line("verdict", verdict);
  if (const auto states = states_read(model))
    line("prefixes", fmt::format("the state after every letter, one of {}", *states));
  if (const auto numbers = state_numbers(model)) line("states", state_text(*numbers));
  line("norm", norm_name(model.norm));
  line("shape", fmt::format("({}, {}, {})", m.initial, m.repeated, m.final));
  const auto limit = largest_size(model);
  const auto* graph = std::get_if<GraphInput>(&model.input);
  const std::string beyond =
      limit && n > *limit ? ", more than this network supports"
      : graph && graph->size && n < *graph->size
          ? fmt::format(", with the graph padded to {} vertices", *graph->size)
          : "";
  line("depth", fmt::format("{}; at n = {}: {} ({}){}", depth_formula(model), n, m.depth,
                            counted(m.loops, "loop"), beyond));
  if (model.unroll.max_length)
    line("max_length", fmt::format("{}; longer inputs are rejected", *model.unroll.max_length));
  line("width", fmt::format("{} (strict {}), {} used", m.width, m.strict_width, m.cells));
  line("heads", std::to_string(m.heads));
  line("hidden units", std::to_string(m.units));
  line("nonzeros", fmt::format("{}, numerators of at most {} bits, denominators {}", m.nonzeros,
                               m.numerator_bits, m.denominator_bits));
  std::size_t shown = 0;
  for (const auto& [letter, action] : letter_actions(model)) {
    const std::string images = format_transformation(action);
    if (++shown > 12 || images.size() > 200) {
      line("letters",
           fmt::format("{} in total; --json lists their actions", model.alphabet.size()));
      break;
    }
    line("letter " + letter, images);
  }
  if (const std::string note = why_not_run(model); !note.empty()) line("letters", note);
  line("sha256", hash);
  if (checks.empty()) line("checks", "none recorded; logdepth test adds one");
  for (const CheckEntry& check : checks)
    if (check.kind == "certified" || check.kind == "proved")
      line(check.kind, check.bound + ", " + check.against);
    else if (check.kind == "selections")
      line(check.kind,
           check.bound + ", " + check.against + "; what the outputs compute is not certified");
    else
      line(check.kind, check.against + ": " + check.result + " (" + check.bound +
                           (check.compared.empty() ? "" : "; " + check.compared) + ")");
  if (options.precision)
    for (const PrecisionSentence& sentence : precision_sentences(model))
      line(sentence.proved ? "proved" : "not proved", sentence.text);
  if (options.cells) print_cells(model);
}

}  // namespace

Command add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info",
                         "print the model card of a weights file: what it computes, its size, its "
                         "recorded tests\nExample: logdepth info a5.json --at 1024");
  command->add_option("MODEL", options->model, "weights file")->required();
  add_optional(*command, "--at", options->at,
               "input size at which the depth is evaluated: letters, vertices or raw tokens")
      ->check(kCount);
  command->add_flag("--precision", options->precision,
                    "also print the proved and unproved bounds for floating-point runs: score "
                    "gaps, distances from zero");
  command->add_flag("--cells", options->cells,
                    "also print every cell: its meaning, its coordinates in the residual stream, "
                    "the heads and other parts that read and write it");
  CLI::Option* json = command->add_flag("--json", options->json, "print one JSON object");
  command
      ->add_flag("--program", options->program,
                 "print the embedded program in the text form, and nothing else")
      ->excludes(json);
  add_run_limits(*command);
  return [options] {
    const CheckedModel model = read_weights(options->model);
    if (options->program) {
      std::cout << print_program(carried_by(model));
      return int{kDone};
    }
    const std::string hash = weights_hash(model);
    const std::uint64_t n = options->at.value_or(largest_size(model).value_or(1024));
    const auto print = options->json ? print_json : print_text;
    print(*options, model, hash, n, read_checks(options->model, hash));
    return int{kDone};
  };
}

namespace {

struct DiffArguments {
  std::string model, program;
  DiffSettings request;
  InputOptions input;
  bool json = false;
};

int diff(const DiffArguments& options) {
  DiffSettings request = options.request;
  if (!options.program.empty()) request.program.emplace(read_program(options.program));
  require_consistent(request);
  // A program is compiled on the spot; a weights file is compared with the program it carries, or
  // with the one that --program names.
  const bool exact = request.engine == "exact";
  Model model;
  if (options.model.ends_with(".cells")) {
    const Program program =
        request.program ? request.program->program() : read_program(options.model);
    model = compile(program).model;
    if (exact) request.program.emplace(program);
  } else {
    model = read_weights(options.model);
  }
  const OneQuestion question = load_one(options.input, model);
  const auto outcome = difference_of(request, model, question.tokens);
  nlohmann::json out = {{"schema", "logdepth/diff/1"}, {"model", model.name}};
  if (!outcome.has_value()) {
    out["refused"] = describe(outcome.refusal());
    if (options.json) std::cout << out.dump(1) << '\n';
    std::cerr << "logdepth: " << printable(describe(outcome.refusal()), kMostPrinted) << '\n';
    return kNotDecided;
  }
  const auto& difference = outcome.value();
  out["equal"] = !difference;
  if (difference) {
    out["difference"] = {{"layer", difference->layer},       {"sublayer", difference->sublayer},
                         {"token", difference->token},       {"cell", difference->cell},
                         {"expected", difference->expected}, {"got", difference->found}};
  }
  if (options.json) {
    std::cout << out.dump(1) << '\n';
  } else if (!difference) {
    std::cout << (exact
                      ? "equal: every cell of every token after every sublayer, and every output\n"
                      : "equal up to rounding: every number of every token after every sublayer "
                        "is within its error bound of the exact one\n");
  } else {
    std::cout << "first difference: " << printable(describe(*difference), kMostPrinted) << '\n';
  }
  return difference ? kCheckFailed : kDone;
}

}  // namespace

Command add_diff(CLI::App& app) {
  auto options = std::make_shared<DiffArguments>();
  DiffSettings& request = options->request;
  CLI::App* command = app.add_subcommand(
      "diff",
      "find the first value where a network differs from its program, or a floating-point run from "
      "the exact run\nExample: logdepth diff abb.json --input aabb");
  command
      ->add_option("MODEL", options->model,
                   "weights file with an index of cells, or a program (.cells)")
      ->required();
  command->add_option(
      "--program", options->program,
      "program to compare with (default: the program embedded in the weights file)");
  options->input.add_to(*command, false);
  command
      ->add_option("--engine", request.engine,
                   "exact: compare with the program; float64, float32, mpfr:BITS: compare a run in "
                   "this arithmetic with the exact run")
      ->capture_default_str();
  add_optional(*command, "--rule", request.rule,
               "ties and zeros in floating point: equal numbers (plain), or numbers that "
               "differ by less than their error bounds (bounded)")
      ->check(choice_of(kDiffRules))
      ->default_str("plain");
  add_optional(*command, "--scores", request.scores,
               "scores: q.k (product), or -|q - k|^2 / 2 if all keys have the same norm (distance)")
      ->check(choice_of(kDiffScores))
      ->default_str("product");
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] { return diff(*options); };
}

}}  // namespace logdepth::cli
