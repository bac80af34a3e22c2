#include "learned/word_problems/monoid_table.hpp"

#include <fmt/core.h>

#include <numeric>
#include <optional>
#include <utility>

#include "base/quoted_text.hpp"
#include "learned/word_problems/published_elements.hpp"
#include "logdepth/errors.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline learned_word_problems {
namespace {

[[noreturn]] void fail(const MonoidTable& table, const std::string& sentence) {
  throw InputError("the table of " + in_quotes(table.name) + " " + sentence);
}

/// "2 = [1,0,2]", or the number alone where it is the name.
std::string element_text(const MonoidTable& table, std::size_t element) {
  const std::string number = std::to_string(element);
  const std::string& name = table.element_names[element];
  return name == number ? number : number + " = " + printable(name);
}

void check_closure(const MonoidTable& table) {
  for (std::size_t a = 0; a < table.size; ++a)
    for (std::size_t b = 0; b < table.size; ++b)
      if (const std::uint32_t value = table.product[a * table.size + b]; value >= table.size)
        fail(table,
             fmt::format(
                 "is not closed: the product of {} and {} is {}, expected an element from 0 to {}",
                 element_text(table, a), element_text(table, b), value, table.size - 1));
}

std::uint32_t identity_of(const MonoidTable& table) {
  std::optional<std::uint32_t> left;
  for (std::uint32_t e = 0; e < table.size && !left; ++e) {
    bool neutral = true;
    for (std::uint32_t a = 0; a < table.size && neutral; ++a) neutral = table.times(e, a) == a;
    if (neutral) left = e;
  }
  if (!left) fail(table, "has no identity: expected an element e with e, then a = a for every a");
  // An identity on both sides is the only one on the left, so no other candidate need be tried.
  for (std::uint32_t a = 0; a < table.size; ++a)
    if (table.times(a, *left) != a)
      fail(table, "has no identity: " + element_text(table, *left) +
                      " is one on the left only, the product of " + element_text(table, a) +
                      " and it is " + element_text(table, table.times(a, *left)));
  return *left;
}

/// Elements whose products from the left are all elements.
std::vector<std::uint32_t> generating_elements(const MonoidTable& table) {
  std::vector<std::uint32_t> generators, reached;
  std::vector<bool> seen(table.size, false);
  const auto reach = [&](std::uint32_t element) {
    if (seen[element]) return;
    seen[element] = true;
    reached.push_back(element);
  };
  for (std::uint32_t candidate = 0; candidate < table.size; ++candidate) {
    if (seen[candidate]) continue;
    generators.push_back(candidate);
    reach(candidate);
    // From the first on again: earlier elements have not met the new generator.
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const std::uint32_t generator : generators) reach(table.times(reached[i], generator));
  }
  return generators;
}

/// Light's test (Clifford and Preston, The Algebraic Theory of Semigroups I, section 1.2): the
/// elements g with (a g) b = a (g b) for all a and b are closed under products, so that it is
/// enough to try generating ones. Equivalent to trying all triples, which 4096 elements forbid.
void check_associativity(const MonoidTable& table) {
  for (const std::uint32_t g : generating_elements(table))
    for (std::uint32_t a = 0; a < table.size; ++a)
      for (std::uint32_t b = 0; b < table.size; ++b) {
        const std::uint32_t left = table.times(table.times(a, g), b);
        const std::uint32_t right = table.times(a, table.times(g, b));
        if (left != right)
          fail(table, "is not associative: with a, b, c = " + element_text(table, a) + ", " +
                          element_text(table, g) + ", " + element_text(table, b) +
                          " the product (a b) c is " + element_text(table, left) +
                          " and a (b c) is " + element_text(table, right));
      }
}

void check_inverses(const MonoidTable& table) {
  for (std::uint32_t a = 0; a < table.size; ++a) {
    bool found = false;
    for (std::uint32_t b = 0; b < table.size && !found; ++b)
      found = table.times(a, b) == table.identity && table.times(b, a) == table.identity;
    if (!found) fail(table, "is not one of a group: " + element_text(table, a) + " has no inverse");
  }
}

/// Checks the axioms and sets the identity.
void check_axioms(MonoidTable& table) {
  check_closure(table);
  table.identity = identity_of(table);
  check_associativity(table);
  if (table.is_group) check_inverses(table);
}

SizeLimit too_large(const std::string& name) {
  return SizeLimit(fmt::format(
      "{} has more than {} elements, the limit of multiplication tables; try a smaller degree",
      in_quotes(name), kMostElements));
}

}  // namespace

MonoidTable make_monoid_table(const std::string& name, NamedLetters letters) {
  const Action action = named_monoid(name, NamedLetters::generators);
  const auto monoid = enumerate_monoid(action.generators, action.points, kMostElements);
  if (!monoid) throw too_large(name);
  MonoidTable table;
  table.name = name;
  table.size = monoid->size();
  table.product = monoid->product_table();
  table.is_group = monoid->is_group();
  for (const Transformation& element : monoid->elements)
    table.element_names.push_back(format_transformation(element));
  table.letters = monoid->generator;
  if (letters == NamedLetters::all) {
    table.letters.resize(table.size);
    std::iota(table.letters.begin(), table.letters.end(), 0u);
  }
  table.published = published_elements(name, monoid->elements);
  check_axioms(table);
  return table;
}

MonoidTable monoid_table_from_rows(const std::string& name,
                                   const std::vector<std::vector<std::uint32_t>>& rows,
                                   bool claims_group, std::vector<std::uint32_t> letters,
                                   std::vector<std::string> element_names) {
  if (rows.size() > kMostElements) throw too_large(name);
  MonoidTable table;
  table.name = name;
  table.size = rows.size();
  table.is_group = claims_group;
  table.letters = std::move(letters);
  table.element_names = std::move(element_names);
  if (rows.empty()) fail(table, "has no rows, expected one per element");
  for (std::size_t a = 0; a < rows.size(); ++a) {
    if (rows[a].size() != rows.size())
      fail(table, fmt::format("has {} entries in row {}, expected {}, one per element",
                              rows[a].size(), a, rows.size()));
    table.product.insert(table.product.end(), rows[a].begin(), rows[a].end());
  }
  if (table.element_names.empty())
    for (std::size_t a = 0; a < table.size; ++a) table.element_names.push_back(std::to_string(a));
  if (table.element_names.size() != table.size)
    fail(table, fmt::format("has {} names, expected {}, one per element",
                            table.element_names.size(), table.size));
  if (table.letters.empty()) {
    table.letters.resize(table.size);
    std::iota(table.letters.begin(), table.letters.end(), 0u);
  }
  for (const std::uint32_t letter : table.letters)
    if (letter >= table.size)
      fail(table, fmt::format("has the letter {}, expected elements from 0 to {}", letter,
                              table.size - 1));
  check_axioms(table);
  return table;
}

}  // namespace logdepth::inline learned_word_problems
