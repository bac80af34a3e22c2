#include "objects/cascade_summary.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/phrases.hpp"

namespace logdepth::inline objects {
namespace {

constexpr std::size_t kNamedCoordinates = 8;

std::string coordinates_text(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamedCoordinates);
  return counted(names.size(), "coordinate") + " " +
         joined({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, " ") +
         (shown < names.size() ? " ..." : "");
}

}  // namespace

GroupSummary summarise(const PermutationGroup& group) {
  GroupSummary summary{group.order(), {}};
  if (const auto steps = abelian_steps(group)) {
    summary.steps.emplace();
    for (const AbelianStep& step : *steps) summary.steps->push_back(step.orders);
  }
  return summary;
}

std::string format_group(const GroupSummary& group) {
  if (!group.steps) return fmt::format("order {}, not solvable", group.order);
  if (group.steps->empty()) return "trivial";
  std::vector<std::string> quotients;
  for (const auto& orders : *group.steps) {
    std::vector<std::string> factors;
    for (const std::uint32_t m : orders) factors.push_back(fmt::format("Z{}", m));
    quotients.push_back(joined(factors, " x "));
  }
  return fmt::format("order {}: {}", group.order, joined(quotients));
}

std::vector<ClassSummary> summarise(const Holonomy& holonomy) {
  std::vector<ClassSummary> summaries;
  for (std::size_t i = 0; i < holonomy.classes.size(); ++i) {
    const Holonomy::Class& found = holonomy.classes[i];
    if (found.height == 0) continue;
    const std::uint32_t representative = found.members.front();
    ClassSummary& summary = summaries.emplace_back();
    summary.height = found.height;
    summary.representative = states_of(holonomy.sets[representative]);
    summary.members = found.members.size();
    for (const std::uint32_t tile : holonomy.tiles[representative])
      summary.tiles.push_back(states_of(holonomy.sets[tile]));
    summary.group = summarise(holonomy_group(holonomy, i));
  }
  std::stable_sort(
      summaries.begin(), summaries.end(),
      [](const ClassSummary& a, const ClassSummary& b) { return a.height > b.height; });
  return summaries;
}

std::vector<LevelSummary> summarise(const Cascade& cascade) {
  std::vector<LevelSummary> summaries;
  for (std::size_t i = 0; i < cascade.levels.size(); ++i) {
    const CascadeLevel& level = cascade.levels[i];
    LevelSummary& summary = summaries.emplace_back();
    summary.height = level.height;
    summary.coordinates = level.coordinates;
    summary.contexts = level.contexts;
    for (const Transformation& map : level.maps) {
      if (is_reset(map)) {
        ++summary.resets;
      } else if (!is_permutation(map)) {
        ++summary.other_maps;
      } else if (map != level.maps.front()) {
        ++summary.permutations;
      }
    }
    summary.group = summarise(level_group(cascade, i));
  }
  return summaries;
}

std::string format_levels(const std::vector<LevelSummary>& levels) {
  std::string text;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const LevelSummary& level = levels[i];
    std::vector<std::string> parts{coordinates_text(level.coordinates)};
    if (level.resets > 0) parts.push_back(counted(level.resets, "reset"));
    if (level.permutations > 0)
      parts.push_back(fmt::format("{} of a group of {}", counted(level.permutations, "permutation"),
                                  format_group(level.group)));
    if (level.other_maps > 0) parts.push_back(counted(level.other_maps, "other map"));
    parts.push_back(counted(level.contexts, "context"));
    text += fmt::format("level {}: {}\n", i + 1, joined(parts));
  }
  return text;
}

}  // namespace logdepth::inline objects
