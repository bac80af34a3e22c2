#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/automaton_source.hpp"
#include "cli/commands.hpp"
#include "constructions/regular_language_scan_MS25_thm4_1.hpp"
#include "objects/input_error.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth {
namespace {

struct Options {
  AutomatonOptions automaton;
  bool json = false;
};

int inspect(const Options& options) {
  const LoadedAutomaton loaded = load_automaton(options.automaton);
  nlohmann::json out = {{"schema", "logdepth/inspect/1"},
                        {"name", loaded.name},
                        {"points", loaded.action.points},
                        {"alphabet", loaded.action.alphabet.names()}};
  if (loaded.minimal) out["minimal_states"] = loaded.minimal->states();
  const auto monoid =
      enumerate_monoid(loaded.action.generators, loaded.action.points,
                       std::min<std::size_t>(kMaxMonoid, (1u << 24) / loaded.action.points));
  std::string kind = "not enumerated: more than the cap";
  if (monoid) {
    out["monoid"] = {{"size", monoid->size()},
                     {"group", monoid->is_group()},
                     {"aperiodic", monoid->is_aperiodic()},
                     {"commutative", monoid->is_commutative()}};
    kind = std::to_string(monoid->size()) + " elements" + (monoid->is_group() ? ", a group" : "") +
           (monoid->is_aperiodic() ? ", aperiodic" : "") +
           (monoid->is_commutative() ? ", commutative" : "");
  } else {
    out["monoid"] = nullptr;
  }
  std::string forecast;
  try {
    forecast = forecast_scan(loaded.action, {}).reason;
    out["compiles"] = true;
  } catch (const SizeLimit& limit) {
    forecast = limit.what();
    out["compiles"] = false;
  }
  out["forecast"] = forecast;
  if (options.json) {
    std::cout << out.dump(1) << '\n';
  } else {
    std::cout << "automaton  " << loaded.name << ", " << loaded.sizes() << '\n'
              << "monoid     " << kind << '\n'
              << "scan       " << forecast << '\n';
  }
  return kDone;
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "inspect",
      "the minimal automaton and transition monoid of a language, and the size of its transformer\n"
      "Example: logdepth inspect --regex '(a|b)*a(a|b){4}'");
  options->automaton.add_to(*command);
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return inspect(*options); };
}

}  // namespace logdepth
