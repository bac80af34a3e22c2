#include "cli/inspect_levels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "constructions/product_forecast.hpp"
#include "logdepth/errors.hpp"
#include "objects/cascade_run.hpp"
#include "objects/cascade_summary.hpp"
#include "objects/transition_monoid.hpp"
#include "report/pictures/draw_levels.hpp"
#include "report/pictures/save_drawing.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

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

json levels_json(const std::vector<LevelSummary>& levels) {
  json out = json::array();
  for (const LevelSummary& level : levels) {
    json group = {{"order", level.group.order}, {"steps", nullptr}};
    if (level.group.steps) group["steps"] = *level.group.steps;
    out.push_back({{"height", level.height},
                   {"coordinates", level.coordinates},
                   {"resets", level.resets},
                   {"permutations", level.permutations},
                   {"group", group},
                   {"contexts", level.contexts}});
  }
  return out;
}

std::string padded_to(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, count_characters(text)), ' ');
}

/// Rows of texts, in columns.
std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_characters(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded_to(row[i], widths[i] + 2);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
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

}  // namespace

void LevelsOptions::add_to(CLI::App& app) {
  word_option =
      app.add_option("--word", word,
                     "print the coordinates of every level after each prefix of this word")
          ->allow_extra_args(false);
  app.add_option(
      "--levels", picture,
      "draw the path of --word through the levels to this file: .svg, .html, .pdf or .png");
}

LevelsAnswer inspect_levels(const LoadedAutomaton& loaded, const LevelsOptions& options) {
  const bool reads = options.word_option->count() > 0;
  if (!options.picture.empty() && !reads) throw InputError("--levels requires --word");
  Word word;
  if (reads) try {
      word = loaded.action.alphabet.parse_word(options.word);
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
    answer.json["levels"] = levels_json(levels);
    if (reads) add_moments(answer, automaton, cascade, word);
    if (!options.picture.empty()) {
      save_picture(level_stack_picture(draw_levels(
                       automaton.dfa, cascade, automaton.states, word,
                       loaded.name + " on " + loaded.action.alphabet.format_word(word))),
                   options.picture);
      std::cerr << "wrote " << options.picture << '\n';
    }
  } catch (const SizeLimit& error) {
    if (reads) throw;
    answer.line = std::string("not known: ") + error.what();
    answer.json["levels"] = nullptr;
    answer.json["levels_refusal"] = error.what();
  }
  return answer;
}

}  // namespace logdepth::inline cli
