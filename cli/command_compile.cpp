#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/automaton_source.hpp"
#include "cli/commands.hpp"
#include "cli/compile_output.hpp"
#include "cli/program_source.hpp"
#include "constructions/MS25/regular_language_radix_cor4_2.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_uniform_radix_cor4_2.hpp"
#include "constructions/crasp/counting_programs.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/crasp.hpp"
#include "objects/phrases.hpp"
#include "proofs-check/forecast/construction_costs.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

struct RegularOptions {
  AutomatonOptions automaton;
  OutputOptions output;
  std::string construction = "scan", table = "auto", emit;
  std::string positions;  ///< empty: what the construction uses if nothing is said
  unsigned radix = 2, block = 2;
  std::uint64_t for_length = 1000000;
  CLI::Option *radix_option = nullptr, *block_option = nullptr, *for_length_option = nullptr;

  bool radix_construction() const { return construction == "radix"; }
  /// One looped network for all lengths: no length was promised.
  bool uniform_radix() const { return radix_construction() && output.unroll_option->count() == 0; }
};

/// Options that only one construction has, and their ranges.
void check_construction(const RegularOptions& options) {
  if (!options.radix_construction() && options.radix_option->count() > 0)
    throw InputError("--radix goes with --construction radix");
  if (!options.radix_construction() && options.block_option->count() > 0)
    throw InputError("--block goes with --construction radix");
  if (!options.uniform_radix() && options.block_option->count() > 0)
    throw InputError("--block is for one network for all lengths; with --unroll there is no block");
  if (options.construction != "auto" && options.for_length_option->count() > 0)
    throw InputError("--for-length goes with --construction auto");
  if (options.construction == "auto" && options.output.unroll_option->count() > 0)
    throw InputError("--unroll goes with a construction that is named; auto takes --for-length N");
  if (options.radix < 2 || options.radix > kMaxRadix)
    throw InputError(
        fmt::format("--radix {}: expected a number from 2 to {}", options.radix, kMaxRadix));
  if (options.uniform_radix())
    reach_of_a_block({options.radix, options.block, ScanTable::automatic});
  if (options.uniform_radix() && !options.positions.empty() && options.positions != kFirstFlag)
    throw InputError("--positions " + options.positions +
                     ": --construction radix without --unroll has first-flag positions only");
  if (options.positions.empty() || options.construction == "auto") return;
  std::vector<std::string> possible;
  for (const ScanPositions positions : positions_for(options.construction))
    possible.push_back(positions_name(positions));
  if (std::ranges::find(possible, options.positions) == possible.end())
    throw InputError("--positions " + options.positions + ": --construction " +
                     options.construction + " has " + joined(possible, " and ") +
                     " positions only");
}

ScanTable table_of(const RegularOptions& options) {
  return options.table == "matrix"   ? ScanTable::matrix
         : options.table == "monoid" ? ScanTable::monoid
                                     : ScanTable::automatic;
}

std::optional<ScanPositions> positions_asked_for(const RegularOptions& options) {
  if (options.positions.empty()) return std::nullopt;
  return *std::ranges::find(kScanPositions, options.positions, positions_name);
}

/// The construction of the fewest layers, and a sentence that says so on standard error.
/// Errors: SizeLimit where none can be built.
RegularConstruction choose_construction(const RegularOptions& options, const Action& action) {
  const bool length_given = options.for_length_option->count() > 0;
  const auto positions = positions_asked_for(options);
  const ScanOptions scan{positions.value_or(ScanPositions::two_circle), table_of(options)};
  RegularCosts costs(
      action, {positions, table_of(options), length_given, forecast_scan(action, scan).refusal});
  const CostTable table = costs.at(options.for_length);
  if (!table.chosen) throw SizeLimit(table.reason + ": " + table.rows.front().refusal);
  std::cerr << "chosen: " << table.reason << '\n';
  return table.rows[*table.chosen].construction;
}

RegularConstruction construction_of(const RegularOptions& options, const Action& action) {
  if (options.construction == "auto") return choose_construction(options, action);
  RegularConstruction construction{
      options.construction,
      positions_asked_for(options).value_or(positions_for(options.construction).front()),
      std::nullopt, std::nullopt};
  if (options.radix_construction()) {
    construction.radix = options.radix;
    construction.longest = options.output.unroll;
  }
  return construction;
}

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
    if (text.size() > 60) return fmt::format("{} ... ({})", text, alphabet.size());
    text += (text.empty() ? "" : " ") + name;
  }
  return text;
}

int compile_regular(const RegularOptions& options) {
  check_construction(options);
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

  const RegularConstruction construction = construction_of(options, loaded.action);
  Program program =
      options.uniform_radix()
          ? regular_language_uniform_radix_MS25_cor4_2(
                loaded.action, loaded.name, {options.radix, options.block, table_of(options)})
          : regular_program(loaded.action, loaded.name, construction, table_of(options));
  program.parameters["automaton"] = loaded.name;
  program.parameters["automaton_sizes"] = loaded.sizes();
  if (!loaded.state_names.empty())
    program.parameters["states"] = nlohmann::json(loaded.state_names).dump();
  program.parameters["positions"] =
      options.uniform_radix() ? kFirstFlag : positions_name(construction.positions);
  if (program.parameters.contains("table"))
    std::cerr << "table: " << program.parameters["table"] << ", "
              << program.parameters["table_reason"] << '\n';
  if (!options.emit.empty()) emit_automaton(loaded, options.emit);
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
      "a transformer that recognises a regular language, and yields every prefix product\n"
      "Example: logdepth compile regular --group A5 -o a5.json");
  options->automaton.add_to(*command);
  command
      ->add_option("--construction", options->construction,
                   "scan: MS25 Theorem 4.1; tree: the same with the paper's own tree; radix: "
                   "Corollary 4.2, for --unroll N letters at most, or without it for all lengths; "
                   "cascade: Krohn and Rhodes, constant depth where the groups are solvable; auto: "
                   "the one of the fewest layers")
      ->check(CLI::IsMember({"scan", "tree", "radix", "cascade", "auto"}));
  options->for_length_option =
      command
          ->add_option("--for-length", options->for_length,
                       "letters of the words that --construction auto counts layers for, and need "
                       "not go beyond (if not given: 1000000, and all lengths are right)")
          ->check(kCount);
  options->radix_option = command
                              ->add_option("--radix", options->radix,
                                           fmt::format("products that a layer of --construction "
                                                       "radix multiplies: 2 to {} (2 if not given)",
                                                       kMaxRadix))
                              ->check(kSmallCount);
  options->block_option =
      command
          ->add_option("--block", options->block,
                       "layers of the repeated block of --construction radix without --unroll: 2 "
                       "or more (2 if not given)")
          ->check(kSmallCount);
  command
      ->add_option("--positions", options->positions,
                   "position encoding (two-circle if not given; first-flag for tree, and for radix "
                   "without --unroll; fine for cascade)")
      ->check(CLI::IsMember({kTwoCircle, kCircle, kFine, kFirstFlag}));
  command->add_option("--table", options->table, "product table: the smaller, or one of the two")
      ->check(CLI::IsMember({"auto", "matrix", "monoid"}));
  command->add_option("--emit", options->emit, "also write the minimal automaton (.dot or .fst)");
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
    const CraspProgram crasp = parse_crasp(read_whole_file(options->file), options->file);
    Program program = counting_program(
        crasp, "crasp " + std::filesystem::path(options->file).filename().string());
    const auto number = [&](const char* name) { return std::stoull(program.parameters.at(name)); };
    std::cerr << fmt::format(
        "program: {}, {}, counts nested {} deep; layers: {} for comparisons, {} for tables\n",
        program.name, counted(crasp.lines.size(), "line"), number("nesting"), number("comparisons"),
        number("table_layers"));
    nlohmann::json described;
    described["crasp"] = {{"lines", crasp.lines.size()},
                          {"nesting", number("nesting")},
                          {"comparisons", number("comparisons")},
                          {"table_layers", number("table_layers")}};
    return options->output.finish(std::move(program), described);
  };
}

}  // namespace logdepth
