#include "objects/holonomy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline objects {
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

/// The strongly connected components of the graph of images, each after those it leads to (Tarjan,
/// without recursion).
std::vector<std::vector<std::uint32_t>> components(const Holonomy& graph) {
  constexpr std::uint32_t unseen = UINT32_MAX;
  const std::size_t n = graph.sets.size();
  std::vector<std::uint32_t> order(n, unseen), low(n), arcs(n, 0), stack, path;
  std::vector<bool> on_stack(n, false);
  std::vector<std::vector<std::uint32_t>> found;
  std::uint32_t count = 0;
  const auto enter = [&](std::uint32_t v) {
    order[v] = low[v] = count++;
    path.push_back(v);
    stack.push_back(v);
    on_stack[v] = true;
  };
  for (std::uint32_t start = 0; start < n; ++start) {
    if (order[start] != unseen) continue;
    enter(start);
    while (!path.empty()) {
      const std::uint32_t v = path.back();
      if (arcs[v] < graph.letters) {
        const std::uint32_t w = graph.image[v * graph.letters + arcs[v]++];
        if (order[w] == unseen) {
          enter(w);
        } else if (on_stack[w]) {
          low[v] = std::min(low[v], order[w]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
      if (low[v] != order[v]) continue;
      std::vector<std::uint32_t>& component = found.emplace_back();
      std::uint32_t w;
      do {
        w = stack.back();
        stack.pop_back();
        on_stack[w] = false;
        component.push_back(w);
      } while (w != v);
      std::sort(component.begin(), component.end());
    }
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

// A word from the representative R back to R goes through sets of the class; what each of its letters
// does to tile numbers is a permutation of the tiles of R: back along the word from R to the set before
// the letter, the letter, and on along the inverse of the word to the set after it.
PermutationGroup holonomy_group(const Holonomy& h, std::size_t class_number) {
  const std::vector<std::uint32_t>& members = h.classes[class_number].members;
  std::vector<Transformation> permutations;
  for (const std::uint32_t set : members)
    for (Letter letter = 0; letter < h.letters; ++letter) {
      const std::uint32_t image = h.image[set * h.letters + letter];
      if (h.class_of[image] != class_number) continue;
      Transformation& permutation = permutations.emplace_back();
      for (const std::uint32_t tile : h.tiles[set])
        permutation.push_back(h.tile_number(image, h.image[tile * h.letters + letter]));
    }
  auto group = generated_group(permutations, h.tiles[members.front()].size(), kLargestLevelGroup);
  if (!group)
    throw SizeLimit(
        fmt::format("at height {} the tiles of a set have a group of more than {} "
                    "permutations, the limit; try the scan construction",
                    h.classes[class_number].height, kLargestLevelGroup));
  return std::move(*group);
}

}  // namespace logdepth::inline objects
