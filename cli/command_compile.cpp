#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/automaton_options.hpp"
#include "cli/commands.hpp"
#include "cli/compile_output.hpp"
#include "cli/optional_option.hpp"
#include "cli/program_source.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "library/requests/regular_request.hpp"
#include "library/requests/theorem_requests.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

struct RegularOptions {
  AutomatonOptions automaton;
  RegularSettings settings;
  OutputOptions output;
  std::string emit;
};

void say_so(const std::string& line) {
  std::cerr << line << '\n';
}

int compile_regular(const RegularOptions& options) {
  const CompileSettings& compiling = options.output.settings;
  check_regular(options.settings, compiling);
  for (const std::string& output : {options.output.output, options.emit})
    refuse_overwriting(output, files_of(options.automaton.source));
  const bool emits = !options.emit.empty();
  if (emits && options.emit == options.output.output)
    throw InputError("--emit and --output both write " + options.emit);
  const LoadedAutomaton loaded = load_automaton(options.automaton.source);
  std::string emitted;
  if (emits) emitted = write_automaton(loaded.minimal_to_write(), options.emit);
  Program program = requested_program(loaded, options.settings, compiling, say_so);
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
  RegularSettings& settings = options->settings;
  CLI::App* command = compile.add_subcommand(
      "regular",
      "a transformer that recognises a regular language, and yields every prefix product\n"
      "Example: logdepth compile regular --group A5 -o a5.json");
  options->automaton.add_to(*command);
  command
      ->add_option("--construction", settings.construction,
                   "scan: MS25 Theorem 4.1; tree: the same with the paper's own tree; radix: "
                   "Corollary 4.2, for --unroll N letters at most, or without it for all lengths; "
                   "cascade: Krohn and Rhodes, constant depth where the groups are solvable; auto: "
                   "the one of the fewest layers")
      ->check(CLI::IsMember(kRegularConstructions));
  add_optional(*command, "--for-length", settings.for_length,
               "letters of the words that --construction auto counts layers for, and need "
               "not go beyond (if not given: 1000000, and all lengths are right)")
      ->check(kCount);
  add_optional(*command, "--radix", settings.radix,
               fmt::format("products that a layer of --construction "
                           "radix multiplies: 2 to {} (2 if not given)",
                           kMaxRadix))
      ->check(kSmallCount);
  add_optional(*command, "--block", settings.block,
               "layers of the repeated block of --construction radix without --unroll: 2 "
               "or more (2 if not given)")
      ->check(kSmallCount);
  add_optional(*command, "--positions", settings.positions,
               "position encoding (two-circle if not given; first-flag for tree, and for radix "
               "without --unroll; fine for cascade)")
      ->check(CLI::IsMember(position_encodings()));
  command->add_option("--table", settings.table, "product table: the smaller, or one of the two")
      ->check(CLI::IsMember(kProductTables));
  command->add_option("--emit", options->emit,
                      "also write the minimal automaton: .fst, .dot, .jff, .mata or .json");
  options->output.add_to(*command);
  return [options] { return compile_regular(*options); };
}

Command add_compile_program(CLI::App& compile) {
  const auto options = add_file_command(
      compile, "program",
      "a transformer of your own program in the text form (.cells)\n"
      "Example: logdepth compile program examples/programs/flipflop.cells -o flipflop.json",
      "program");
  return [options] {
    refuse_overwriting(options->output.output, {options->file});
    Program program = read_program(options->file);
    return options->output.finish(std::move(program), nlohmann::json::object());
  };
}

Command add_compile_crasp(CLI::App& compile) {
  const auto options =
      add_file_command(compile, "crasp",
                       "a transformer that decides what a C-RASP program decides, at every length\n"
                       "Example: logdepth compile crasp examples/crasp/dyck1.crasp -o dyck1.json",
                       "C-RASP program");
  return [options] {
    refuse_overwriting(options->output.output, {options->file});
    RequestedCrasp crasp = requested_program(options->file, say_so);
    const nlohmann::json described = {{"crasp",
                                       {{"lines", crasp.lines},
                                        {"nesting", crasp.nesting},
                                        {"comparisons", crasp.comparisons},
                                        {"table_layers", crasp.table_layers}}}};
    return options->output.finish(std::move(crasp.program), described);
  };
}

}  // namespace logdepth
