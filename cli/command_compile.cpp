#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/automaton_source.hpp"
#include "cli/commands.hpp"
#include "compiler/compile.hpp"
#include "compiler/program_text.hpp"
#include "constructions/regular_language_scan_MS25_thm4_1.hpp"
#include "objects/automaton_files.hpp"
#include "objects/input_error.hpp"
#include "proofs-check/measure.hpp"
#include "runtime/unrolling.hpp"
#include "runtime/weights_file.hpp"
#include "runtime/whole_file.hpp"

namespace logdepth {
namespace {

/// Options of every `compile` subcommand.
struct OutputOptions {
  std::string output, norm = "rms", name;
  std::uint64_t unroll = 0;
  CLI::Option* unroll_option = nullptr;
  bool strict = false, json = false;

  void add_to(CLI::App& app) {
    app.add_option("-o,--output", output, "weights file to write: NAME.json or NAME.json.gz")
        ->required();
    app.add_option("--norm", norm, "layer normalisation of the model")
        ->check(CLI::IsMember({"rms", "layernorm"}));
    unroll_option =
        app.add_option("--unroll", unroll,
                       "standard, non-looped transformer for all lengths up to this one")
            ->check(kCount);
    app.add_flag("--strict", strict,
                 "pad the width so that queries, keys and values have dimension width / heads");
    app.add_option("--name", name, "name in the weights file");
    app.add_flag("--json", json, "print a summary as JSON on standard output");
  }

  /// Compiles, writes, reports. `facts` is what the front end has to say, for people and for
  /// --json.
  int finish(Program program, const nlohmann::json& facts) const {
    if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 32; }))
      throw InputError("--name: expected one line without control characters");
    if (!name.empty()) program.name = name;
    CompileOptions options;
    options.norm = norm == "rms" ? Norm::rms : Norm::layernorm;
    options.strict = strict;
    if (unroll_option->count() > 0) options.unroll = unroll;
    const Model model = compile(program, options);
    save_weights(model, output);

    const Measures m = measure(model, 1);
    std::cerr << "wrote " << output << ": shape (" << m.initial << ", " << m.repeated << ", "
              << m.final << "), depth " << depth_formula(model) << ", width " << m.width << ", "
              << m.cells << " cells, " << m.units << " units, " << m.nonzeros << " non-zeros\n";
    if (json) {
      nlohmann::json out = facts;
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

struct RegularOptions {
  AutomatonOptions automaton;
  OutputOptions output;
  std::string construction = "scan", positions = "two-circle", table = "auto", emit;
};

void emit_automaton(const LoadedAutomaton& loaded, const std::string& path) {
  if (!loaded.minimal) throw SizeLimit("--emit: the minimal automaton is too large to write");
  write_whole_file(
      path, path.ends_with(".dot") ? write_dot(*loaded.minimal) : write_fst(*loaded.minimal));
  std::cerr << "wrote " << path << ": the minimal automaton\n";
}

/// "a b c", cut off when there are many.
std::string list_letters(const Alphabet& alphabet) {
  std::string text;
  for (const std::string& name : alphabet.names()) {
    if (text.size() > 60) return text + " ... (" + std::to_string(alphabet.size()) + ")";
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

int compile_regular(const RegularOptions& options) {
  const AutomatonOptions& a = options.automaton;
  for (const std::string& output : {options.output.output, options.emit})
    refuse_overwriting(output, {a.fst, a.jff, a.dot, a.symbols});
  if (!options.emit.empty()) {
    if (options.emit == options.output.output)
      throw InputError("--emit and --output both write " + options.emit);
    if (!options.emit.ends_with(".dot") && !options.emit.ends_with(".fst"))
      throw InputError("--emit " + options.emit + ": expected a name ending in .dot or .fst");
  }
  const LoadedAutomaton loaded = load_automaton(options.automaton);
  std::cerr << "automaton: " << loaded.name << ", " << loaded.sizes() << ", letters "
            << list_letters(loaded.action.alphabet) << '\n';

  ScanOptions scan;
  scan.positions = options.positions == "circle"       ? ScanPositions::circle
                   : options.positions == "first-flag" ? ScanPositions::first_flag
                                                       : ScanPositions::two_circle;
  scan.table = options.table == "matrix"   ? ScanTable::matrix
               : options.table == "monoid" ? ScanTable::monoid
                                           : ScanTable::automatic;
  Program program = regular_language_scan_MS25_thm4_1(loaded.action, loaded.name, scan);
  program.parameters["automaton"] = loaded.name;
  program.parameters["automaton_sizes"] = loaded.sizes();
  program.parameters["positions"] = options.positions;
  std::cerr << "table: " << program.parameters["table"] << ", "
            << program.parameters["table_reason"] << '\n';
  if (!options.emit.empty()) emit_automaton(loaded, options.emit);
  nlohmann::json facts;
  facts["automaton"] = {{"name", loaded.name}, {"points", loaded.action.points}};
  if (loaded.nfa_states) {
    facts["automaton"]["states"] = *loaded.nfa_states;
    facts["automaton"]["deterministic_states"] = *loaded.dfa_states;
  }
  if (loaded.minimal) facts["automaton"]["minimal_states"] = loaded.minimal->states();
  facts["table"] = {{"chosen", program.parameters["table"]},
                    {"reason", program.parameters["table_reason"]}};
  return options.output.finish(std::move(program), facts);
}

}  // namespace

Command add_compile_regular(CLI::App& compile) {
  auto options = std::make_shared<RegularOptions>();
  CLI::App* command = compile.add_subcommand(
      "regular",
      "a transformer that recognises a regular language, and yields every prefix product\n"
      "Example: logdepth compile regular --group A5 -o a5.json");
  options->automaton.add_to(*command);
  command->add_option("--construction", options->construction, "form of MS25 Theorem 4.1")
      ->check(CLI::IsMember({"scan"}));
  command->add_option("--positions", options->positions, "position encoding")
      ->check(CLI::IsMember({"two-circle", "circle", "first-flag"}));
  command->add_option("--table", options->table, "product table: the smaller, or one of the two")
      ->check(CLI::IsMember({"auto", "matrix", "monoid"}));
  command->add_option("--emit", options->emit, "also write the minimal automaton (.dot or .fst)");
  options->output.add_to(*command);
  return [options] { return compile_regular(*options); };
}

Command add_compile_program(CLI::App& compile) {
  struct Options {
    std::string file;
    OutputOptions output;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = compile.add_subcommand(
      "program",
      "a transformer of your own program in the text form (.cells)\n"
      "Example: logdepth compile program examples/programs/flipflop.cells -o flipflop.json");
  command->add_option("FILE", options->file, "program")->required();
  options->output.add_to(*command);
  return [options] {
    refuse_overwriting(options->output.output, {options->file});
    Program program = parse_program(read_whole_file(options->file), options->file);
    return options->output.finish(std::move(program), nlohmann::json::object());
  };
}

}  // namespace logdepth
