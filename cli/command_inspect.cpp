#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/automaton_options.hpp"
#include "cli/commands.hpp"
#include "cli/inspect_algebra.hpp"
#include "cli/inspect_costs.hpp"
#include "cli/inspect_levels.hpp"
#include "cli/validators.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/subgroups.hpp"
#include "report/pictures/draw_monoid.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

/// "cascade has 4 layers", or why it has no fixed number; "scan" likewise.
std::string layers_of(const CostTable& table, const std::string& name) {
  for (const ConstructionCost& row : table.rows) {
    if (row.construction.record->key.name != name) continue;
    if (!row.measures) return name + " cannot be built";
    const Measures& m = *row.measures;
    if (m.repeated == 0) return fmt::format("{} has {}", name, counted(m.depth, "layer"));
    const std::uint64_t others = m.initial + m.final;
    return fmt::format("{} has ceil(log2 n){}", name,
                       others > 0 ? fmt::format(" + {}", others) : "");
  }
  return name + " was not tried";
}

/// How deep a transformer that yields every prefix product has to be, and how deep ours are.
std::string known_depth(const ProductForecast& forecast, const Subgroups& groups,
                        const CostTable& costs) {
  std::string known;
  if (!forecast.monoid)
    known = "the monoid was not enumerated";
  else if (groups.largest == 1)
    known = "constant depth suffices: aperiodic, a cascade of resets (Krohn and Rhodes 1965)";
  else if (groups.derived_length)
    known = fmt::format(
        "constant depth suffices: solvable, derived length {}, a cascade of commutative groups and "
        "resets (Barrington and Therien 1988)",
        *groups.derived_length);
  else
    known =
        "no constant depth unless TC0 = NC1: not solvable, its products are complete for NC1 "
        "(Barrington 1989)";
  return fmt::format("{}; {}, {}", known, layers_of(costs, "cascade"), layers_of(costs, "scan"));
}

struct InspectArguments {
  AutomatonOptions automaton;
  std::vector<std::uint64_t> at = {1000};
  LevelsOptions levels;
  std::string eggbox;
  bool json = false;
};

void draw_eggbox(const LoadedAutomaton& loaded, const ProductForecast& forecast,
                 const std::optional<MonoidAlgebra>& algebra, const std::string& path) {
  if (!algebra)
    throw SizeLimit(fmt::format("--eggbox: at most {} elements can be drawn; the monoid has more",
                                forecast.monoid_cap));
  save_figure(eggbox_svg(draw_monoid(*forecast.monoid, algebra->classes, algebra->class_groups,
                                     loaded.action.alphabet, loaded.name)),
              path);
  std::cerr << "wrote " << path << '\n';
}

int inspect(const InspectArguments& options) {
  for (const std::string& picture : {options.eggbox, options.levels.picture})
    if (!picture.empty()) refuse_overwriting(picture, files_of(options.automaton.source));
  const LoadedAutomaton loaded = load_automaton(options.automaton.source);
  for (const std::string& note : loaded.notes) std::cerr << note << '\n';
  nlohmann::json out = {{"schema", "logdepth/inspect/1"},
                        {"name", loaded.name},
                        {"points", loaded.action.points},
                        {"alphabet", loaded.action.alphabet.names()}};
  if (loaded.minimal) out["minimal_states"] = loaded.minimal->states();
  if (!loaded.state_names.empty()) out["states"] = loaded.state_names;
  const ProductForecast forecast = forecast_scan(loaded.action, {});
  std::string kind = fmt::format("not enumerated: more than {} elements", forecast.monoid_cap);
  Subgroups groups;
  std::optional<MonoidAlgebra> algebra;
  const bool word_problem = !loaded.action.initial;
  if (const auto& monoid = forecast.monoid) {
    groups = examine_subgroups(*monoid);
    out["monoid"] = {{"size", monoid->size()},
                     {"group", monoid->is_group()},
                     {"aperiodic", groups.largest == 1},
                     {"solvable", groups.derived_length.has_value()},
                     {"commutative", monoid->is_commutative()},
                     {"largest_subgroup", groups.largest}};
    algebra = examine_algebra(*monoid);
    out["algebra"] = algebra_json(*algebra, word_problem);
    kind = fmt::format("{}{}{}", counted(monoid->size(), "element"),
                       monoid->is_group()
                           ? ", a group"
                           : fmt::format(", largest subgroup of order {}", groups.largest),
                       monoid->is_commutative() ? ", commutative" : "");
  } else {
    out["monoid"] = out["algebra"] = nullptr;
  }
  const std::string size = forecast.refusal.value_or(forecast.reason);
  out["compiles"] = !forecast.refusal;
  out["forecast"] = size;
  const std::vector<CostTable> costs = inspect_costs(loaded.action, forecast, options.at);
  for (const CostTable& table : costs) out["at"].push_back(costs_json(table));
  const std::string depth = known_depth(forecast, groups, costs.front());
  out["depth"] = depth;
  const LevelsAnswer levels = inspect_levels(loaded, options.levels);
  out.update(levels.json);
  if (!options.eggbox.empty()) draw_eggbox(loaded, forecast, algebra, options.eggbox);
  if (options.json) {
    std::cout << out.dump(1) << '\n';
  } else {
    std::cout << "automaton  " << printable(loaded.name, kMostPrinted) << ", " << loaded.sizes()
              << '\n';
    if (!loaded.state_names.empty())
      std::cout << "states     " << nlohmann::json(loaded.state_names).dump() << '\n';
    std::cout << "monoid     " << kind << '\n';
    if (algebra)
      for (const auto& [name, said] : algebra_lines(*algebra, word_problem))
        std::cout << fmt::format("{:<11}{}\n", name, said);
    std::cout << "depth      " << depth << '\n'
              << "scan       " << size << '\n'
              << "levels     " << levels.line << '\n'
              << levels.text;
    for (const CostTable& table : costs) std::cout << '\n' << costs_text(table);
  }
  return kDone;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectArguments>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "analyse a language: minimal automaton, transition monoid, known depth results, size of its "
      "transformers\nExample: logdepth inspect --regex '(a|b)*a(a|b){4}'");
  options->automaton.add_to(*command);
  command
      ->add_option("--at", options->at,
                   "word lengths at which the constructions are compared (default: 1000)")
      ->check(kCount);
  options->levels.add_to(*command);
  command->add_option(
      "--eggbox", options->eggbox,
      "draw the J-classes of the monoid as eggboxes to this file: .svg, .pdf or .png");
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return inspect(*options); };
}

}  // namespace logdepth::inline cli
