// Groups of permutations and the commutative steps of their derived series: the definitions, and GAP
// where installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/phrases.hpp"
#include "objects/named_monoids.hpp"
#include "objects/permutation_group.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::permutation_groups_tests {
namespace {

using Orders = std::vector<std::vector<std::uint32_t>>;

constexpr std::size_t kCap = 5040;

PermutationGroup named(const std::string& name) {
  const Action action = named_monoid(name);
  return generated_group(action.generators, action.points, kCap).value();
}

Orders orders(const PermutationGroup& group) {
  const auto steps = abelian_steps(group);
  Orders orders;
  for (const AbelianStep& step : steps.value()) orders.push_back(step.orders);
  return orders;
}

Transformation cycles(const std::vector<std::size_t>& lengths) {
  Transformation x;
  for (const std::size_t length : lengths) {
    const auto first = static_cast<State>(x.size());
    for (State k = 0; k < length; ++k) x.push_back(first + (k + 1) % static_cast<State>(length));
  }
  return x;
}

TEST(PermutationGroups, HaveTheStepsKnownFromAlgebra) {
  EXPECT_EQ(orders(named("Z1")), (Orders{}));
  EXPECT_EQ(orders(named("Z6")), (Orders{{2, 3}}));
  EXPECT_EQ(orders(named("Z8")), (Orders{{8}}));
  EXPECT_EQ(orders(named("Z60")), (Orders{{4, 3, 5}}));
  EXPECT_EQ(orders(named("Z2_x_Z2_x_Z4")), (Orders{{4, 2, 2}}));
  EXPECT_EQ(orders(named("S3")), (Orders{{2}, {3}}));
  EXPECT_EQ(orders(named("A4")), (Orders{{3}, {2, 2}}));
  EXPECT_EQ(orders(named("S4")), (Orders{{2}, {3}, {2, 2}}));
  EXPECT_EQ(orders(named("D4")), (Orders{{2, 2}, {2}}));
  EXPECT_EQ(orders(named("Q8")), (Orders{{2, 2}, {2}}));
  for (const std::string name : {"A5", "S5", "A6", "Z2_x_A5"})
    EXPECT_FALSE(abelian_steps(named(name)).has_value()) << name;
}

TEST(PermutationGroups, OfManyElementsAndPointsAreDecomposedAtOnce) {
  const Transformation x = cycles({5, 7, 9, 16});
  const PermutationGroup group = generated_group({x}, x.size(), kCap).value();
  EXPECT_EQ(group.order(), kCap);
  EXPECT_EQ(orders(group), (Orders{{16, 9, 5, 7}}));
}

TEST(PermutationGroups, AreListedUpToTheCapAndNotBeyond) {
  const Action s5 = named_monoid("S5");
  EXPECT_EQ(generated_group(s5.generators, 5, 120)->order(), 120u);
  EXPECT_FALSE(generated_group(s5.generators, 5, 119).has_value());
  const PermutationGroup a5 = named("A5");
  EXPECT_THROW(a5.index({1, 0, 2, 3, 4}), std::out_of_range);
  EXPECT_TRUE(a5.contains({1, 0, 3, 2, 4}));
  EXPECT_FALSE(a5.contains({1, 0, 2, 3, 4}));
  EXPECT_FALSE(is_permutation({0, 0}));
  EXPECT_EQ(generated_group({}, 3, 1)->elements(),
            std::vector<Transformation>{identity_transformation(3)});
}

/// Up to four generators of a group, made so that groups with several steps are not rare.
std::vector<Transformation> random_generators(std::mt19937_64& random, std::size_t points) {
  std::vector<Transformation> generators(1 + random() % 4);
  const std::size_t blocks = 1 + random() % 3;  // points of different blocks are not mixed
  for (Transformation& x : generators) {
    x = identity_transformation(points);
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(points * b / blocks);
      const auto end = x.begin() + static_cast<std::ptrdiff_t>(points * (b + 1) / blocks);
      if (random() % 2 == 0) {
        std::shuffle(begin, end, random);
      } else if (begin != end) {
        std::rotate(begin, begin + static_cast<std::ptrdiff_t>(random() % (end - begin)), end);
      }
    }
  }
  return generators;
}

std::set<Transformation> closure(std::set<Transformation> elements) {
  for (std::size_t before = 0; before != elements.size();) {
    before = elements.size();
    const std::set<Transformation> snapshot = elements;
    for (const Transformation& x : snapshot)
      for (const Transformation& y : snapshot) elements.insert(compose(x, y));
  }
  return elements;
}

TEST(PermutationGroups, StepsAreWhatTheySayTheyAre) {
  std::mt19937_64 random(laws::seed());
  std::size_t several = 0, commutative = 0, unsolvable = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::size_t points = 1 + random() % 8;
    const auto generators = random_generators(random, points);
    const auto group = generated_group(generators, points, 200);
    if (!group) continue;
    EXPECT_EQ(group->elements().front(), identity_transformation(points));
    std::set<Transformation> expected(generators.begin(), generators.end());
    expected.insert(identity_transformation(points));
    EXPECT_EQ(std::set(group->elements().begin(), group->elements().end()), closure(expected));
    for (std::uint32_t g = 0; g < group->order(); ++g)
      EXPECT_EQ(group->index(group->elements()[g]), g);
    const auto steps = abelian_steps(*group);
    if (!steps) {
      ++unsolvable;
      continue;
    }
    std::vector<Transformation> now = group->elements();
    for (const AbelianStep& step : *steps) {
      ASSERT_EQ(step.group.elements(), now);
      std::set<Transformation> commutators;
      for (const Transformation& a : now)
        for (const Transformation& b : now)
          commutators.insert(compose(compose(inverse(a), inverse(b)), compose(a, b)));
      now = step.subgroup.elements();
      ASSERT_EQ(closure(commutators), std::set(now.begin(), now.end()));
      std::size_t cosets = 1;
      for (const std::uint32_t m : step.orders) {
        EXPECT_GT(m, 1u);
        cosets *= m;
      }
      ASSERT_EQ(cosets * step.subgroup.order(), step.group.order());
      ASSERT_EQ(step.exponents.size(), step.group.order());
      for (std::uint32_t g = 0; g < step.group.order(); ++g) {
        Transformation power = identity_transformation(points);
        for (std::size_t k = 0; k < step.orders.size(); ++k) {
          ASSERT_LT(step.exponents[g][k], step.orders[k]);
          for (std::uint32_t e = 0; e < step.exponents[g][k]; ++e)
            power = compose(power, step.generators[k]);
        }
        // The exponents of as many elements as there are cosets, each right, and none repeated.
        EXPECT_TRUE(step.subgroup.contains(compose(step.group.elements()[g], inverse(power))));
      }
      EXPECT_EQ(std::set(step.exponents.begin(), step.exponents.end()).size(), cosets);
      several += step.orders.size() > 1;
    }
    ASSERT_EQ(now.size(), 1u);
    commutative += steps->size() == 1;
  }
  EXPECT_GT(several, 50u);
  EXPECT_GT(commutative, 30u);
  EXPECT_GT(unsolvable, 3u);
}

/// GAP numbers points from 1.
std::string gap_group(const std::vector<Transformation>& generators) {
  std::vector<std::string> lists;
  for (const Transformation& x : generators) {
    std::vector<std::string> images;
    for (const State image : x) images.push_back(std::to_string(image + 1));
    lists.push_back("PermList([" + joined(images, ",") + "])");
  }
  return "Group([" + joined(lists, ",") + "])";
}

TEST(PermutationGroups, AgreeWithGap) {
  if (std::system("command -v gap > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "gap is not installed, so groups were not compared with it";
  }
  std::mt19937_64 random(laws::seed());
  std::ostringstream script;
  script << "SizeScreen([4000, 1000]);;\n";
  std::ostringstream expected;
  std::size_t groups = 0;
  while (groups < 400) {
    const std::size_t points = 2 + random() % 11;
    const auto generators = random_generators(random, points);
    const auto group = generated_group(generators, points, kCap);
    if (!group) continue;
    ++groups;
    script << "G := " << gap_group(generators) << ";;\n"
           << "Print(Size(G), \" \", IsSolvableGroup(G), \" \", List(DerivedSeries(G), Size));;\n"
           << "if IsSolvableGroup(G) then for H in DerivedSeries(G) do "
           << "Print(\" \", SortedList(AbelianInvariants(H))); od; fi; Print(\"\\n\");\n";
    const auto list = [](const auto& numbers) {
      std::vector<std::string> texts;
      for (const auto number : numbers) texts.push_back(std::to_string(number));
      return texts.empty() ? std::string("[  ]") : "[ " + joined(texts) + " ]";
    };
    const auto steps = abelian_steps(*group);
    std::vector<std::size_t> sizes;
    for (const PermutationGroup& h : derived_series(*group)) sizes.push_back(h.order());
    expected << group->order() << " " << (steps ? "true" : "false") << " " << list(sizes);
    if (steps) {
      for (const AbelianStep& step : *steps) {
        auto sorted = step.orders;
        std::sort(sorted.begin(), sorted.end());
        expected << " " << list(sorted);
      }
      expected << " [  ]";
    }
    expected << "\n";
  }
  script << "QUIT;\n";
  const support::TemporaryFolder folder;
  folder.write("groups.g", script.str());
  const auto gap = support::run_process({"gap", "-q", folder.file("groups.g")}, folder.path());
  EXPECT_EQ(support::lines(gap.out), support::lines(expected.str())) << gap.err;
}

}  // namespace
}  // namespace logdepth::permutation_groups_tests
