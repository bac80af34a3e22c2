#include "objects/cascade_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "objects/permutation_group.hpp"

namespace logdepth::inline objects {
namespace {

class CascadeRun {
 public:
  explicit CascadeRun(const Cascade& cascade) : cascade_(cascade) {
    chains_.push_back({{}});
    for (const CascadeLevel& level : cascade.levels) {
      const auto& above = chains_.back();
      std::vector<Chain> below;
      for (std::size_t c = 0; c < level.contexts; ++c)
        for (std::uint32_t k = 0; k < level.coordinates.size(); ++k) {
          const std::uint32_t next = level.next[c][k];
          if (next == kNoContext) continue;
          below.resize(std::max<std::size_t>(below.size(), next + 1));
          below[next] = above[c];
          below[next].push_back(k);
        }
      chains_.push_back(std::move(below));
    }
  }

  CascadeMoment moment(const std::vector<std::uint32_t>& coordinates) {
    CascadeMoment moment;
    moment.coordinates = coordinates;
    std::uint32_t context = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      context = cascade_.levels[i].next[context][coordinates[i]];
      moment.states.push_back(left(i + 1, context));
    }
    moment.state = cascade_.state[context];
    return moment;
  }

  CascadeMoment after(const CascadeMoment& before, Letter letter) {
    std::vector<std::uint32_t> coordinates;
    std::vector<LevelStep> steps;
    std::uint32_t context = 0;
    for (std::size_t i = 0; i < cascade_.levels.size(); ++i) {
      const CascadeLevel& level = cascade_.levels[i];
      const std::uint32_t map = level.action[letter][context], k = before.coordinates[i];
      steps.push_back({map, change_of(level.maps[map]), decided_by(i, letter, context)});
      coordinates.push_back(level.maps[map][k]);
      context = level.next[context][k];
    }
    CascadeMoment result = moment(coordinates);
    result.steps = std::move(steps);
    return result;
  }

 private:
  using Chain = std::vector<std::uint32_t>;

  /// The states whose chains begin as this one, which ends above the level.
  const std::vector<State>& left(std::size_t level, std::uint32_t context) {
    const auto [known, added] = left_.try_emplace({level, context});
    if (!added) return known->second;
    const Chain& begun = chains_[level][context];
    std::set<State> states;
    const auto& whole = chains_.back();
    for (std::size_t chain = 0; chain < whole.size(); ++chain)
      if (std::equal(begun.begin(), begun.end(), whole[chain].begin()))
        states.insert(cascade_.state[chain]);
    return known->second = {states.begin(), states.end()};
  }

  const std::vector<std::size_t>& decided_by(std::size_t level, Letter letter,
                                             std::uint32_t context) {
    const auto [known, added] = decided_.try_emplace({level, letter, context});
    std::vector<std::size_t>& kept = known->second;
    if (!added) return kept;
    const std::vector<std::uint32_t>& action = cascade_.levels[level].action[letter];
    const std::vector<Chain>& contexts = chains_[level];
    const auto tell = [&](const std::vector<std::size_t>& levels) {
      for (std::size_t c = 0; c < contexts.size(); ++c) {
        const auto same = [&](std::size_t i) { return contexts[c][i] == contexts[context][i]; };
        if (action[c] != action[context] && std::ranges::all_of(levels, same)) return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < level; ++i) kept.push_back(i);
    for (std::size_t i = 0; i < level; ++i) {
      std::vector<std::size_t> fewer = kept;
      std::erase(fewer, i);
      if (tell(fewer)) kept = std::move(fewer);
    }
    return kept;
  }

  const Cascade& cascade_;
  std::vector<std::vector<Chain>>
      chains_;  // of coordinates of the levels above each; all: the last
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<State>> left_;
  std::map<std::tuple<std::size_t, Letter, std::uint32_t>, std::vector<std::size_t>> decided_;
};

}  // namespace

LevelChange change_of(const Transformation& map) {
  if (map == identity_transformation(map.size())) return LevelChange::kept;
  if (is_reset(map)) return LevelChange::reset;
  return is_permutation(map) ? LevelChange::permuted : LevelChange::mapped;
}

std::string change_text(LevelChange change) {
  switch (change) {
    case LevelChange::kept:
      return "kept";
    case LevelChange::permuted:
      return "permuted";
    case LevelChange::reset:
      return "reset";
    case LevelChange::mapped:
      break;
  }
  return "mapped";
}

std::string cycles_text(const Transformation& permutation) {
  std::string text;
  std::vector<bool> seen(permutation.size());
  for (State first = 0; first < permutation.size(); ++first) {
    if (seen[first] || permutation[first] == first) continue;
    std::string cycle;
    for (State k = first; !seen[k]; k = permutation[k]) {
      seen[k] = true;
      cycle += fmt::format("{}{}", cycle.empty() ? "" : " ", k);
    }
    text += "(" + cycle + ")";
  }
  return text.empty() ? "id" : text;
}

std::vector<CascadeMoment> run_cascade(const Cascade& cascade, const Word& word) {
  CascadeRun run(cascade);
  std::vector<CascadeMoment> moments{run.moment(coordinates_after(cascade, {}))};
  for (const Letter letter : word) moments.push_back(run.after(moments.back(), letter));
  return moments;
}

}  // namespace logdepth::inline objects
