// Green's classes, the names of groups and quasi-aperiodicity, beside their definitions and GAP.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/phrases.hpp"
#include "objects/automaton.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::monoid_structure_tests { namespace {

using Set = std::set<Transformation>;

std::vector<Transformation> random_generators(std::mt19937_64& random) {
  const std::size_t points = 1 + random() % 5;
  std::vector<Transformation> generators(1 + random() % 3);
  const std::size_t style = random() % 3;
  for (Transformation& g : generators) {
    g = identity_transformation(points);
    std::shuffle(g.begin(), g.end(), random);
    if (style > 0)
      for (State& image : g)
        if (random() % (1 + style) == 0) image = static_cast<State>(random() % points);
  }
  return generators;
}

/// Ideals as sets of products, by multiplying with every element.
class Ideals {
 public:
  explicit Ideals(const TransitionMonoid& monoid)
      : elements_(monoid.elements.begin(), monoid.elements.end()) {
    for (const Transformation& x : elements_)
      for (const Transformation& m : elements_) {
        right_[x].insert(compose(x, m));
        left_[x].insert(compose(m, x));
      }
    for (const Transformation& x : elements_)
      for (const Transformation& y : right_[x]) both_[x].insert(left_[y].begin(), left_[y].end());
  }
  bool r(const Transformation& x, const Transformation& y) { return right_[x] == right_[y]; }
  bool l(const Transformation& x, const Transformation& y) { return left_[x] == left_[y]; }
  bool j(const Transformation& x, const Transformation& y) { return both_[x] == both_[y]; }
  /// x generates a smaller two-sided ideal than y.
  bool below(const Transformation& x, const Transformation& y) {
    return both_[x] != both_[y] && both_[y].contains(x);
  }

 private:
  Set elements_;
  std::map<Transformation, Set> right_, left_, both_;
};

TEST(GreenClasses, AreTheElementsWithTheSameIdeals) {
  std::mt19937_64 random(laws::seed());
  std::size_t examined = 0, not_regular = 0, several = 0;
  while (examined < 500) {
    const auto generators = random_generators(random);
    const auto monoid = enumerate_monoid(generators, generators.front().size(), 40);
    if (!monoid) continue;
    ++examined;
    const GreenClasses classes = green_classes(*monoid);
    Ideals ideals(*monoid);
    std::size_t cells = 0, idempotents = 0;
    for (const JClass& one : classes.j) {
      not_regular += !one.regular();
      idempotents += one.idempotents.size();
      for (const auto& row : one.cells)
        for (const auto& cell : row) {
          EXPECT_EQ(cell.size(), one.cell_size());
          cells += cell.size();
        }
      for (const std::uint32_t e : one.idempotents)
        EXPECT_EQ(compose(monoid->elements[e], monoid->elements[e]), monoid->elements[e]);
    }
    several += classes.j.size() > 2;
    EXPECT_EQ(cells, monoid->size());
    EXPECT_EQ(idempotents, static_cast<std::size_t>(
                               std::count_if(monoid->elements.begin(), monoid->elements.end(),
                                             [](const auto& x) { return compose(x, x) == x; })));
    for (std::uint32_t a = 0; a < monoid->size(); ++a) {
      const auto& at = classes.places[a];
      EXPECT_TRUE(std::count(classes.cell(a).begin(), classes.cell(a).end(), a));
      for (std::uint32_t b = 0; b < monoid->size(); ++b) {
        const auto &x = monoid->elements[a], &y = monoid->elements[b];
        const auto& other = classes.places[b];
        ASSERT_EQ(at.j == other.j, ideals.j(x, y));
        ASSERT_EQ(at.j == other.j && at.row == other.row, ideals.r(x, y));
        ASSERT_EQ(at.j == other.j && at.column == other.column, ideals.l(x, y));
        if (ideals.below(y, x)) {
          ASSERT_LT(classes.j[at.j].depth, classes.j[other.j].depth);
          ASSERT_LT(at.j, other.j);
        }
      }
    }
  }
  EXPECT_GT(not_regular, 50u);
  EXPECT_GT(several, 50u);
}

/// By its definition: the sets of products of 1, 2, ... letters, until one comes again; a group of
/// more than one element holds a cyclic one, the powers of some x that is a power of itself.
bool quasi_aperiodic(const std::vector<Transformation>& generators) {
  std::set<Set> seen;
  for (Set now(generators.begin(), generators.end()); seen.insert(now).second;) {
    for (const Transformation& x : now) {
      Set powers;
      for (Transformation power = x; powers.insert(power).second;) power = compose(power, x);
      const bool group = std::any_of(powers.begin(), powers.end(), [&](const auto& power) {
        return compose(power, x) == x;  // x comes again
      });
      if (group && powers.size() > 1 &&
          std::includes(now.begin(), now.end(), powers.begin(), powers.end()))
        return false;
    }
    Set next;
    for (const Transformation& x : now)
      for (const Transformation& g : generators) next.insert(compose(x, g));
    now = std::move(next);
  }
  return true;
}

bool found_quasi_aperiodic(const std::vector<Transformation>& generators) {
  const auto monoid = enumerate_monoid(generators, generators.front().size(), 20000).value();
  return is_quasi_aperiodic(monoid, green_classes(monoid));
}

TEST(QuasiAperiodic, IsWhatTheDefinitionSaysOfRandomMonoids) {
  std::mt19937_64 random(laws::seed());
  std::size_t counts[2] = {0, 0}, examined = 0;
  while (examined < 700) {
    const auto generators = random_generators(random);
    const auto monoid = enumerate_monoid(generators, generators.front().size(), 150);
    if (!monoid || examine_subgroups(*monoid).largest == 1) continue;
    ++examined;
    const bool expected = quasi_aperiodic(generators);
    ASSERT_EQ(found_quasi_aperiodic(generators), expected);
    ++counts[expected];
  }
  EXPECT_GT(counts[0], 100u);
  EXPECT_GT(counts[1], 100u);
}

TEST(QuasiAperiodic, IsTheLengthModuloTwoAndNotParity) {
  const auto of = [](const char* expression) {
    return found_quasi_aperiodic(
        to_action(minimise(determinise(to_nfa(parse_regex(expression, Alphabet({"a", "b"}))))))
            .generators);
  };
  EXPECT_TRUE(found_quasi_aperiodic(named_monoid("Z2").generators));  // (aa)* over a alone
  EXPECT_TRUE(of("((a|b)(a|b))*"));
  EXPECT_TRUE(of("((a|b)(a|b))*a(a|b)*"));
  EXPECT_TRUE(of("(a|b)*abb"));
  EXPECT_FALSE(of("b*(ab*ab*)*"));
  EXPECT_TRUE(of("(aa)*b*"));
  EXPECT_FALSE(of("(ab*a|b)*"));
  EXPECT_FALSE(found_quasi_aperiodic(named_monoid("Z2", NamedLetters::all).generators));
}

PermutationGroup group_of(const std::string& name) {
  const Action action = named_monoid(name);
  return generated_group(action.generators, action.points, 20000).value();
}

TEST(GroupNames, AreThoseOfGroupsActingInAnotherWay) {
  std::mt19937_64 random(laws::seed());
  std::size_t copies = 0;
  for (const auto& [name, expected] :
       std::vector<std::pair<std::string, std::string>>{{"Z1", "trivial"},
                                                        {"Z6", "Z6"},
                                                        {"V4", "Z2 x Z2"},
                                                        {"Z2_x_Z3", "Z6"},
                                                        {"D3", "S3"},
                                                        {"D4", "D4"},
                                                        {"Q8", "Q8"},
                                                        {"A4", "A4"},
                                                        {"D6", "D6"},
                                                        {"Z2_x_S3", "D6"},
                                                        {"S4", "S4"},
                                                        {"Z2_x_A4", "Z2 x A4"},
                                                        {"A5", "A5"},
                                                        {"S5", "S5"},
                                                        {"A6", "A6"},
                                                        {"S3_x_S3", "S3 x S3"},
                                                        {"Z2_x_D4", "Z2 x D4"},
                                                        {"A4_x_Z5", "Z5 x A4"},
                                                        {"Z4_x_Z6", "Z2 x Z12"},
                                                        {"S6", "S6"},
                                                        {"S7", "S7"},
                                                        {"A7", "A7"},
                                                        {"D15", "D15"}}) {
    EXPECT_EQ(group_name(group_of(name)), expected) << name;
    // On the cosets of nothing: the group acts on itself, its elements in random order.
    const PermutationGroup group = group_of(name);
    if (group.order() > 130) continue;
    std::vector<State> order = identity_transformation(group.order());
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Transformation> regular;
    for (int i = 0; i < 5; ++i) {
      const Transformation& g = group.elements()[random() % group.order()];
      Transformation& images = regular.emplace_back(group.order());
      for (std::uint32_t x = 0; x < group.order(); ++x)
        images[order[x]] = order[group.index(compose(group.elements()[x], g))];
    }
    const auto copy = generated_group(regular, group.order(), 20000).value();
    if (copy.order() != group.order()) continue;
    EXPECT_EQ(group_name(copy), expected) << name;
    ++copies;
  }
  EXPECT_GT(copies, 12u);
}

/// What GAP prints for a script; absent where it is not installed.
std::optional<std::vector<std::string>> gap(const std::string& script) {
  if (std::system("command -v gap > /dev/null 2>&1") != 0) return std::nullopt;
  support::TemporaryFolder folder;
  folder.write("script.g", "SizeScreen([4096, 100]);;\n" + script + "QUIT;\n");
  const auto done = support::run_process({"gap", "-q", folder.file("script.g")}, folder.path());
  EXPECT_EQ(done.status, 0) << done.err;
  return support::lines(done.out);
}

TEST(GroupNames, TellApartAllGroupsOfAtMostTwentyFourElements) {
  const auto groups =
      gap("if LoadPackage(\"smallgrp\") <> fail then\n"
          "for n in [1..24] do for i in [1..NumberSmallGroups(n)] do\n"
          "  P := Image(IsomorphismPermGroup(SmallGroup(n, i)));;\n"
          "  m := Maximum(LargestMovedPoint(P), 1);;\n"
          "  Print(n, \" \", m, \" \", Length(GeneratorsOfGroup(P)));\n"
          "  for g in GeneratorsOfGroup(P) do for q in [1..m] do Print(\" \", q^g - 1); od; od;\n"
          "  Print(\"\\n\");\nod; od; fi;\n");
  if (!groups || groups->empty()) GTEST_SKIP() << "GAP or its small groups are missing";
  ASSERT_EQ(groups->size(), 74u);
  std::set<std::string> names;
  for (const std::string& line : *groups) {
    std::istringstream in(line);
    std::size_t order, points, count;
    in >> order >> points >> count;
    std::vector<Transformation> generators(count, Transformation(points));
    for (Transformation& g : generators)
      for (State& image : g) in >> image;
    const auto group = generated_group(generators, points, 1000).value();
    ASSERT_EQ(group.order(), order) << line;
    const auto name = group_name(group);
    ASSERT_TRUE(name) << line;
    EXPECT_TRUE(names.insert(*name).second) << *name << " twice: " << line;
  }
}

TEST(GreenClasses, AgreeWithGap) {
  std::mt19937_64 random(laws::seed());
  std::string script;
  std::vector<std::string> expected;
  const auto number = [](auto value) { return std::to_string(value); };
  while (expected.size() < 60) {
    const auto generators = random_generators(random);
    const auto monoid = enumerate_monoid(generators, generators.front().size(), 60);
    if (!monoid) continue;
    script += "S := Monoid([";
    for (const Transformation& g : generators) {
      std::string images;
      for (const State q : g) images += (images.empty() ? "" : ",") + number(q + 1);
      script +=
          (&g == &generators.front() ? "Transformation([" : ",Transformation([") + images + "])";
    }
    script +=
        "]);; L := [];;\n"
        "for d in GreensDClasses(S) do h := 0;; if IsRegularDClass(d) then\n"
        "  h := Size(GroupHClassOfGreensDClass(d)); fi;\n"
        "  Add(L, [Size(d), Length(GreensRClasses(d)), Length(GreensLClasses(d)), h]); od;\n"
        "Sort(L); Print(ReplacedString(String(L), \" \", \"\"), \"\\n\");\n";
    std::vector<std::array<std::size_t, 4>> classes;
    for (const JClass& one : green_classes(*monoid).j)
      classes.push_back({one.rows() * one.columns() * one.cell_size(), one.rows(), one.columns(),
                         one.regular() ? one.cell_size() : 0});
    std::sort(classes.begin(), classes.end());
    std::string text;
    for (const auto& [size, rows, columns, group] : classes)
      text += (text.empty() ? "[[" : ",[") + number(size) + "," + number(rows) + "," +
              number(columns) + "," + number(group) + "]";
    expected.push_back(text + "]");
  }
  const auto found = gap(script);
  if (!found) GTEST_SKIP() << "gap is not installed, so classes were not compared with it";
  EXPECT_EQ(*found, expected);
}

// Groups of permutations and the commutative steps of their derived series: the definitions, and GAP
// where installed.

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

// Actions of letters on points beside automata, and what products reach.

Action random_action(std::size_t most_points) {
  Action action;
  action.points = *rc::gen::inRange<std::size_t>(1, most_points + 1);
  const auto letters = *rc::gen::inRange<std::size_t>(1, 4);
  std::vector<std::string> names;
  for (std::size_t a = 0; a < letters; ++a) {
    names.push_back(std::string(1, static_cast<char>('a' + a)));
    action.generators.push_back(*rc::gen::container<Transformation>(
        action.points, rc::gen::inRange<State>(0, static_cast<State>(action.points))));
  }
  action.alphabet = Alphabet(names);
  return action;
}

RC_GTEST_PROP(ReachablePoints, AreTheImagesUnderAllProducts, ()) {
  const Action action = random_action(5);
  const auto monoid = enumerate_monoid(action.generators, action.points, 3125);
  RC_ASSERT(monoid.has_value());
  const ReachablePoints reachable(action);
  RC_ASSERT(reachable.points() == action.points);
  for (State q = 0; q < action.points; ++q) {
    std::set<State> images;
    for (const Transformation& product : monoid->elements) images.insert(product[q]);
    RC_ASSERT(reachable[q] == std::vector<State>(images.begin(), images.end()));
  }
}

RC_GTEST_PROP(ReachablePoints, ThatReachOneAnotherShareAList, ()) {
  const Action action = random_action(12);
  const ReachablePoints reachable(action);
  std::set<std::vector<State>> different;
  for (State q = 0; q < action.points; ++q) different.insert(reachable[q]);
  // Points with equal lists lie in them, so they reach one another.
  RC_ASSERT(reachable.lists().size() == different.size());
}

RC_GTEST_PROP(ReachablePoints, AreThereWhereTheirPairsAreWithinTheBound, ()) {
  const Action action = random_action(12);
  const ReachablePoints all(action);
  std::size_t pairs = 0;
  for (State q = 0; q < all.points(); ++q) pairs += all[q].size() - 1;
  const auto most = *rc::gen::inRange<std::size_t>(0, pairs + 2);
  const auto bounded = ReachablePoints::of_at_most(action, most);
  RC_ASSERT(bounded.has_value() || pairs > most);
  if (bounded) RC_ASSERT(bounded->lists() == all.lists());
}

RC_GTEST_PROP(Actions, OfAnAutomatonAreItsSteps, ()) {
  Action action = random_action(9);
  action.initial = *rc::gen::inRange<State>(0, static_cast<State>(action.points));
  action.accepting =
      *rc::gen::container<std::vector<bool>>(action.points, rc::gen::arbitrary<bool>());
  const Dfa dfa = to_dfa(action);
  const Action again = to_action(dfa);
  RC_ASSERT(again.generators == action.generators);
  RC_ASSERT(again.initial == action.initial);
  RC_ASSERT(again.accepting == action.accepting);
  RC_ASSERT(dfa.alphabet.names() == action.alphabet.names());
}

RC_GTEST_PROP(AutomataOfProducts, AcceptTheWordsWhoseProductIsTheIdentity, ()) {
  const Action action = named_monoid(*rc::gen::element<std::string>("S3", "Z6", "A4", "flipflop"));
  const auto monoid = enumerate_monoid(action.generators, action.points, 100);
  RC_ASSERT(monoid.has_value());
  const Dfa dfa = automaton_of_products(*monoid, action.alphabet);
  State state = dfa.initial;
  Transformation product = identity_transformation(action.points);
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto letter = *rc::gen::inRange<Letter>(0, static_cast<Letter>(action.alphabet.size()));
    state = dfa.step(state, letter);
    product = compose(product, action.generators[letter]);
    RC_ASSERT(dfa.accepting[state] == action.accepts(product));
  }
}

}}  // namespace logdepth::monoid_structure_tests
