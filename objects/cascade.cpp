#include "objects/cascade.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// A map of some of the coordinates; the others are kOpen.
using PartialMap = Transformation;
constexpr State kOpen = UINT32_MAX;

bool agree(const PartialMap& a, const PartialMap& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] != b[k] && a[k] != kOpen && b[k] != kOpen) return false;
  return true;
}

Transformation completed(PartialMap map) {
  std::vector<State> images;
  for (const State image : map)
    if (image != kOpen) images.push_back(image);
  const bool constant =
      std::adjacent_find(images.begin(), images.end(), std::not_equal_to<>()) == images.end();
  for (State k = 0; k < map.size(); ++k)
    if (map[k] == kOpen) map[k] = constant && !images.empty() ? images.front() : k;
  return map;
}

/// Maps that agree with all the partial ones, few and the identity first; and which one with each.
std::vector<Transformation> complete(const std::vector<PartialMap>& partial, std::size_t points,
                                     std::vector<std::uint32_t>& chosen) {
  // The fuller ones first: they leave the least choice.
  std::vector<std::size_t> order(partial.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto open = [&](std::size_t i) {
    return std::count(partial[i].begin(), partial[i].end(), kOpen);
  };
  std::vector<std::ptrdiff_t> opens;
  for (const std::size_t i : order) opens.push_back(open(i));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return opens[a] < opens[b]; });
  std::vector<PartialMap> maps{identity_transformation(points)};
  chosen.resize(partial.size());
  for (const std::size_t i : order) {
    std::uint32_t fit = 0;
    while (fit < maps.size() && !agree(maps[fit], partial[i])) ++fit;
    if (fit == maps.size()) maps.push_back(partial[i]);
    for (std::size_t k = 0; k < points; ++k)
      if (partial[i][k] != kOpen) maps[fit][k] = partial[i][k];
    chosen[i] = fit;
  }
  for (PartialMap& map : maps) map = completed(std::move(map));
  return maps;
}

}  // namespace

bool is_reset(const Transformation& map) {
  return map.size() > 1 &&
         std::adjacent_find(map.begin(), map.end(), std::not_equal_to<>()) == map.end();
}

PermutationGroup level_group(const Cascade& cascade, std::size_t level) {
  const std::vector<Transformation>& maps = cascade.levels[level].maps;
  std::vector<Transformation> permutations;
  std::copy_if(maps.begin(), maps.end(), std::back_inserter(permutations), is_permutation);
  auto group =
      generated_group(permutations, cascade.levels[level].coordinates.size(), kLargestLevelGroup);
  if (!group)
    throw SizeLimit(
        fmt::format("level {} of the cascade has a group of more than {} elements, the "
                    "limit; try the scan construction",
                    level + 1, kLargestLevelGroup));
  return std::move(*group);
}

Cascade merged(const Cascade& cascade, std::size_t first, std::size_t last) {
  const CascadeLevel& top = cascade.levels[first];
  using Tuple = std::vector<std::uint32_t>;
  // Of each context of the first level: its tuples, each with the context below the last level.
  std::vector<std::map<Tuple, std::uint32_t>> occurring(top.contexts);
  std::map<Tuple, std::uint32_t> number;  // of a coordinate of the new level
  for (std::uint32_t c = 0; c < top.contexts; ++c) {
    std::map<Tuple, std::uint32_t> tuples{{Tuple{}, c}};
    for (std::size_t i = first; i <= last; ++i) {
      std::map<Tuple, std::uint32_t> longer;
      for (const auto& [tuple, context] : tuples) {
        const std::vector<std::uint32_t>& next = cascade.levels[i].next[context];
        for (std::uint32_t k = 0; k < next.size(); ++k) {
          if (next[k] == kNoContext) continue;
          Tuple extended = tuple;
          extended.push_back(k);
          longer.emplace(std::move(extended), next[k]);
        }
      }
      tuples = std::move(longer);
    }
    for (const auto& [tuple, below] : tuples) number.emplace(tuple, 0);
    occurring[c] = std::move(tuples);
  }

  CascadeLevel level;
  level.height = top.height;
  level.contexts = top.contexts;
  for (auto& [tuple, k] : number) {
    k = static_cast<std::uint32_t>(level.coordinates.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tuple.size(); ++i)
      names.push_back(cascade.levels[first + i].coordinates[tuple[i]]);
    level.coordinates.push_back(joined(names, " "));
  }
  Tuple initial;
  for (std::size_t i = first; i <= last; ++i) initial.push_back(cascade.levels[i].initial);
  level.initial = number.at(initial);
  for (const auto& tuples : occurring) {
    std::vector<std::uint32_t>& next = level.next.emplace_back(number.size(), kNoContext);
    for (const auto& [tuple, below] : tuples) next[number.at(tuple)] = below;
  }

  std::vector<PartialMap> partial;
  for (Letter letter = 0; letter < cascade.letters; ++letter)
    for (std::uint32_t c = 0; c < top.contexts; ++c) {
      PartialMap& map = partial.emplace_back(number.size(), kOpen);
      for (const auto& [tuple, below] : occurring[c]) {
        Tuple after;
        std::uint32_t context = c;
        for (std::size_t i = first; i <= last; ++i) {
          const CascadeLevel& old = cascade.levels[i];
          const std::uint32_t before = tuple[i - first];
          after.push_back(old.maps[old.action[letter][context]][before]);
          context = old.next[context][before];
        }
        map[number.at(tuple)] = number.at(after);
      }
    }
  std::vector<std::uint32_t> chosen;
  level.maps = complete(partial, number.size(), chosen);
  for (auto row = chosen.begin(); row != chosen.end(); row += top.contexts)
    level.action.emplace_back(row, row + top.contexts);

  Cascade result{cascade.letters, {}, cascade.state};
  const auto levels = cascade.levels.begin();
  result.levels.assign(levels, levels + first);
  result.levels.push_back(std::move(level));
  result.levels.insert(result.levels.end(), levels + last + 1, cascade.levels.end());
  return result;
}

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
  constexpr const char* kNames[] = {"kept", "permuted", "reset", "mapped"};
  return kNames[static_cast<std::size_t>(change)];
}

std::vector<CascadeMoment> run_cascade(const Cascade& cascade, const Word& word) {
  CascadeRun run(cascade);
  std::vector<std::uint32_t> initial;
  for (const CascadeLevel& level : cascade.levels) initial.push_back(level.initial);
  std::vector<CascadeMoment> moments{run.moment(initial)};
  for (const Letter letter : word) moments.push_back(run.after(moments.back(), letter));
  return moments;
}

}}  // namespace logdepth::objects
