#include <fmt/core.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/program/program.hpp"
#include "library/requests/compile_request.hpp"
#include "logdepth/compile.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// Options of every `compile` subcommand, and what each does in the end.
struct OutputOptions {
  std::string output;
  CompileSettings settings;
  bool json = false;

  /// `sizes`: what --unroll counts, "lengths" or "numbers of vertices".
  void add_to(CLI::App& app, const std::string& sizes = "lengths") {
    app.add_option("-o,--output", output, "weights file to write: NAME.json or NAME.json.gz")
        ->required()
        ->check(kInAFolder);
    app.add_option_function<std::string>(
           "--norm",
           [this](const std::string& norm) {
             settings.layernorm = norm == norm_name(Norm::layernorm);
           },
           "layer normalisation")
        ->check(choice_of({norm_name(Norm::rms), norm_name(Norm::layernorm)}));
    add_optional(app, "--unroll", settings.unroll,
                 "non-looped transformer for all " + sizes + " up to this one")
        ->check(kCount);
    app.add_flag("--strict", settings.strict,
                 "pad the width so that queries, keys and values have dimension width / heads");
    app.add_option("--name", settings.name, "name of the network in the weights file");
    app.add_flag("--json", json, "print a summary as JSON on standard output");
  }

  /// Compiles, writes, reports. `described` is what the front end has to say, for people and for
  /// --json. The exit status.
  int finish(Program program, const nlohmann::json& described) const {
    const CheckedModel model = requested_model(std::move(program), settings);
    const Measures m = measure(model, 1);
    save_weights(model, output);
    std::cerr << fmt::format("wrote {}: shape ({}, {}, {}), depth {}, width {}, {} used, {}, {}\n",
                             output, m.initial, m.repeated, m.final, depth_formula(model), m.width,
                             m.cells, counted(m.units, "hidden unit"),
                             counted(m.nonzeros, "nonzero weight"));
    if (json) {
      nlohmann::json out = described;
      out["schema"] = "logdepth/compile/1";
      out["output"] = output;
      out["sha256"] = weights_hash(model);
      out["shape"] = {{"initial", m.initial}, {"repeated", m.repeated}, {"final", m.final}};
      out["depth_formula"] = depth_formula(model);
      out["width"] = m.width;
      out["cells"] = m.cells;
      out["units"] = m.units;
      out["nonzeros"] = m.nonzeros;
      std::cout << out.dump(1) << '\n';
    }
    return kDone;
  }
};

/// --construction and the options of all constructions for this problem, into `values`.
void add_construction_options(CLI::App& app, Problem problem, Values& values) {
  for (const Option& option : construction_options(problem)) {
    const std::string typed = "--" + option.name;
    const auto take = [&values, name = option.name](const auto& given) { values[name] = given; };
    std::visit(Overload{[&](const FlagOption&) {
                          app.add_flag_callback(
                              typed, [take] { take(std::uint64_t{1}); }, option.help);
                        },
                        [&](const CountOption& count) {
                          app.add_option_function<std::uint64_t>(typed, take, option.help)
                              ->check(count.most == kMostCounted ? kCount : kSmallCount);
                        },
                        [&](const ChoiceOption& choice) {
                          app.add_option_function<std::string>(typed, take, option.help)
                              ->check(choice_of(choice.words));
                        },
                        [](const RefusedOption&) {}},
               option.type);
  }
}

struct RegularOptions {
  AutomatonOptions automaton;
  Values values;
  OutputOptions output;
  std::string emit;
};

void say_so(const std::string& line) {
  std::cerr << line << '\n';
}

int compile_regular(const RegularOptions& options) {
  const Values values = with_unroll(options.values, options.output.settings);
  const Construction& construction = chosen_construction(Problem::words, values);
  for (const std::string& output : {options.output.output, options.emit})
    refuse_overwriting(output, files_of(options.automaton.source));
  const bool emits = !options.emit.empty();
  if (emits && options.emit == options.output.output)
    throw InputError("--emit and --output both write " + options.emit);
  const LoadedAutomaton loaded = load_automaton(options.automaton.source);
  for (const std::string& note : loaded.notes) say_so(note);
  std::string emitted;
  if (emits) emitted = write_automaton(loaded.minimal_to_write(), options.emit);
  Program program = requested_program(loaded, construction, values, say_so);
  if (emits) {
    write_whole_file(options.emit, emitted);
    std::cerr << "wrote " << options.emit << ": the minimal automaton\n";
  }
  nlohmann::json described;
  described["automaton"] = {{"name", loaded.name}, {"points", loaded.action.points}};
  if (loaded.nfa_states) {
    described["automaton"]["states"] = *loaded.nfa_states;
    described["automaton"]["deterministic_states"] = *loaded.dfa_states;
  }
  if (loaded.minimal) described["automaton"]["minimal_states"] = loaded.minimal->states();
  if (program.parameters.contains("table"))
    described["table"] = {{"chosen", program.parameters["table"]},
                          {"reason", program.parameters["table_reason"]}};
  return options.output.finish(std::move(program), described);
}

/// What a command takes that compiles a file.
struct FileOptions {
  std::string file;
  OutputOptions output;
};
std::shared_ptr<FileOptions> add_file_command(CLI::App& compile, const std::string& name,
                                              const std::string& description,
                                              const std::string& file) {
  auto options = std::make_shared<FileOptions>();
  CLI::App* command = compile.add_subcommand(name, description);
  command->add_option("FILE", options->file, file)->required();
  options->output.add_to(*command);
  return options;
}

/// A command that compiles a construction without an input of its own; `sizes`: what --unroll counts.
Command add_problem(CLI::App& compile, Problem problem, const std::string& name,
                    const std::string& description, const std::string& sizes) {
  struct Options {
    OutputOptions output;
    Values values;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(name, description);
  add_construction_options(*command, problem, options->values);
  options->output.add_to(*command, sizes);
  return [options, problem] {
    const Values values = with_unroll(options->values, options->output.settings);
    return options->output.finish(requested_program(problem, values), nlohmann::json::object());
  };
}

Command add_compile_regular(CLI::App& compile) {
  auto options = std::make_shared<RegularOptions>();
  CLI::App* command = compile.add_subcommand(
      "regular",
      "compile a regular language to a transformer that decides it and computes every prefix "
      "product\nExample: logdepth compile regular --group A5 -o a5.json");
  options->automaton.add_to(*command);
  add_construction_options(*command, Problem::words, options->values);
  command
      ->add_option(
          "--emit", options->emit,
          "also write the minimal automaton to this file: .fst, .dot, .jff, .mata or .json")
      ->check(kInAFolder);
  options->output.add_to(*command);
  return [options] { return compile_regular(*options); };
}

Command add_compile_program(CLI::App& compile) {
  const auto options =
      add_file_command(compile, "program",
                       "compile a program in text form (.cells) to a transformer\nExample: "
                       "logdepth compile program examples/programs/flipflop.cells -o flipflop.json",
                       "program file (.cells)");
  return [options] {
    refuse_overwriting(options->output.output, {options->file});
    Program program = read_program(options->file);
    return options->output.finish(std::move(program), nlohmann::json::object());
  };
}

Command add_compile_crasp(CLI::App& compile) {
  const auto options = add_file_command(
      compile, "crasp",
      "compile a C-RASP program to a transformer that makes the same decision at every "
      "length\nExample: logdepth compile crasp examples/crasp/dyck1.crasp -o dyck1.json",
      "C-RASP program file");
  return [options] {
    refuse_overwriting(options->output.output, {options->file});
    RequestedCrasp crasp = requested_program(options->file, say_so);
    nlohmann::json described = {{"crasp", {{"lines", crasp.lines}}}};
    const auto& sizes = crasp.program.parameters;
    for (const char* name : {"nesting", "comparisons", "table_layers", "position_layers"})
      if (sizes.contains(name)) described["crasp"][name] = std::stoull(sizes.at(name));
    return options->output.finish(std::move(crasp.program), described);
  };
}

Command add_compile_ltl(CLI::App& compile) {
  struct Options {
    std::string formula;
    std::optional<std::vector<std::string>> alphabet;
    OutputOptions output;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(
      "ltl",
      "compile a formula of past temporal logic about the last letter: letters, ! & | -> <->, Y "
      "(previous), O (once), H (always), S (since)\nExample: logdepth compile ltl 'H(g -> Y(!g S "
      "r))' -o granted.json");
  command->add_option("FORMULA", options->formula, "formula of past temporal logic")->required();
  command->add_option_function<std::string>(
      "--alphabet",
      [options = options.get()](const std::string& text) {
        options->alphabet = split_letters(text);
      },
      "alphabet in order: abc, or open,close (default: the letters of the formula)");
  options->output.add_to(*command);
  return [options] {
    return options->output.finish(requested_formula(options->formula, options->alphabet),
                                  nlohmann::json::object());
  };
}

}  // namespace

void add_compile(Commands& commands, CLI::App& app) {
  CLI::App* compile =
      app.add_subcommand("compile", "compile a construction or a program to a weights file");
  compile->require_subcommand(1);
  const auto problem = [&](Problem of, const char* name, const char* description,
                           const char* sizes = "lengths") {
    add(commands, *compile,
        [&](CLI::App& parent) { return add_problem(parent, of, name, description, sizes); });
  };
  add(commands, *compile, add_compile_regular);
  add(commands, *compile, add_compile_program);
  add(commands, *compile, add_compile_crasp);
  problem(Problem::divisions, "division",
          "compile the division lemma: quotient and remainder of a_i by m at every token, from raw "
          "input (MS25 Lemma 3.1)\nExample: logdepth compile division -o division.json");
  problem(Problem::graphs, "connectivity",
          "compile graph connectivity: whether t is reachable from s (MS25 Theorem "
          "5.1)\nExample: logdepth compile connectivity -o connectivity.json",
          "numbers of vertices");
  problem(Problem::computation_graphs, "computation-graph",
          "compile arithmetic modulo a prime on a computation graph, one iteration per "
          "level of depth\nExample: logdepth compile computation-graph --prime 5 "
          "--names 16 --depth 8 -o graph.json");
  problem(Problem::hops, "khop",
          "compile k-hop induction heads: the letter that k hops lead to, in "
          "ceil(log2 k) + 2 layers\nExample: logdepth compile khop --hops 5 -o khop.json");
  problem(Problem::formulas, "formula",
          "compile the value of formulas in postfix order, in 4 ceil(log2 n) + 7 layers\n"
          "Example: logdepth compile formula -o formula.json");
  add(commands, *compile, add_compile_ltl);
}

}}  // namespace logdepth::cli
