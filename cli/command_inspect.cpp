#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "constructions/product_cells.hpp"
#include "library/requests/automaton_request.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/cascade.hpp"
#include "objects/holonomy.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth { inline namespace cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GroupSummary, order, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LevelSummary, height, coordinates, resets, permutations, group,
                                   contexts)

namespace {

/// A maximal subgroup up to isomorphism, and how often it occurs.
struct OccurringGroup {
  std::optional<std::string> name;
  std::size_t order = 1;
  bool commutative = true, solvable = true;
  std::size_t j_classes = 0, idempotents = 0;  ///< around so many, in so many J-classes
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OccurringGroup, name, order, commutative, solvable, j_classes,
                                   idempotents)

/// What an algebraist looks for in a transition monoid.
struct MonoidAlgebra {
  std::size_t j_classes = 0, idempotents = 0, regular = 0;
  std::vector<OccurringGroup> groups;  ///< larger ones first
  bool quasi_aperiodic = false;
};

OccurringGroup examine_group(const std::vector<Transformation>& elements) {
  const PermutationGroup group =
      *generated_group(elements, elements.front().size(), elements.size());
  const auto series = derived_series(group);
  OccurringGroup found;
  found.name = group_name(group);
  found.order = group.order();
  found.solvable = series.back().order() == 1;
  found.commutative = found.solvable && series.size() <= 2;
  return found;
}

std::string text(const OccurringGroup& group) {
  return group.name.value_or(fmt::format("a {} group of {} elements without a name here",
                                         group.commutative ? "commutative"
                                         : group.solvable  ? "solvable"
                                                           : "non-solvable",
                                         group.order));
}

/// The circuits that suffice and those that do not, as far as that is known.
struct CircuitClass {
  const char *name, *text;
};

CircuitClass circuit_class(const MonoidAlgebra& algebra) {
  const auto& groups = algebra.groups;
  if (groups.front().order == 1)
    return {"AC0",
            "AC0: aperiodic, which means star-free (Schuetzenberger 1965) and definable in FO[<] "
            "(McNaughton and Papert 1971)"};
  if (algebra.quasi_aperiodic)
    return {"AC0",
            "AC0, although not aperiodic, so not star-free (Schuetzenberger 1965): all words of "
            "one length reach no group of more than one element (quasi-aperiodic: Barrington, "
            "Compton, Straubing and Therien 1992)"};
  if (std::all_of(groups.begin(), groups.end(), [](const auto& one) { return one.solvable; }))
    return {"ACC0",
            "ACC0, since every group in it is solvable (Barrington and Therien 1988); not AC0: the "
            "words of some length reach a group of more than one element (Barrington, Compton, "
            "Straubing and Therien 1992)"};
  return {
      "NC1-complete",
      "NC1-complete, since a group in it is not solvable (Barrington 1989): in ACC0 only if "
      "ACC0 = NC1, in TC0 only if TC0 = NC1; transformers of constant depth with averaging hard "
      "attention and numbers of O(log n) bits are in TC0 (Merrill and Sabharwal 2023)"};
}

std::string subject(bool word_problem) {
  return word_problem ? "products of the letters" : "the language, by its syntactic monoid";
}

MonoidAlgebra examine_algebra(const TransitionMonoid& monoid) {
  MonoidAlgebra algebra;
  const GreenClasses classes = green_classes(monoid);
  algebra.j_classes = classes.j.size();
  algebra.quasi_aperiodic = is_quasi_aperiodic(monoid, classes);
  std::map<std::vector<Transformation>, OccurringGroup> examined;  // many classes have the same
  for (const JClass& one : classes.j) {
    if (!one.regular()) continue;
    ++algebra.regular;
    algebra.idempotents += one.idempotents.size();
    auto elements = maximal_subgroup(monoid, classes, one.idempotents.front());
    auto known = examined.find(elements);
    if (known == examined.end()) {
      OccurringGroup group = examine_group(elements);
      known = examined.emplace(std::move(elements), std::move(group)).first;
    }
    const OccurringGroup& group = known->second;
    auto same = std::find_if(algebra.groups.begin(), algebra.groups.end(), [&](const auto& other) {
      return other.order == group.order && text(other) == text(group);
    });
    if (same == algebra.groups.end()) same = algebra.groups.insert(same, group);
    ++same->j_classes;
    same->idempotents += one.idempotents.size();
  }
  std::stable_sort(algebra.groups.begin(), algebra.groups.end(),
                   [](const auto& a, const auto& b) { return a.order > b.order; });
  return algebra;
}

/// The members of --json.
nlohmann::json algebra_json(const MonoidAlgebra& algebra, bool word_problem) {
  const CircuitClass circuits = circuit_class(algebra);
  return {{"idempotents", algebra.idempotents},         {"j_classes", algebra.j_classes},
          {"regular_j_classes", algebra.regular},       {"groups", algebra.groups},
          {"quasi_aperiodic", algebra.quasi_aperiodic}, {"circuits", circuits.name},
          {"circuits_of", subject(word_problem)},       {"known", circuits.text}};
}

/// The lines of the command, each a name and what stands behind it. `word_problem`: the monoid is
/// the one of all products, not that of the words accepted.
std::vector<std::pair<std::string, std::string>> algebra_lines(const MonoidAlgebra& algebra,
                                                               bool word_problem) {
  std::vector<std::string> groups;
  for (const OccurringGroup& group : algebra.groups)
    groups.push_back(fmt::format("{} ({} in {})", text(group),
                                 counted(group.idempotents, "idempotent"),
                                 counted(group.j_classes, "J-class", "J-classes")));
  const std::size_t classes = algebra.j_classes;
  const std::string regular =
      algebra.regular == classes ? "all" : fmt::format("{} of them", algebra.regular);
  return {{"classes", fmt::format("{}, {} regular, {}", counted(classes, "J-class", "J-classes"),
                                  regular, counted(algebra.idempotents, "idempotent"))},
          {"groups", joined(groups)},
          {"circuits", subject(word_problem) + ": " + circuit_class(algebra).text}};
}

/// A table of its own, with a heading line.
std::string costs_text(const CostTable& table) {
  std::string text =
      fmt::format("{:>10}  {:<10} {:>6} {:>6} {:>7} {:>8} {:>5}\n", counted(table.length, "letter"),
                  "positions", "layers", "heads", "width", "units", "bits");
  for (const ConstructionCost& row : table.rows) {
    const std::string title = row.construction.title();
    if (!row.measures) {
      text += fmt::format("{:>10}  cannot be built: {}\n", title, row.refusal);
      continue;
    }
    const Measures& m = *row.measures;
    text += fmt::format(
        "{:>10}  {:<10} {:>6} {:>6} {:>7} {:>8} {:>5}{}\n", title,
        constructions::word_of(row.construction.values, "positions"), m.depth, m.heads, m.width,
        m.units, row.bits ? std::to_string(*row.bits) : "-",
        row.construction.longest()
            ? fmt::format("  right up to {}", counted(*row.construction.longest(), "letter"))
            : "");
  }
  return text + fmt::format("{:>10}  {}\n", "fewest", table.reason);
}

nlohmann::json costs_json(const CostTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ConstructionCost& row : table.rows) {
    const auto& [record, values] = row.construction;
    nlohmann::json entry = {{"construction", record->key.name},
                            {"positions", constructions::word_of(values, "positions")}};
    for (const Option& option : record->options)
      if (std::holds_alternative<CountOption>(option.type))
        entry[option.name] = number_of(values, option.name);
    if (const auto longest = row.construction.longest()) entry["max_length"] = *longest;
    if (row.measures) {
      entry["layers"] = row.measures->depth;
      entry["shape"] = {row.measures->initial, row.measures->repeated, row.measures->final};
      entry["heads"] = row.measures->heads;
      entry["width"] = row.measures->width;
      entry["units"] = row.measures->units;
      entry["bits"] = row.bits;
    } else {
      entry["refused"] = row.refusal;
    }
    rows.push_back(std::move(entry));
  }
  nlohmann::json json = {
      {"length", table.length}, {"constructions", rows}, {"reason", table.reason}};
  json["fewest_layers"] = table.chosen
                              ? nlohmann::json(table.rows[*table.chosen].construction.title())
                              : nlohmann::json(nullptr);
  return json;
}

/// What it answers.
struct LevelsAnswer {
  std::string line;     ///< beside the other lines
  std::string text;     ///< below it: the levels, then the word's table; or nothing
  nlohmann::json json;  ///< members "levels" and, with a word, "run"
};

using nlohmann::json;

constexpr std::size_t kMostLevelledStates = 4096;  // seconds; minutes beyond

struct LevelledAutomaton {
  Dfa dfa;
  std::vector<std::string> states;
};

/// Of a word problem the points, if the letters lead from the first to all of them, else the
/// products.
LevelledAutomaton levelled(const LoadedAutomaton& loaded) {
  Action action = loaded.action;
  std::vector<std::string> names = loaded.state_names;
  if (names.empty())
    for (State q = 0; q < action.points; ++q) names.push_back(std::to_string(q));
  if (action.initial) return {loaded.minimal.value(), std::move(names)};
  if (ReachablePoints(action)[0].size() == action.points) {
    action.initial = 0;
    action.accepting.assign(action.points, false);
    action.accepting[0] = true;
    return {to_dfa(action), std::move(names)};
  }
  const auto monoid = enumerate_monoid(action.generators, action.points, kMaxMonoid);
  if (!monoid)
    throw SizeLimit(fmt::format("the word problem has more than {} products", kMaxMonoid));
  std::vector<std::string> products;
  for (const Transformation& element : monoid->elements)
    products.push_back(format_transformation(element));
  return {automaton_of_products(*monoid, action.alphabet), std::move(products)};
}

/// What happened at every level, after every prefix.
void add_moments(LevelsAnswer& answer, const LevelledAutomaton& automaton, const Cascade& cascade,
                 const Word& word) {
  std::vector<std::vector<std::string>> rows{{"letter"}};
  for (std::size_t i = 0; i < cascade.levels.size(); ++i)
    rows.front().push_back(fmt::format("level {}", i + 1));
  rows.front().push_back("state");
  json run = json::array();
  const auto moments = run_cascade(cascade, word);
  for (std::size_t t = 0; t < moments.size(); ++t) {
    const CascadeMoment& moment = moments[t];
    auto& row = rows.emplace_back();
    row.push_back(t == 0 ? "" : automaton.dfa.alphabet.name(word[t - 1]));
    json one = {{"coordinates", moment.coordinates}, {"state", moment.state}, {"changes", nullptr}};
    if (t > 0) {
      one["letter"] = row.back();
      one["changes"] = json::array();
    }
    for (std::size_t i = 0; i < cascade.levels.size(); ++i) {
      row.push_back(cascade.levels[i].coordinates[moment.coordinates[i]]);
      if (t == 0) continue;
      const std::string change = change_text(moment.steps[i].change);
      row.back() = change + " " + row.back();
      one["changes"].push_back({{"change", change}, {"decided_by", moment.steps[i].decided_by}});
    }
    row.push_back(automaton.states[moment.state]);
    run.push_back(std::move(one));
  }
  answer.json["run"] = std::move(run);
  answer.text += columns_text(rows);
}

/// The holonomy decomposition of the minimal automaton; of a word problem, of the action on its
/// points, or on its products where point 0 does not come to all points. `asked`: a word whose coordinates are wanted.
/// Errors: InputError for a wrong word; SizeLimit where one is given and the decomposition is too large.
LevelsAnswer inspect_levels(const LoadedAutomaton& loaded,
                            const std::optional<std::string>& asked) {
  const bool reads = asked.has_value();
  Word word;
  if (reads) try {
      word = loaded.action.alphabet.parse_word(*asked);
    } catch (const InputError& error) {
      throw InputError(std::string("--word: ") + error.what());
    }
  LevelsAnswer answer;
  try {
    const LevelledAutomaton automaton = levelled(loaded);
    if (automaton.dfa.states() > kMostLevelledStates)
      throw SizeLimit(fmt::format("an automaton of {} states cannot be decomposed; the limit is {}",
                                  automaton.dfa.states(), kMostLevelledStates));
    const Cascade cascade = to_cascade(decompose(automaton.dfa));
    const auto levels = summarise(cascade);
    answer.line = levels.empty() ? "none: there is one state"
                                 : fmt::format("{}, by holonomy (Eilenberg 1976)", levels.size());
    answer.text = format_levels(levels);
    answer.json["levels"] = levels;
    if (reads) add_moments(answer, automaton, cascade, word);
  } catch (const SizeLimit& error) {
    if (reads) throw;
    answer.line = std::string("not known: ") + error.what();
    answer.json["levels"] = nullptr;
    answer.json["levels_refusal"] = error.what();
  }
  return answer;
}

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
  std::optional<std::string> word;
  bool json = false;
};

int inspect(const InspectArguments& options) {
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
  RegularCosts costs_of(loaded.action, {{}, true, forecast.refusal});
  std::vector<CostTable> costs;
  for (const std::uint64_t length : options.at) {
    costs.push_back(costs_of.at(length));
    out["at"].push_back(costs_json(costs.back()));
  }
  const std::string depth = known_depth(forecast, groups, costs.front());
  out["depth"] = depth;
  const LevelsAnswer levels = inspect_levels(loaded, options.word);
  out.update(levels.json);
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
  add_optional(*command, "--word", options->word,
               "print the coordinates of every level after each prefix of this word")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "print one JSON object");
  return [options] { return inspect(*options); };
}

}}  // namespace logdepth::cli
