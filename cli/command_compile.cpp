#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/automaton_options.hpp"
#include "cli/commands.hpp"
#include "cli/compile_output.hpp"
#include "cli/construction_options.hpp"
#include "cli/program_source.hpp"
#include "cli/validators.hpp"
#include "library/requests/crasp_request.hpp"
#include "library/requests/regular_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

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

}  // namespace

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
    nlohmann::json described = {{"crasp",
                                 {{"lines", crasp.lines},
                                  {"nesting", crasp.nesting},
                                  {"comparisons", crasp.comparisons},
                                  {"table_layers", crasp.table_layers}}}};
    if (crasp.position_layers) described["crasp"]["position_layers"] = *crasp.position_layers;
    return options->output.finish(std::move(crasp.program), described);
  };
}

}  // namespace logdepth::inline cli
