#include "report/pictures/draw_levels.hpp"

#include <fmt/core.h>

#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/cascade_run.hpp"
#include "objects/group_names.hpp"
#include "report/pictures/svg_text.hpp"

namespace logdepth::inline report_pictures {
namespace {

constexpr std::size_t kCyclesCharacters = 14, kTitleCharacters = 80;

std::string group_note(const PermutationGroup& group) {
  if (group.order() == 1) return "resets only";
  return group_name(group).value_or(fmt::format("group of order {}", group.order()));
}

StackStep::Kind kind_of(LevelChange change) {
  switch (change) {
    case LevelChange::kept:
      return StackStep::Kind::kept;
    case LevelChange::permuted:
      return StackStep::Kind::permuted;
    case LevelChange::reset:
      return StackStep::Kind::reset;
    case LevelChange::mapped:
      break;
  }
  return StackStep::Kind::mapped;
}

StackStep drawn(const CascadeLevel& level, const LevelStep& step) {
  StackStep result{kind_of(step.change), {}, step.decided_by, change_text(step.change)};
  if (step.change == LevelChange::permuted) {
    // The cycles are those of the numbers that the cells show, where "-" has none.
    Transformation map = level.maps[step.map];
    if (level.coordinates.front() == "-") {
      map.erase(map.begin());
      for (State& image : map) --image;
    }
    const std::string cycles = cycles_text(map);
    result.text = cycles.size() <= kCyclesCharacters ? cycles : fmt::format("p{}", step.map);
    result.note += " by " + cycles;
  }
  std::vector<std::string> above;
  for (const std::size_t i : step.decided_by) above.push_back(std::to_string(i + 1));
  if (!above.empty())
    result.note += fmt::format(", as level{} {} {}", above.size() == 1 ? "" : "s",
                               joined(above, " and "), above.size() == 1 ? "says" : "say");
  return result;
}

}  // namespace

LevelStack draw_levels(const Dfa& dfa, const Cascade& cascade,
                       const std::vector<std::string>& states, const Word& word,
                       const std::string& name) {
  if (cascade.levels.size() > kMostDrawnLevels)
    throw SizeLimit(fmt::format("a picture shows at most {} levels, not {}", kMostDrawnLevels,
                                cascade.levels.size()));
  if (word.size() > kMostDrawnLetters)
    throw SizeLimit(fmt::format("a picture shows words of at most {} letters, not of {}",
                                kMostDrawnLetters, word.size()));
  LevelStack stack;
  stack.title = cut_text(name, kTitleCharacters);
  stack.subtitle = fmt::format(
      "{}: read a column downwards; each level chooses a part of what is left above it, down to "
      "one state",
      counted(cascade.levels.size(), "level"));
  for (const Letter letter : word)
    stack.letters.push_back(visible_letter(dfa.alphabet.name(letter)));
  stack.points = dfa.states();
  stack.point_names = states;
  stack.points_name = counted(dfa.states(), "state");
  stack.results_name = "state";
  stack.good_name = "accepting state";
  stack.bad_name = "rejecting";
  for (std::size_t i = 0; i < cascade.levels.size(); ++i)
    stack.levels.push_back({fmt::format("level {}", i + 1),
                            group_note(level_group(cascade, i)),
                            cascade.levels[i].coordinates,
                            cascade.levels[i].coordinates.front() == "-",
                            {},
                            {}});
  for (const CascadeMoment& moment : run_cascade(cascade, word)) {
    for (std::size_t i = 0; i < cascade.levels.size(); ++i) {
      StackLevel& level = stack.levels[i];
      level.cells.push_back(
          {moment.coordinates[i], {moment.states[i].begin(), moment.states[i].end()}});
      if (!moment.steps.empty()) level.steps.push_back(drawn(cascade.levels[i], moment.steps[i]));
    }
    stack.results.push_back(states[moment.state]);
    stack.good.push_back(dfa.accepting[moment.state]);
  }
  return stack;
}

}  // namespace logdepth::inline report_pictures
