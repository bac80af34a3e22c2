#include "objects/holonomy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth { inline namespace objects {
namespace {

StateSet no_states(std::size_t states) {
  return StateSet((states + 63) / 64, 0);
}

void insert(StateSet& set, State q) {
  set[q / 64] |= std::uint64_t{1} << q % 64;
}

bool within(const StateSet& part, const StateSet& set) {
  for (std::size_t i = 0; i < part.size(); ++i)
    if (part[i] & ~set[i]) return false;
  return true;
}

/// The image sets and what letters do to them.
class ImageSets {
 public:
  ImageSets(const Dfa& dfa, Holonomy& found) : dfa_(dfa), found_(found) {
    if (dfa.states() >= kMostImageSets) refuse(kMostImageSets);  // every single state is a set
    StateSet all = no_states(dfa.states());
    for (State q = 0; q < dfa.states(); ++q) insert(all, q);
    add(std::move(all));
    for (State q = 0; q < dfa.states(); ++q) {
      StateSet one = no_states(dfa.states());
      insert(one, q);
      add(std::move(one));
    }
    for (std::size_t i = 0; i < found_.sets.size(); ++i) {
      const std::vector<State> states = states_of(found_.sets[i]);
      for (Letter letter = 0; letter < found_.letters; ++letter) {
        StateSet image = no_states(dfa.states());
        for (const State q : states) insert(image, dfa_.step(q, letter));
        found_.image.push_back(add(std::move(image)));
      }
    }
  }

 private:
  std::uint32_t add(StateSet set) {
    const auto next = static_cast<std::uint32_t>(found_.sets.size());
    const auto [place, added] = number_.emplace(std::move(set), next);
    if (!added) return place->second;
    if (next == kMostImageSets || (next + 1) * found_.letters > kMostImageSteps) refuse(next);
    found_.sets.push_back(place->first);
    return next;
  }

  [[noreturn]] void refuse(std::size_t sets) const {
    throw SizeLimit(fmt::format(
        "words map the {} states of the automaton onto more than {} different sets, the limit{}; "
        "try the scan construction",
        dfa_.states(), sets,
        sets == kMostImageSets ? "" : fmt::format(" for {} letters", found_.letters)));
  }

  const Dfa& dfa_;
  Holonomy& found_;
  std::map<StateSet, std::uint32_t> number_;
};

/// The strongly connected components of the graph of images, each after those it leads to.
std::vector<std::vector<std::uint32_t>> components(const Holonomy& graph) {
  std::vector<std::vector<std::uint32_t>> images, found;
  for (std::size_t set = 0; set < graph.sets.size(); ++set) {
    const auto first = graph.image.begin() + static_cast<std::ptrdiff_t>(set * graph.letters);
    images.emplace_back(first, first + static_cast<std::ptrdiff_t>(graph.letters));
  }
  const std::vector<std::uint32_t> component = strong_components(images);
  for (std::uint32_t set = 0; set < component.size(); ++set) {
    if (component[set] >= found.size()) found.resize(component[set] + 1);
    found[component[set]].push_back(set);
  }
  return found;
}

/// The greatest sets properly inside `whole`, in lexicographic order. `larger_first`: all sets.
std::vector<std::uint32_t> greatest_inside(const Holonomy& h, std::uint32_t whole,
                                           const std::vector<std::uint32_t>& larger_first,
                                           const std::vector<std::size_t>& size) {
  std::vector<std::uint32_t> greatest;
  const auto smaller =
      std::partition_point(larger_first.begin(), larger_first.end(),
                           [&](std::uint32_t set) { return size[set] >= size[whole]; });
  for (auto set = smaller; set != larger_first.end(); ++set)
    if (within(h.sets[*set], h.sets[whole]) &&
        std::none_of(greatest.begin(), greatest.end(),
                     [&](std::uint32_t tile) { return within(h.sets[*set], h.sets[tile]); }))
      greatest.push_back(*set);
  std::sort(greatest.begin(), greatest.end(), [&](std::uint32_t a, std::uint32_t b) {
    return states_of(h.sets[a]) < states_of(h.sets[b]);
  });
  return greatest;
}

}  // namespace

std::vector<State> states_of(const StateSet& set) {
  std::vector<State> states;
  for (State q = 0; q < 64 * set.size(); ++q)
    if (set[q / 64] >> q % 64 & 1) states.push_back(q);
  return states;
}

std::uint32_t Holonomy::tile_number(std::uint32_t set, std::uint32_t tile) const {
  return static_cast<std::uint32_t>(std::find(tiles[set].begin(), tiles[set].end(), tile) -
                                    tiles[set].begin());
}

std::uint32_t Holonomy::tile_around(std::uint32_t set, std::uint32_t part) const {
  return static_cast<std::uint32_t>(
      std::find_if(tiles[set].begin(), tiles[set].end(),
                   [&](std::uint32_t tile) { return within(sets[part], sets[tile]); }) -
      tiles[set].begin());
}

// A set and its image under a word that leads back have one size, so a class is a strongly connected
// component of the graph of images alone: steps to proper subsets lead to fewer states, for good.
Holonomy decompose(const Dfa& dfa) {
  Holonomy h;
  h.letters = dfa.alphabet.size();
  h.initial = dfa.initial;
  ImageSets(dfa, h);

  std::vector<std::size_t> size;
  for (const StateSet& set : h.sets) size.push_back(states_of(set).size());
  std::vector<std::uint32_t> larger_first(h.sets.size());
  std::iota(larger_first.begin(), larger_first.end(), 0);
  std::stable_sort(larger_first.begin(), larger_first.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return size[a] > size[b]; });

  // What lies strictly below a class comes before it: smaller sets, and images of the same size.
  auto found = components(h);
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return size[a.front()] < size[b.front()]; });
  h.class_of.resize(h.sets.size());
  h.tiles.resize(h.sets.size());
  for (auto& members : found) {
    const auto number = static_cast<std::uint32_t>(h.classes.size());
    for (const std::uint32_t set : members) h.class_of[set] = number;
    Holonomy::Class& added = h.classes.emplace_back();
    added.members = std::move(members);
    const std::uint32_t representative = added.members.front();
    if (size[representative] == 1) continue;
    h.tiles[representative] = greatest_inside(h, representative, larger_first, size);
    for (const std::uint32_t tile : h.tiles[representative])
      added.height = std::max(added.height, h.height(tile) + 1);
    std::vector<std::uint32_t> reached{representative};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (Letter letter = 0; letter < h.letters; ++letter) {
        const std::uint32_t image = h.image[reached[i] * h.letters + letter];
        if (h.class_of[image] != number) {
          added.height = std::max(added.height, h.height(image) + 1);
        } else if (h.tiles[image].empty()) {
          for (const std::uint32_t tile : h.tiles[reached[i]])
            h.tiles[image].push_back(h.image[tile * h.letters + letter]);
          reached.push_back(image);
        }
      }
  }
  return h;
}

namespace {

std::string set_name(const StateSet& set) {
  const std::vector<State> states = states_of(set);
  std::vector<std::string> shown;
  for (const State q : states)
    if (shown.size() < 6) shown.push_back(std::to_string(q));
  if (states.size() > 6) shown.back() = fmt::format("... {} states", states.size());
  return "{" + joined(shown, ",") + "}";
}

/// Chains of coordinates of the levels so far that words reach, in breadth-first order from the
/// first, letters in index order. They are the contexts of the level below.
struct Chains {
  std::vector<std::uint32_t> set;                ///< the last of each chain
  std::vector<std::vector<std::uint32_t>> move;  ///< move[letter][chain]
};

/// Adds the level of one height to the chains of those above.
class LevelOfHeight {
 public:
  LevelOfHeight(const Holonomy& h, std::size_t height, const Chains& above)
      : h_(h), above_(above), tells_classes_(false) {
    level_.height = height;
    level_.contexts = above.set.size();
    for (std::uint32_t c = 0; c < above.set.size(); ++c) {
      if (meets(c)) {
        first_coordinate_[h_.class_of[above.set[c]]];
      } else {
        has_none_ = true;
      }
      for (Letter letter = 0; letter < h_.letters; ++letter)
        if (permutes(letter, c)) tells_classes_ = tells_classes_ || !keeps_numbers(letter, c);
    }
    name_coordinates();
    level_.initial = meets(0) ? coordinate(0, h_.tile_around(above.set[0], initial_state())) : 0;
  }

  /// The level, with its actions; `chains` are the chains down to it.
  CascadeLevel build(std::size_t number, Chains& chains) {
    add_actions();
    add_chains(number, chains);
    return std::move(level_);
  }

 private:
  /// Does the chain end in a set of this height?
  bool meets(std::uint32_t context) const {
    return h_.height(above_.set[context]) == level_.height;
  }
  std::uint32_t image(std::uint32_t set, Letter letter) const {
    return h_.image[set * h_.letters + letter];
  }
  bool permutes(Letter letter, std::uint32_t context) const {
    const std::uint32_t after = above_.move[letter][context];
    return meets(context) && meets(after) &&
           image(above_.set[context], letter) == above_.set[after];
  }
  /// Number of the tile in the set after the letter, of tile number k in the set before.
  std::uint32_t number_after(Letter letter, std::uint32_t set, std::uint32_t k) const {
    return h_.tile_number(image(set, letter), image(h_.tiles[set][k], letter));
  }
  bool keeps_numbers(Letter letter, std::uint32_t context) const {
    const std::uint32_t set = above_.set[context];
    for (std::uint32_t k = 0; k < h_.tiles[set].size(); ++k)
      if (number_after(letter, set, k) != k) return false;
    return true;
  }
  /// The set of the initial state alone.
  std::uint32_t initial_state() const {
    for (std::uint32_t set = 0;; ++set)
      if (h_.tiles[set].empty() && states_of(h_.sets[set]).front() == h_.initial) return set;
  }

  void name_coordinates() {
    if (has_none_) level_.coordinates.push_back("-");
    const bool one_class = first_coordinate_.size() == 1;
    std::size_t most = 0;
    for (auto& [number, first] : first_coordinate_) {
      const std::uint32_t representative = h_.classes[number].members.front();
      const auto& tiles = h_.tiles[representative];
      first = static_cast<std::uint32_t>(tells_classes_ ? level_.coordinates.size() : has_none_);
      most = std::max(most, tiles.size());
      if (!tells_classes_ && !one_class) continue;
      for (const std::uint32_t tile : tiles)
        level_.coordinates.push_back(set_name(h_.sets[tile]) +
                                     (one_class ? "" : " of " + set_name(h_.sets[representative])));
    }
    if (tells_classes_ || one_class) return;
    for (std::size_t k = 0; k < most; ++k) level_.coordinates.push_back(fmt::format("tile {}", k));
  }

  std::uint32_t coordinate(std::uint32_t context, std::uint32_t tile) const {
    return first_coordinate_.at(h_.class_of[above_.set[context]]) + tile;
  }

  /// The coordinate that the letter resets the level to.
  std::uint32_t reset_to(Letter letter, std::uint32_t context) const {
    const std::uint32_t after = above_.move[letter][context];
    if (!meets(after)) return 0;
    return coordinate(after, h_.tile_around(above_.set[after], image(above_.set[context], letter)));
  }

  void add_actions() {
    const std::size_t points = level_.coordinates.size();
    std::map<Transformation, std::uint32_t> number{{identity_transformation(points), 0}};
    level_.maps.push_back(identity_transformation(points));
    const auto add = [&](const Transformation& map) {
      const auto [place, added] =
          number.emplace(map, static_cast<std::uint32_t>(level_.maps.size()));
      if (added) level_.maps.push_back(map);
      return place->second;
    };
    std::vector<std::optional<std::uint32_t>> reset(points);                // by coordinate
    std::map<std::pair<std::uint32_t, Letter>, std::uint32_t> permutation;  // by set and letter
    for (Letter letter = 0; letter < h_.letters; ++letter) {
      std::vector<std::uint32_t>& action = level_.action.emplace_back();
      for (std::uint32_t c = 0; c < level_.contexts; ++c) {
        if (!permutes(letter, c)) {
          const std::uint32_t to = reset_to(letter, c);
          if (!reset[to]) reset[to] = add(Transformation(points, to));
          action.push_back(*reset[to]);
          continue;
        }
        const std::uint32_t set = above_.set[c];
        auto known = permutation.find({set, letter});
        if (known == permutation.end()) {
          Transformation map = identity_transformation(points);
          for (std::uint32_t k = 0; k < h_.tiles[set].size(); ++k)
            map[coordinate(c, k)] = coordinate(c, number_after(letter, set, k));
          known = permutation.emplace(std::pair(set, letter), add(map)).first;
        }
        action.push_back(known->second);
      }
    }
  }

  void add_chains(std::size_t number, Chains& chains) {
    level_.next.assign(level_.contexts,
                       std::vector<std::uint32_t>(level_.coordinates.size(), kNoContext));
    chains.move.resize(h_.letters);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> reached;  // context, coordinate
    const auto reach = [&](std::uint32_t c, std::uint32_t k) {
      std::uint32_t& next = level_.next[c][k];
      if (next != kNoContext) return next;
      const std::size_t size = reached.size();
      if (size == kMostChains || (size + 1) * h_.letters > kMostImageSteps)
        throw SizeLimit(fmt::format(
            "level {} of the cascade has more than {} chains of coordinates, the limit{}; try the "
            "scan construction",
            number, size, size == kMostChains ? "" : fmt::format(" for {} letters", h_.letters)));
      next = static_cast<std::uint32_t>(size);
      reached.emplace_back(c, k);
      chains.set.push_back(meets(c) ? h_.tiles[above_.set[c]][k - coordinate(c, 0)]
                                    : above_.set[c]);
      return next;
    };
    reach(0, level_.initial);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto [c, k] = reached[i];
      for (Letter letter = 0; letter < h_.letters; ++letter)
        chains.move[letter].push_back(
            reach(above_.move[letter][c], level_.maps[level_.action[letter][c]][k]));
    }
  }

  const Holonomy& h_;
  const Chains& above_;
  CascadeLevel level_;
  bool has_none_ = false;
  bool tells_classes_;
  std::map<std::uint32_t, std::uint32_t> first_coordinate_;  // by class
};

}  // namespace

Cascade to_cascade(const Holonomy& holonomy) {
  Cascade cascade;
  cascade.letters = holonomy.letters;
  Chains chains{{0}, std::vector(holonomy.letters, std::vector<std::uint32_t>{0})};
  for (std::size_t height = holonomy.height(0); height > 0; --height) {
    Chains longer;
    CascadeLevel level =
        LevelOfHeight(holonomy, height, chains).build(cascade.levels.size() + 1, longer);
    // Where each chain goes on in one way, the two kinds of chains have the same numbers, too.
    if (longer.set.size() > chains.set.size()) cascade.levels.push_back(std::move(level));
    chains = std::move(longer);
  }
  for (const std::uint32_t set : chains.set)
    cascade.state.push_back(states_of(holonomy.sets[set]).front());
  return cascade;
}

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

}}  // namespace logdepth::objects
