// The groups inside a monoid: known ones, and the definitions on small random monoids.
#include "objects/subgroups.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"

namespace logdepth::subgroups_tests {
namespace {

Subgroups of(const Action& action) {
  return examine_subgroups(enumerate_monoid(action.generators, action.points, 20000).value());
}

struct Known {
  const char* name;
  std::size_t largest;
  std::optional<std::size_t> derived_length;
};

TEST(Subgroups, AreThoseKnownFromAlgebra) {
  const std::optional<std::size_t> unsolvable;
  for (const Known& known : std::vector<Known>{{"Z1", 1, 0},
                                               {"Z2", 2, 1},
                                               {"Z60", 60, 1},
                                               {"V4", 4, 1},
                                               {"S3", 6, 2},
                                               {"D4", 8, 2},
                                               {"D6", 12, 2},
                                               {"Q8", 8, 2},
                                               {"A4", 12, 2},
                                               {"S4", 24, 3},
                                               {"A4_x_Z5", 60, 2},
                                               {"A5", 60, unsolvable},
                                               {"S5", 120, unsolvable},
                                               {"A6", 360, unsolvable},
                                               {"Z2_x_A5", 120, unsolvable},
                                               {"flipflop", 1, 0},
                                               {"T1", 1, 0},
                                               {"T2", 2, 1},
                                               {"T3", 6, 2},
                                               {"T4", 24, 3},
                                               {"T5", 120, unsolvable},
                                               {"flipflop_x_Z2_x_S3", 12, 2}}) {
    const Subgroups found = of(named_monoid(known.name));
    EXPECT_EQ(found.largest, known.largest) << known.name;
    EXPECT_EQ(found.derived_length, known.derived_length) << known.name;
  }
}

TEST(Subgroups, OfLanguagesAreThoseOfTheirAutomata) {
  const auto found = [](const char* expression) {
    return of(support::regex_language(expression, "ab").action);
  };
  EXPECT_EQ(found("(a|b)*abb").derived_length, 0u);
  EXPECT_EQ(found("(ab)*").derived_length, 0u);
  EXPECT_EQ(found("b*(ab*ab*)*").derived_length, 1u);
  EXPECT_EQ(found("b*(ab*ab*)*").largest, 2u);
  EXPECT_EQ(found("(aa)*b").largest, 2u);  // a group that is not around the identity of the monoid
}

/// By the definitions, on the multiplication table: units of eMe for every idempotent e, and the
/// subgroup of all products of all commutators.
class ByDefinition {
 public:
  explicit ByDefinition(const TransitionMonoid& monoid)
      : size_(monoid.size()), table_(monoid.product_table()) {}

  Subgroups examine() const {
    Subgroups found;
    for (std::uint32_t e = 0; e < size_; ++e) {
      if (product(e, e) != e) continue;
      std::set<std::uint32_t> local, units;
      for (std::uint32_t x = 0; x < size_; ++x) local.insert(product(product(e, x), e));
      for (const auto x : local)
        if (inverse(x, e, local)) units.insert(x);
      found.largest = std::max(found.largest, units.size());
      std::size_t length = 0;
      bool solvable = true;
      for (auto group = units; group.size() > 1 && solvable; ++length) {
        const auto smaller = commutators(group, e);
        solvable = smaller.size() < group.size();
        group = smaller;
      }
      if (!solvable) found.derived_length = std::nullopt;
      if (found.derived_length) found.derived_length = std::max(*found.derived_length, length);
    }
    return found;
  }

 private:
  using Set = std::set<std::uint32_t>;
  std::uint32_t product(std::uint32_t a, std::uint32_t b) const { return table_[a * size_ + b]; }
  std::optional<std::uint32_t> inverse(std::uint32_t x, std::uint32_t e, const Set& among) const {
    for (const auto y : among)
      if (product(x, y) == e && product(y, x) == e) return y;
    return std::nullopt;
  }
  Set commutators(const Set& group, std::uint32_t e) const {
    Set closed = {e};
    for (const auto a : group)
      for (const auto b : group)
        closed.insert(
            product(product(*inverse(a, e, group), *inverse(b, e, group)), product(a, b)));
    for (std::size_t before = 0; before != closed.size();) {
      before = closed.size();
      const Set snapshot = closed;
      for (const auto a : snapshot)
        for (const auto b : snapshot) closed.insert(product(a, b));
    }
    return closed;
  }

  std::size_t size_;
  std::vector<std::uint32_t> table_;
};

TEST(Subgroups, AreTheUnitsAroundIdempotentsOfRandomMonoids) {
  std::mt19937_64 random(laws::seed());
  std::size_t examined = 0, aperiodic = 0, solvable = 0, unsolvable = 0;
  for (std::size_t i = 0; i < 1500; ++i) {
    const std::size_t points = 2 + random() % 5;
    std::vector<Transformation> generators(1 + random() % 3);
    const bool permutations = random() % 2 == 0;
    for (Transformation& g : generators) {
      g = identity_transformation(points);
      std::shuffle(g.begin(), g.end(), random);
      if (!permutations)
        for (State& image : g)
          if (random() % 3 == 0) image = static_cast<State>(random() % points);
    }
    const auto monoid = enumerate_monoid(generators, points, 180);
    if (!monoid) continue;
    ++examined;
    const Subgroups found = examine_subgroups(*monoid), expected = ByDefinition(*monoid).examine();
    ASSERT_EQ(found.largest, expected.largest);
    ASSERT_EQ(found.derived_length, expected.derived_length);
    ASSERT_EQ(found.largest == 1, monoid->is_aperiodic());
    aperiodic += found.largest == 1;
    solvable += found.largest > 1 && found.derived_length;
    unsolvable += !found.derived_length;
  }
  EXPECT_GT(examined, 500u);
  EXPECT_GT(aperiodic, 50u);
  EXPECT_GT(solvable, 200u);
  EXPECT_GT(unsolvable, 10u);
}

}  // namespace
}  // namespace logdepth::subgroups_tests
