#include <fmt/core.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/automaton_source.hpp"
#include "cli/commands.hpp"
#include "cli/inspect_algebra.hpp"
#include "cli/inspect_levels.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "logdepth/errors.hpp"
#include "objects/subgroups.hpp"
#include "proofs-check/pictures/draw_monoid.hpp"
#include "proofs-check/pictures/save_drawing.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

/// What is known about the depth at which some transformer computes every prefix product.
std::string known_depth(const ProductForecast& forecast, const Subgroups& groups) {
  if (!forecast.monoid) return "the monoid was not enumerated; scan takes ceil(log2 n) layers";
  if (groups.largest == 1)
    return "aperiodic: constant depth suffices, by a cascade of resets (Krohn and Rhodes 1965); "
           "scan takes ceil(log2 n) layers";
  if (groups.derived_length)
    return fmt::format(
        "solvable, derived length {}: constant depth suffices, by a cascade of commutative groups "
        "and resets; scan takes ceil(log2 n) layers",
        *groups.derived_length);
  return "not solvable: its products are complete for NC1 (Barrington 1989), so no constant depth "
         "unless TC0 = NC1; scan takes ceil(log2 n) layers";
}

struct InspectArguments {
  AutomatonOptions automaton;
  LevelsOptions levels;
  std::string eggbox;
  bool json = false;
};

void draw_eggbox(const LoadedAutomaton& loaded, const ProductForecast& forecast,
                 const std::optional<MonoidAlgebra>& algebra, const std::string& path) {
  if (!algebra)
    throw SizeLimit(fmt::format("--eggbox: the monoid has more than {} elements and is not drawn",
                                forecast.monoid_cap));
  save_figure(eggbox_svg(draw_monoid(*forecast.monoid, algebra->classes, algebra->class_groups,
                                     loaded.action.alphabet, loaded.name)),
              path);
  std::cerr << "wrote " << path << '\n';
}

int inspect(const InspectArguments& options) {
  for (const std::string& picture : {options.eggbox, options.levels.picture})
    if (!picture.empty())
      refuse_overwriting(picture,
                         {options.automaton.fst, options.automaton.jff, options.automaton.dot});
  const LoadedAutomaton loaded = load_automaton(options.automaton);
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
    kind = fmt::format("{} elements{}{}", monoid->size(),
                       monoid->is_group()
                           ? ", a group"
                           : fmt::format(", largest group in it of order {}", groups.largest),
                       monoid->is_commutative() ? ", commutative" : "");
  } else {
    out["monoid"] = out["algebra"] = nullptr;
  }
  const std::string size = forecast.refusal.value_or(forecast.reason);
  out["compiles"] = !forecast.refusal;
  out["forecast"] = size;
  const std::string depth = known_depth(forecast, groups);
  out["depth"] = depth;
  const LevelsAnswer levels = inspect_levels(loaded, options.levels);
  out.update(levels.json);
  if (!options.eggbox.empty()) draw_eggbox(loaded, forecast, algebra, options.eggbox);
  if (options.json) {
    std::cout << out.dump(1) << '\n';
  } else {
    std::cout << "automaton  " << loaded.name << ", " << loaded.sizes() << '\n';
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
  }
  return kDone;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectArguments>();
  CLI::App* command = app.add_subcommand("inspect",
                                         "the minimal automaton and transition monoid of a "
                                         "language, what is known of it, and the size "
                                         "of its transformer\n"
                                         "Example: logdepth inspect --regex '(a|b)*a(a|b){4}'");
  options->automaton.add_to(*command);
  options->levels.add_to(*command);
  command->add_option("--eggbox", options->eggbox,
                      "picture of the monoid's J-classes as eggboxes: .svg, .pdf or .png");
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return inspect(*options); };
}

}  // namespace logdepth
