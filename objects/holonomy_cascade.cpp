#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"
#include "objects/holonomy.hpp"

namespace logdepth::inline objects {
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

}  // namespace logdepth::inline objects
