#include "objects/transition_monoid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline objects {

namespace {

constexpr std::uint32_t absent = 0xFFFFFFFFu;

std::size_t hash_of(const Transformation& transformation) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const State image : transformation) {
    hash = (hash ^ image) * 0x100000001B3u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

std::uint32_t look_up(const TransitionMonoid& monoid, const Transformation& transformation,
                      std::size_t hash) {
  const auto [begin, end] = monoid.index.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    if (monoid.elements[entry->second] == transformation) return entry->second;
  }
  return absent;
}

}  // namespace

std::uint32_t TransitionMonoid::find(const Transformation& transformation) const {
  const std::uint32_t element = look_up(*this, transformation, hash_of(transformation));
  if (element == absent) {
    throw std::out_of_range("TransitionMonoid::find: " + format_transformation(transformation) +
                            " is not an element");
  }
  return element;
}

bool TransitionMonoid::contains(const Transformation& transformation) const {
  return look_up(*this, transformation, hash_of(transformation)) != absent;
}

std::vector<std::pair<std::uint32_t, Letter>> TransitionMonoid::last_steps() const {
  std::vector<std::pair<std::uint32_t, Letter>> steps(size(), {0, 0});
  std::uint32_t found = 1;
  for (std::uint32_t e = 0; e < size(); ++e) {
    for (Letter letter = 0; letter < generator.size(); ++letter) {
      if (right[e][letter] == found) steps[found++] = {e, letter};
    }
  }
  return steps;
}

std::vector<std::uint32_t> TransitionMonoid::product_table() const {
  // Column b of a row follows from an earlier column: a*(p*letter) = (a*p)*letter.
  const auto last_step = last_steps();
  std::vector<std::uint32_t> table(size() * size());
  for (std::size_t a = 0; a < size(); ++a) {
    std::uint32_t* row = table.data() + a * size();
    row[0] = static_cast<std::uint32_t>(a);
    for (std::size_t b = 1; b < size(); ++b) {
      row[b] = right[row[last_step[b].first]][last_step[b].second];
    }
  }
  return table;
}

std::vector<std::vector<std::uint32_t>> TransitionMonoid::left() const {
  const auto last_step = last_steps();
  std::vector<std::vector<std::uint32_t>> left(size(), generator);
  for (std::size_t e = 1; e < size(); ++e) {
    for (Letter letter = 0; letter < generator.size(); ++letter) {
      left[e][letter] = right[left[last_step[e].first][letter]][last_step[e].second];
    }
  }
  return left;
}

bool TransitionMonoid::is_group() const {
  return std::all_of(generator.begin(), generator.end(), [&](std::uint32_t g) {
    std::vector<bool> hit(elements[g].size(), false);
    for (const State image : elements[g]) hit[image] = true;
    return std::find(hit.begin(), hit.end(), false) == hit.end();
  });
}

bool TransitionMonoid::is_aperiodic() const {
  // x^k = x^(k+1) for some k iff every cycle of x, as a map of points, is a fixed point.
  std::vector<std::size_t> seen;
  for (const Transformation& x : elements) {
    seen.assign(x.size(), 0);
    for (std::size_t start = 0; start < x.size(); ++start) {
      State q = static_cast<State>(start);
      while (seen[q] == 0) {
        seen[q] = start + 1;
        q = x[q];
      }
      if (seen[q] == start + 1 && x[q] != q) return false;
    }
  }
  return true;
}

bool TransitionMonoid::is_commutative() const {
  for (Letter a = 0; a < generator.size(); ++a) {
    for (Letter b = 0; b < a; ++b) {
      if (right[generator[a]][b] != right[generator[b]][a]) return false;
    }
  }
  return true;
}

std::optional<TransitionMonoid> enumerate_monoid(const std::vector<Transformation>& generators,
                                                 std::size_t points, std::size_t cap) {
  for (const Transformation& g : generators) {
    if (g.size() != points ||
        std::any_of(g.begin(), g.end(), [&](State q) { return q >= points; })) {
      throw std::invalid_argument("enumerate_monoid: a generator is not a map of the points");
    }
  }
  if (cap == 0) return std::nullopt;
  TransitionMonoid monoid;
  const Transformation identity = identity_transformation(points);
  monoid.index.emplace(hash_of(identity), 0);
  monoid.elements.push_back(identity);
  monoid.shortest_word.emplace_back();
  for (std::uint32_t e = 0; e < monoid.size(); ++e) {
    monoid.right.emplace_back(generators.size());
    for (Letter letter = 0; letter < generators.size(); ++letter) {
      Transformation product = compose(monoid.elements[e], generators[letter]);
      const std::size_t hash = hash_of(product);
      std::uint32_t element = look_up(monoid, product, hash);
      if (element == absent) {
        if (monoid.size() == cap) return std::nullopt;
        element = static_cast<std::uint32_t>(monoid.size());
        monoid.index.emplace(hash, element);
        monoid.elements.push_back(std::move(product));
        Word word = monoid.shortest_word[e];
        word.push_back(letter);
        monoid.shortest_word.push_back(std::move(word));
      }
      monoid.right[e][letter] = element;
    }
  }
  monoid.generator = monoid.right[0];
  return monoid;
}

Dfa automaton_of_products(const TransitionMonoid& monoid, const Alphabet& alphabet) {
  Dfa dfa{alphabet, 0, std::vector<bool>(monoid.size()), {}};
  dfa.accepting[0] = true;
  for (const auto& row : monoid.right) dfa.next.insert(dfa.next.end(), row.begin(), row.end());
  return dfa;
}

Dfa to_minimal_dfa(const Action& action, std::size_t max_states) {
  if (action.initial) return minimise(to_dfa(action));
  const auto monoid = enumerate_monoid(action.generators, action.points, max_states);
  if (!monoid) {
    throw SizeLimit(
        fmt::format("the automaton of this word problem needs a state for each product, more than "
                    "{} of them; work with the action on {} points instead, or try a smaller group",
                    max_states, action.points));
  }
  return minimise(automaton_of_products(*monoid, action.alphabet));
}

}  // namespace logdepth::inline objects
