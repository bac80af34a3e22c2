#include "objects/transition_monoid.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
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
  return std::ranges::all_of(generator,
                             [&](std::uint32_t g) { return is_permutation(elements[g]); });
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

namespace {

using Arcs = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::vector<std::uint32_t> strong_components(const Arcs& arcs) {
  const auto vertices = static_cast<std::uint32_t>(arcs.size());
  std::vector<std::uint32_t> component(vertices, kNone), number(vertices, kNone), low(vertices);
  std::vector<std::uint32_t> open;                          // not yet in a component
  std::vector<std::pair<std::uint32_t, std::size_t>> walk;  // vertices and their next arcs
  std::uint32_t numbers = 0, components = 0;
  const auto enter = [&](std::uint32_t v) {
    number[v] = low[v] = numbers++;
    open.push_back(v);
    walk.emplace_back(v, 0);
  };
  for (std::uint32_t root = 0; root < vertices; ++root) {
    if (number[root] != kNone) continue;
    enter(root);
    while (!walk.empty()) {
      const std::uint32_t v = walk.back().first;
      if (walk.back().second < arcs[v].size()) {
        const std::uint32_t to = arcs[v][walk.back().second++];
        if (number[to] == kNone) {
          enter(to);
        } else if (component[to] == kNone) {
          low[v] = std::min(low[v], number[to]);
        }
        continue;
      }
      walk.pop_back();
      if (!walk.empty()) low[walk.back().first] = std::min(low[walk.back().first], low[v]);
      if (low[v] != number[v]) continue;
      for (std::uint32_t last = kNone; last != v; open.pop_back()) {
        last = open.back();
        component[last] = components;
      }
      ++components;
    }
  }
  return component;
}

namespace {

bool is_idempotent(const Transformation& x) {
  return std::all_of(x.begin(), x.end(), [&](State image) { return x[image] == image; });
}

/// The numbers 0, 1, ... of the keys in the order in which they are met.
std::uint32_t number_of(std::uint32_t key, std::vector<std::uint32_t>& numbers,
                        std::uint32_t& next) {
  if (numbers[key] == kNone) numbers[key] = next++;
  return numbers[key];
}

/// The length of the longest chain above every component: arcs come from larger numbers.
std::vector<std::size_t> depths(const Arcs& arcs, const std::vector<std::uint32_t>& component) {
  std::vector<std::vector<std::uint32_t>> members(arcs.size());
  for (std::uint32_t v = 0; v < arcs.size(); ++v) members[component[v]].push_back(v);
  std::vector<std::size_t> depth(arcs.size(), 0);
  for (std::size_t c = arcs.size(); c-- > 0;)
    for (const std::uint32_t v : members[c])
      for (const std::uint32_t to : arcs[v])
        if (component[to] != c) depth[component[to]] = std::max(depth[component[to]], depth[c] + 1);
  return depth;
}

}  // namespace

// xM = yM iff x and y reach each other in the right Cayley graph, and so on for the other two.
GreenClasses green_classes(const TransitionMonoid& monoid) {
  const auto size = static_cast<std::uint32_t>(monoid.size());
  const Arcs left = monoid.left();
  Arcs both = monoid.right;
  for (std::uint32_t e = 0; e < size; ++e)
    both[e].insert(both[e].end(), left[e].begin(), left[e].end());
  const auto r = strong_components(monoid.right), l = strong_components(left),
             j = strong_components(both);
  const std::vector<std::size_t> depth = depths(both, j);

  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return depth[j[a]] < depth[j[b]]; });
  GreenClasses result;
  result.places.resize(size);
  std::vector<std::uint32_t> class_of(size, kNone), row_of(size, kNone), column_of(size, kNone);
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> rows, columns;
  for (const std::uint32_t e : order) {
    const std::uint32_t number = number_of(j[e], class_of, classes);
    if (number == result.j.size()) {
      result.j.emplace_back().depth = depth[j[e]];
      rows.push_back(0);
      columns.push_back(0);
    }
    result.places[e] = {number, number_of(r[e], row_of, rows[number]),
                        number_of(l[e], column_of, columns[number])};
  }
  for (std::uint32_t c = 0; c < classes; ++c)
    result.j[c].cells.assign(rows[c], std::vector<std::vector<std::uint32_t>>(columns[c]));
  for (std::uint32_t e = 0; e < size; ++e) {
    const auto& [c, row, column] = result.places[e];
    result.j[c].cells[row][column].push_back(e);
    if (is_idempotent(monoid.elements[e])) result.j[c].idempotents.push_back(e);
  }
  return result;
}

// An element x of the cell of an idempotent e satisfies ex = x = xe and has a power that is e: it
// permutes the image of e, and what it does there says what it does everywhere.
std::vector<Transformation> maximal_subgroup(const TransitionMonoid& monoid,
                                             const GreenClasses& classes,
                                             std::uint32_t idempotent) {
  std::vector<State> image = monoid.elements[idempotent];
  std::sort(image.begin(), image.end());
  image.erase(std::unique(image.begin(), image.end()), image.end());
  std::vector<Transformation> permutations;
  for (const std::uint32_t x : classes.cell(idempotent)) {
    Transformation& permutation = permutations.emplace_back();
    for (const State q : image)
      permutation.push_back(static_cast<State>(
          std::lower_bound(image.begin(), image.end(), monoid.elements[x][q]) - image.begin()));
  }
  return permutations;
}

// Let d be the period of the R-class of e in the right Cayley graph. Words u, v of one length t
// that spell x and e lead from e to x and to e, so x and e are at the same distance modulo d. If
// they are, paths of all large lengths of one residue lead from e to both, and, behind a word for
// e, words of all large lengths of one residue spell both. Powers of x and e then are products of
// one length, too.
std::vector<std::uint32_t> same_length_subgroup(const TransitionMonoid& monoid,
                                                const GreenClasses& classes,
                                                std::uint32_t idempotent) {
  const auto& cell = classes.cell(idempotent);
  if (cell.size() == 1) return cell;
  const GreenClasses::Place home = classes.places[idempotent];
  std::vector<std::optional<std::size_t>> distance(monoid.size());
  std::vector<std::uint32_t> reached = {idempotent};
  distance[idempotent] = 0;
  std::size_t period = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::uint32_t to : monoid.right[reached[i]]) {
      if (classes.places[to].j != home.j || classes.places[to].row != home.row) continue;
      const std::size_t longer = *distance[reached[i]] + 1;
      if (!distance[to]) {
        distance[to] = longer;
        reached.push_back(to);
      }
      period = std::gcd(period,
                        longer > *distance[to] ? longer - *distance[to] : *distance[to] - longer);
    }
  std::vector<std::uint32_t> same;
  for (const std::uint32_t x : cell)
    if (*distance[x] % period == 0) same.push_back(x);
  return same;
}

bool is_quasi_aperiodic(const TransitionMonoid& monoid, const GreenClasses& classes) {
  // Around the idempotents of one class these subgroups are isomorphic: if ab = e and ba = f, then
  // words u, v of one length that spell x and e give bua and bva for bxa and f.
  return std::all_of(classes.j.begin(), classes.j.end(), [&](const JClass& one) {
    return !one.regular() ||
           same_length_subgroup(monoid, classes, one.idempotents.front()).size() == 1;
  });
}

namespace {

constexpr std::uint32_t no_coset = UINT32_MAX;

/// x, as applied after renaming the points by `by`.
Transformation conjugate(const Transformation& x, const Transformation& by) {
  return compose(compose(inverse(by), x), by);
}

/// Generated by the commutators of the generators and their conjugates.
PermutationGroup derived_subgroup(const PermutationGroup& group) {
  PermutationGroup derived(group.points());
  const auto add = [&](const Transformation& x) {
    if (!derived.contains(x)) derived = *derived.extended(x, group.order());
  };
  for (const Transformation& a : group.generators())
    for (const Transformation& b : group.generators()) add(compose(inverse(a), conjugate(a, b)));
  for (std::size_t i = 0; i < derived.generators().size(); ++i)
    for (const Transformation& g : group.generators()) add(conjugate(derived.generators()[i], g));
  return derived;
}

/// The quotient of a group by a normal subgroup with a commutative quotient.
class CommutativeQuotient {
 public:
  CommutativeQuotient(const PermutationGroup& group, const PermutationGroup& subgroup)
      : group_(group), coset_(group.order(), no_coset) {
    for (std::uint32_t g = 0; g < group.order(); ++g) {
      if (coset_[g] != no_coset) continue;
      for (const Transformation& n : subgroup.elements())
        coset_[group.index(compose(n, group.elements()[g]))] = size();
      first_.push_back(g);
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(first_.size()); }
  std::uint32_t coset(std::uint32_t element) const { return coset_[element]; }
  const Transformation& element(std::uint32_t coset) const {
    return group_.elements()[first_[coset]];
  }
  std::uint32_t product(std::uint32_t a, std::uint32_t b) const {
    return coset_[group_.index(compose(element(a), element(b)))];
  }
  std::uint32_t power(std::uint32_t x, std::size_t exponent) const {
    std::uint32_t result = 0;  // the subgroup itself
    for (; exponent > 0; exponent /= 2, x = product(x, x))
      if (exponent % 2 == 1) result = product(result, x);
    return result;
  }

 private:
  const PermutationGroup& group_;
  std::vector<std::uint32_t> coset_;  // of each element
  std::vector<std::uint32_t> first_;  // element of each coset
};

/// Writes a commutative quotient as a product of cyclic groups.
class CyclicFactors {
 public:
  explicit CyclicFactors(const CommutativeQuotient& quotient)
      : quotient_(quotient), exponents_(quotient.size()) {
    in_product_.assign(quotient.size(), false);
    in_product_[0] = true;
    std::size_t rest = quotient.size();
    for (std::size_t prime = 2; rest > 1; ++prime) {
      std::size_t part = 1;
      for (; rest % prime == 0; rest /= prime) part *= prime;
      if (part > 1) add_factors(prime, part);
    }
  }

  std::vector<std::uint32_t> orders, generators;
  /// Of a coset.
  const std::vector<std::uint32_t>& exponents(std::uint32_t coset) const {
    return exponents_[coset];
  }

 private:
  /// Of the elements of prime power order whose powers avoid the product of the factors so far (but
  /// for 1) one of greatest order generates the next factor: no element has a greater order modulo
  /// that product, and in a commutative p-group a cyclic subgroup of the greatest order is a factor.
  void add_factors(std::size_t prime, std::size_t part) {
    std::vector<std::uint32_t> candidates;  // those whose order is a power of the prime
    for (std::uint32_t x = 0; x < quotient_.size(); ++x)
      candidates.push_back(quotient_.power(x, quotient_.size() / part));
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (std::size_t left = part; left > 1; left /= orders.back()) {
      std::uint32_t best = 0, best_order = 1;
      for (const std::uint32_t x : candidates) {
        std::uint32_t order = 1, last = 0;  // the last of x, x^p, x^p^2, ... before 1
        for (std::uint32_t y = x; y != 0; y = quotient_.power(y, prime)) {
          last = y;
          order *= static_cast<std::uint32_t>(prime);
        }
        // All subgroups of the powers of x but {1} contain `last`.
        if (order <= best_order || in_product_[last]) continue;
        best = x;
        best_order = order;
      }
      add_factor(best, best_order);
    }
  }

  void add_factor(std::uint32_t x, std::uint32_t order) {
    const std::vector<std::uint32_t> before = product_;
    for (const std::uint32_t y : before) exponents_[y].push_back(0);
    std::uint32_t power = 0;
    for (std::uint32_t e = 1; e < order; ++e) {
      power = quotient_.product(power, x);
      for (const std::uint32_t y : before) {
        const std::uint32_t z = quotient_.product(y, power);
        exponents_[z] = exponents_[y];
        exponents_[z].back() = e;
        in_product_[z] = true;
        product_.push_back(z);
      }
    }
    orders.push_back(order);
    generators.push_back(x);
  }

  const CommutativeQuotient& quotient_;
  std::vector<std::uint32_t> product_{0};  // of the factors so far
  std::vector<bool> in_product_;
  std::vector<std::vector<std::uint32_t>> exponents_;
};

AbelianStep commutative_step(const PermutationGroup& group, const PermutationGroup& subgroup) {
  const CommutativeQuotient quotient(group, subgroup);
  CyclicFactors factors(quotient);
  AbelianStep step{group, subgroup, std::move(factors.orders), {}, {}};
  for (const std::uint32_t x : factors.generators) step.generators.push_back(quotient.element(x));
  for (std::uint32_t g = 0; g < group.order(); ++g)
    step.exponents.push_back(factors.exponents(quotient.coset(g)));
  return step;
}

}  // namespace

bool is_permutation(const Transformation& map) {
  std::vector<bool> hit(map.size(), false);
  for (const State image : map) hit[image] = true;
  return std::find(hit.begin(), hit.end(), false) == hit.end();
}

Transformation inverse(const Transformation& permutation) {
  Transformation images(permutation.size());
  for (State q = 0; q < permutation.size(); ++q) images[permutation[q]] = q;
  return images;
}

PermutationGroup::PermutationGroup(std::size_t points)
    : products_(*enumerate_monoid({}, points, 1)) {}

std::optional<PermutationGroup> PermutationGroup::extended(const Transformation& x,
                                                           std::size_t cap) const {
  PermutationGroup larger(*this);
  larger.generators_.push_back(x);
  auto products = enumerate_monoid(larger.generators_, points(), cap);
  if (!products) return std::nullopt;
  larger.products_ = std::move(*products);
  return larger;
}

std::optional<PermutationGroup> generated_group(const std::vector<Transformation>& permutations,
                                                std::size_t points, std::size_t cap) {
  PermutationGroup group(points);
  for (const Transformation& x : permutations) {
    if (group.contains(x)) continue;
    auto larger = group.extended(x, cap);
    if (!larger) return std::nullopt;
    group = std::move(*larger);
  }
  return group;
}

std::vector<PermutationGroup> derived_series(const PermutationGroup& group) {
  std::vector<PermutationGroup> series{group};
  for (;;) {
    PermutationGroup smaller = derived_subgroup(series.back());
    if (smaller.order() == series.back().order()) return series;
    series.push_back(std::move(smaller));
  }
}

std::optional<std::vector<AbelianStep>> abelian_steps(const PermutationGroup& group) {
  const std::vector<PermutationGroup> series = derived_series(group);
  if (series.back().order() > 1) return std::nullopt;
  std::vector<AbelianStep> steps;
  for (std::size_t i = 0; i + 1 < series.size(); ++i)
    steps.push_back(commutative_step(series[i], series[i + 1]));
  return steps;
}

Subgroups examine_subgroups(const TransitionMonoid& monoid) {
  const GreenClasses classes = green_classes(monoid);
  Subgroups found;
  for (const JClass& one : classes.j) {
    if (!one.regular() || one.cell_size() == 1) continue;
    found.largest = std::max(found.largest, one.cell_size());
    if (!found.derived_length) continue;
    const auto elements = maximal_subgroup(monoid, classes, one.idempotents.front());
    const auto series =
        derived_series(*generated_group(elements, elements.front().size(), elements.size()));
    if (series.back().order() == 1) {
      found.derived_length = std::max(*found.derived_length, series.size() - 1);
    } else {
      found.derived_length = std::nullopt;
    }
  }
  return found;
}

}}  // namespace logdepth::objects
