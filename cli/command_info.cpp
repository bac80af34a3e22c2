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
#include "cli/run_limits.hpp"
#include "cli/validators.hpp"
#include "compiler/file/checks_file.hpp"
#include "compiler/file/contradicted_hypotheses.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/file/proved_precision.hpp"
#include "objects/action.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline cli {
namespace {

struct InfoOptions {
  std::string model;
  std::uint64_t at = 0;
  CLI::Option* at_option = nullptr;
  bool json = false, precision = false;
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
    const auto product = runner.prefix(stream.value(), runner.first_letter());
    if (product.has_value()) actions[letter] = std::get<Transformation>(product.value());
  }
  return actions;
}

nlohmann::json to_json(const Measures& m) {
  return {{"initial", m.initial},
          {"repeated", m.repeated},
          {"final", m.final},
          {"loops", m.loops},
          {"depth", m.depth},
          {"width", m.width},
          {"strict_width", m.strict_width},
          {"cells", m.cells},
          {"heads", m.heads},
          {"units", m.units},
          {"nonzeros", m.nonzeros},
          {"numerator_bits", m.numerator_bits},
          {"denominator_bits", m.denominator_bits}};
}

void print_json(const Model& model, const std::string& hash, std::uint64_t n,
                const std::vector<CheckEntry>& checks, bool precision) {
  nlohmann::json out = to_json(measure(model, n));
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
  out["checks"] = nlohmann::json::array();
  for (const CheckEntry& check : checks)
    out["checks"].push_back({{"kind", check.kind},
                             {"against", check.against},
                             {"bound", check.bound},
                             {"compared", check.compared},
                             {"result", check.result},
                             {"limits", check.limits}});
  if (precision) {
    out["precision"] = nlohmann::json::array();
    for (const PrecisionSentence& sentence : precision_sentences(model))
      out["precision"].push_back({{"proved", sentence.proved}, {"text", sentence.text}});
  }
  std::cout << out.dump(1) << '\n';
}

void print_text(const Model& model, const std::string& hash, std::uint64_t n,
                const std::vector<CheckEntry>& checks, bool precision) {
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
  line("width", fmt::format("{} (strict {}), {} cells", m.width, m.strict_width, m.cells));
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
    if (check.kind == "proved")
      line(check.kind, check.bound + ", " + check.against);
    else
      line(check.kind, check.against + ": " + check.result + " (" + check.bound +
                           (check.compared.empty() ? "" : "; " + check.compared) + ")");
  if (precision)
    for (const PrecisionSentence& sentence : precision_sentences(model))
      line(sentence.proved ? "proved" : "not proved", sentence.text);
}

}  // namespace

Command add_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info",
                         "print the model card of a weights file: what it computes, its size, its "
                         "recorded tests\nExample: logdepth info a5.json --at 1024");
  command->add_option("MODEL", options->model, "weights file")->required();
  options->at_option =
      command
          ->add_option(
              "--at", options->at,
              "input size at which the depth is evaluated: letters, vertices or raw tokens")
          ->check(kCount);
  command->add_flag("--precision", options->precision,
                    "also print the proved and unproved bounds for floating-point runs: score "
                    "gaps, distances from zero");
  command->add_flag("--json", options->json, "print one JSON object");
  add_run_limits(*command);
  return [options] {
    const CheckedModel model = read_weights(options->model);
    const std::string hash = weights_hash(model);
    const auto checks = read_checks(options->model, hash);
    const std::uint64_t n =
        options->at_option->count() > 0 ? options->at : largest_size(model).value_or(1024);
    if (options->json) {
      print_json(model, hash, n, checks, options->precision);
    } else {
      print_text(model, hash, n, checks, options->precision);
    }
    return int{kDone};
  };
}

}  // namespace logdepth::inline cli
