#include "objects/green_classes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace logdepth::inline objects {
namespace {

using Arcs = std::vector<std::vector<std::uint32_t>>;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The strongly connected component of every vertex (Tarjan 1972, without recursion). An arc
/// between two components leads to the one with the smaller number.
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
    for (const std::uint32_t to : both[e])
      if (result.places[to].j != c) result.j[c].below.push_back(result.places[to].j);
  }
  for (JClass& one : result.j) {
    std::sort(one.below.begin(), one.below.end());
    one.below.erase(std::unique(one.below.begin(), one.below.end()), one.below.end());
  }
  return result;
}

std::vector<bool> strictly_below(const GreenClasses& classes, std::uint32_t above) {
  std::vector<bool> found(classes.j.size(), false);
  std::vector<std::uint32_t> open = {above};
  while (!open.empty()) {
    const std::uint32_t c = open.back();
    open.pop_back();
    for (const std::uint32_t next : classes.j[c].below) {
      if (found[next]) continue;
      found[next] = true;
      open.push_back(next);
    }
  }
  return found;
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

}  // namespace logdepth::inline objects
