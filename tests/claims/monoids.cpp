// Transition monoids and named groups: sizes known from algebra, laws, and GAP where installed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <random>
#include <set>
#include <sstream>

#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/point_maps.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/language_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/front_end_cases.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::monoids_tests { namespace {

using namespace cases;

TransitionMonoid monoid_of(const Action& action, std::size_t cap = 100000) {
  return enumerate_monoid(action.generators, action.points, cap).value();
}
TransitionMonoid monoid_of(const std::string& name) {
  return monoid_of(named_monoid(name));
}

struct Known {
  std::string name;
  std::size_t size, points, generators;
  bool group, aperiodic, commutative;
};

const std::vector<Known>& known_monoids() {
  static const std::vector<Known> known{
      {"Z1", 1, 1, 1, true, true, true},
      {"Z2", 2, 2, 1, true, false, true},
      {"Z6", 6, 6, 1, true, false, true},
      {"S1", 1, 1, 1, true, true, true},
      {"S2", 2, 2, 1, true, false, true},
      {"S3", 6, 3, 2, true, false, false},
      {"S4", 24, 4, 2, true, false, false},
      {"S5", 120, 5, 2, true, false, false},
      {"A3", 3, 3, 1, true, false, true},
      {"A4", 12, 4, 2, true, false, false},
      {"A5", 60, 5, 2, true, false, false},
      {"A6", 360, 6, 2, true, false, false},
      {"D3", 6, 3, 2, true, false, false},
      {"D4", 8, 4, 2, true, false, false},
      {"D6", 12, 6, 2, true, false, false},
      {"Q8", 8, 8, 2, true, false, false},
      {"V4", 4, 4, 2, true, false, true},
      {"flipflop", 3, 2, 3, false, true, false},
      {"T1", 1, 1, 1, true, true, true},
      {"T2", 4, 2, 2, false, false, false},
      {"T3", 27, 3, 3, false, false, false},
      {"T4", 256, 4, 3, false, false, false},
      {"A4_x_Z5", 60, 9, 3, true, false, false},
      {"Z2_x_Z3", 6, 5, 2, true, false, true},
      {"flipflop_x_Z2_x_S3", 36, 7, 6, false, false, false},
  };
  return known;
}

TEST(NamedMonoids, HaveTheSizesAndPropertiesKnownFromAlgebra) {
  for (const Known& known : known_monoids()) {
    const Action action = named_monoid(known.name);
    const TransitionMonoid monoid = monoid_of(action);
    EXPECT_EQ(monoid.size(), known.size) << known.name;
    EXPECT_EQ(action.points, known.points) << known.name;
    EXPECT_EQ(action.generators.size(), known.generators) << known.name;
    EXPECT_EQ(monoid.is_group(), known.group) << known.name;
    EXPECT_EQ(examine_subgroups(monoid).largest == 1, known.aperiodic) << known.name;
    EXPECT_EQ(monoid.is_commutative(), known.commutative) << known.name;
    EXPECT_FALSE(action.initial.has_value());
  }
}

TEST(NamedMonoids, QuaternionsHaveOneElementOfOrderTwoAndSixOfOrderFour) {
  const TransitionMonoid monoid = monoid_of("Q8");
  const auto table = monoid.product_table();
  std::map<int, int> orders;
  for (std::uint32_t x = 0; x < 8; ++x) {
    int order = 1;
    for (std::uint32_t power = x; power != 0; power = table[power * 8 + x]) ++order;
    ++orders[order];
  }
  EXPECT_EQ(orders, (std::map<int, int>{{1, 1}, {2, 1}, {4, 6}}));
}

TEST(NamedMonoids, GeneratorsAreThoseDocumented) {
  EXPECT_EQ(named_monoid("Z3").generators, (std::vector<Transformation>{{1, 2, 0}}));
  EXPECT_EQ(named_monoid("S4").generators,
            (std::vector<Transformation>{{1, 0, 2, 3}, {1, 2, 3, 0}}));
  EXPECT_EQ(named_monoid("A5").generators,
            (std::vector<Transformation>{{1, 2, 0, 3, 4}, {1, 2, 3, 4, 0}}));
  EXPECT_EQ(named_monoid("A4").generators,
            (std::vector<Transformation>{{1, 2, 0, 3}, {0, 2, 3, 1}}));
  EXPECT_EQ(named_monoid("D4").generators,
            (std::vector<Transformation>{{1, 2, 3, 0}, {0, 3, 2, 1}}));
  EXPECT_EQ(named_monoid("flipflop").generators,
            (std::vector<Transformation>{{0, 0}, {1, 1}, {0, 1}}));
  EXPECT_EQ(named_monoid("Z2_x_Z3").generators,
            (std::vector<Transformation>{{1, 0, 2, 3, 4}, {0, 1, 3, 4, 2}}));
  EXPECT_EQ(named_monoid("A4_x_Z5").alphabet.names(), (std::vector<std::string>{"a", "b", "c"}));
}

/// As GAP prints a permutation.
std::string cycles(const Transformation& permutation) {
  std::string text;
  std::vector<bool> seen(permutation.size(), false);
  for (State start = 0; start < permutation.size(); ++start) {
    if (seen[start] || permutation[start] == start) continue;
    std::string along;
    for (State q = start; !seen[q]; q = permutation[q]) {
      seen[q] = true;
      along += (along.empty() ? "" : ",") + std::to_string(q + 1);
    }
    text += "(" + along + ")";
  }
  return text.empty() ? "()" : text;
}

TEST(GeneratorFiles, HoldTheGroupsWhoseGeneratorsAreWrittenAsImagesOrAsCycles) {
  for (const Known& known : known_monoids()) {
    const Action action = named_monoid(known.name);
    std::string name, images, permutations;
    for (const Transformation& map : action.generators) {
      name += (name.empty() ? "" : " ") + format_transformation(map);
      images += "\n " + format_transformation(map) + "  # images\n";
      permutations += cycles(map) + "\r\n";
    }
    EXPECT_EQ(named_monoid(name).generators, action.generators) << known.name;
    EXPECT_EQ(read_generators(images, "x"), action.generators) << known.name;
    if (known.group && known.size > 1) {
      EXPECT_EQ(read_generators(permutations, "x"), action.generators) << known.name;
    }
  }
  EXPECT_EQ(read_generators("()\n(2, 3)\n( 1,2 )( 4,5 )", "x"),
            (std::vector<Transformation>{{0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {1, 0, 2, 4, 3}}));
}

TEST(GeneratorFiles, ThatHoldSomethingElseAreRefusedWithTheLine) {
  const auto said = [](const std::string& text) {
    return support::refusal([&] { read_generators(text, "x.txt"); });
  };
  for (const std::string line : {"(1,2", "(1,2)(2,3)", "(0,1)", "1,2", "(1,2)(3,-4)", "(a,b)",
                                 "((1,2))", "(1,5000)", "(1,2) (3,4),"})
    EXPECT_EQ(said("(1,2)\n" + line),
              "x.txt:2: expected cycles of points from 1, each point once, as (1,2,3)(4,5), "
              "found '" +
                  line + "'");
  EXPECT_EQ(said("[1,0]\n(1,2)"),
            "x.txt:2: expected the images of the points 0, 1, ..., as [1,2,0], found '(1,2)'");
  EXPECT_EQ(said("[1,0]\n[1,0,2]"), "x.txt:2: expected the images of 2 points, found 3");
  EXPECT_EQ(said("# none\n\n"), "x.txt: expected a generator in each line, found none");
  EXPECT_EQ(said("()"), "x.txt: expected a generator in each line, found none");
}

TEST(NamedMonoids, AllElementsAsLettersAreTheElementsBreadthFirst) {
  for (const std::string name : {"S3", "A5", "flipflop", "V4"}) {
    const Action action = named_monoid(name, NamedLetters::all);
    const TransitionMonoid monoid = monoid_of(name);
    EXPECT_EQ(action.generators, monoid.elements) << name;
    EXPECT_EQ(action.alphabet.name(0), "g0");
    EXPECT_EQ(action.alphabet.size(), monoid.size());
    EXPECT_EQ(monoid_of(action).size(), monoid.size()) << name;
  }
}

TEST(TransitionMonoid, ProductTableIsAssociativeWithTheIdentityFirst) {
  for (const Known& known : known_monoids()) {
    if (known.size > 120) continue;
    const TransitionMonoid monoid = monoid_of(known.name);
    const auto table = monoid.product_table();
    const std::size_t n = monoid.size();
    ASSERT_EQ(table.size(), n * n);
    EXPECT_EQ(monoid.elements[0], identity_transformation(known.points));
    const auto times = [&](std::size_t a, std::size_t b) { return table[a * n + b]; };
    for (std::size_t a = 0; a < n; ++a) {
      ASSERT_EQ(times(a, 0), a);
      ASSERT_EQ(times(0, a), a);
      for (std::size_t b = 0; b < n; ++b) {
        ASSERT_EQ(times(a, b), monoid.find(compose(monoid.elements[a], monoid.elements[b])));
        for (std::size_t c = 0; c < n; ++c) {
          ASSERT_EQ(times(times(a, b), c), times(a, times(b, c))) << known.name;
        }
      }
    }
  }
}

TEST(TransitionMonoid, FirstLetterActsFirstAndTheOtherOrderDiffersOnA5) {
  const Action action = named_monoid("A5");
  const Transformation& a = action.generators[0];  // (0 1 2)
  const Transformation& b = action.generators[1];  // (0 1 2 3 4)
  // By hand: a sends 2 to 0, which b sends to 1; b sends 2 to 3, which a keeps.
  EXPECT_EQ(compose(a, b), (Transformation{2, 3, 1, 4, 0}));
  EXPECT_EQ(compose(b, a), (Transformation{2, 0, 3, 4, 1}));
  const TransitionMonoid monoid = monoid_of(action);
  const Word word = action.alphabet.parse_word("ab");
  std::uint32_t element = 0;
  for (const Letter letter : word) element = monoid.right[element][letter];
  EXPECT_EQ(monoid.elements[element], compose(a, b));
  EXPECT_NE(monoid.elements[element], compose(b, a));
  const auto oracle = make_action_oracle(action, "A5");
  EXPECT_EQ(oracle->prefix_products(word).value(),
            (std::vector<Transformation>{a, {2, 3, 1, 4, 0}}));
  EXPECT_EQ(monoid.product_table()[monoid.generator[0] * monoid.size() + monoid.generator[1]],
            element);
  // The order shows in the words accepted too, but only with more letters than a and b: some
  // automorphism of A5 inverts both, so they spell the identity forwards iff they do backwards.
  for (const Word& forward : all_words(2, 10)) {
    ASSERT_EQ(oracle->accepts(forward), oracle->accepts({forward.rbegin(), forward.rend()}));
  }
  const auto all = make_action_oracle(named_monoid("A5", NamedLetters::all), "all of A5");
  Transformation inverse(5);
  for (State q = 0; q < 5; ++q) inverse[monoid.elements[element][q]] = q;
  const Word triangle{monoid.generator[0], monoid.generator[1], monoid.find(inverse)};
  EXPECT_TRUE(all->accepts(triangle));
  EXPECT_FALSE(all->accepts({triangle.rbegin(), triangle.rend()}));
}

TEST(TransitionMonoid, ShortestWordsSpellTheirElementsAndNoneIsShorter) {
  for (const std::string name : {"S4", "Q8", "T3", "A4_x_Z5"}) {
    const Action action = named_monoid(name);
    const TransitionMonoid monoid = monoid_of(action);
    std::map<Transformation, std::size_t> first_length;
    for (const Word& word : all_words(action.generators.size(), name == "A4_x_Z5" ? 8 : 7)) {
      Transformation product = identity_transformation(action.points);
      for (const Letter letter : word) product = compose(product, action.generators[letter]);
      first_length.emplace(product, word.size());
    }
    for (std::uint32_t e = 0; e < monoid.size(); ++e) {
      Transformation product = identity_transformation(action.points);
      for (const Letter letter : monoid.shortest_word[e]) {
        product = compose(product, action.generators[letter]);
      }
      EXPECT_EQ(product, monoid.elements[e]);
      EXPECT_EQ(monoid.find(monoid.elements[e]), e);
      const auto found = first_length.find(monoid.elements[e]);
      if (found == first_length.end()) continue;
      EXPECT_EQ(found->second, monoid.shortest_word[e].size());
      EXPECT_TRUE(e == 0 || monoid.shortest_word[e - 1].size() <= monoid.shortest_word[e].size());
    }
    EXPECT_EQ(monoid.generator, monoid.right[0]);
  }
}

TEST(TransitionMonoid, CapIsTheLargestSizeThatIsEnumerated) {
  const Action action = named_monoid("A5");
  EXPECT_TRUE(enumerate_monoid(action.generators, action.points, 60).has_value());
  EXPECT_FALSE(enumerate_monoid(action.generators, action.points, 59).has_value());
  EXPECT_THROW(monoid_of(action).find({1, 0, 2, 3, 4}), std::out_of_range);
}

TEST(TransitionMonoid, AperiodicityTellsStarFreeLanguagesFromParity) {
  const auto monoid = [](const std::string& text) {
    return monoid_of(to_action(minimise(determinise(to_nfa(parse_regex(text))))));
  };
  EXPECT_TRUE(examine_subgroups(monoid("(ab)*")).largest == 1);
  EXPECT_FALSE(examine_subgroups(monoid("(aa)*")).largest == 1);
  EXPECT_TRUE(examine_subgroups(monoid("(a(ab)*b)*")).largest == 1);
  EXPECT_FALSE(examine_subgroups(monoid("(b|ab*a)*")).largest == 1);
  EXPECT_FALSE(monoid("(ab)*").is_group());
  EXPECT_TRUE(monoid("(b|ab*a)*").is_group());
}

TEST(Actions, MinimalAutomatonOfAWordProblemIsTheCayleyGraph) {
  for (const Known& known : known_monoids()) {
    if (!known.group) continue;
    EXPECT_EQ(to_minimal_dfa(named_monoid(known.name)).states(), known.size) << known.name;
  }
  EXPECT_THROW(to_minimal_dfa(named_monoid("S5"), 119), SizeLimit);
  EXPECT_EQ(to_minimal_dfa(named_monoid("S5"), 120).states(), 120u);
}

TEST(Actions, WordProblemsAgreeWithTheirOracle) {
  for (const std::string name : {"S3", "A5", "Q8", "flipflop", "T3", "Z2_x_S3"}) {
    const Action action = named_monoid(name);
    const auto oracle = make_action_oracle(action, name);
    const Dfa dfa = to_minimal_dfa(action);
    std::size_t accepted = 0;
    for (const Word& word : all_words(action.generators.size(), 7)) {
      Transformation product = identity_transformation(action.points);
      for (const Letter letter : word) product = compose(product, action.generators[letter]);
      ASSERT_EQ(oracle->accepts(word), action.accepts(product)) << name;
      ASSERT_EQ(oracle->accepts(word), accepts(dfa, word)) << name;
      accepted += oracle->accepts(word) ? 1 : 0;
    }
    EXPECT_GE(accepted, 2u) << name;
  }
}

RC_GTEST_PROP(Actions, AutomataAndTheirActionsAcceptTheSameWords, ()) {
  const Dfa dfa = minimise(determinise(draw_nfa(Alphabet({"a", "b"}), false)));
  const Action action = to_action(dfa);
  const auto oracle = make_action_oracle(action, "action");
  for (const Word& word : all_words(2, 7)) {
    RC_ASSERT(oracle->accepts(word) == accepts(dfa, word));
    const auto products = oracle->prefix_products(word).value();
    RC_ASSERT(products.size() == word.size());
    if (!word.empty()) RC_ASSERT(action.accepts(products.back()) == accepts(dfa, word));
  }
  const Dfa back = to_minimal_dfa(action);
  RC_ASSERT(same_form(back, dfa));
}

TEST(Actions, TransformationsAreWrittenAsTheListOfImages) {
  EXPECT_EQ(format_transformation({1, 0, 2}), "[1,0,2]");
  EXPECT_EQ(format_transformation({}), "[]");
}

/// GAP numbers points from 1.
std::string gap_transformation(const Transformation& transformation) {
  std::ostringstream text;
  text << "Transformation([";
  for (std::size_t q = 0; q < transformation.size(); ++q) {
    text << (q == 0 ? "" : ",") << transformation[q] + 1;
  }
  text << "])";
  return text.str();
}

TEST(TransitionMonoid, SizesAndProductsAgreeWithGap) {
  if (std::system("command -v gap > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "gap is not installed, so monoids were not compared with it";
  }
  std::ostringstream script;
  std::ostringstream expected;
  for (const Known& known : known_monoids()) {
    const Action action = named_monoid(known.name);
    const TransitionMonoid monoid = monoid_of(action);
    script << "gens := [";
    for (std::size_t i = 0; i < action.generators.size(); ++i) {
      script << (i == 0 ? "" : ",") << gap_transformation(action.generators[i]);
    }
    script << "];; Print(Size(Monoid(gens)), \"\\n\");\n";
    expected << monoid.size() << "\n";
    // GAP too writes products left to right, the left factor first; a longest word shows it.
    const Word& word = monoid.shortest_word.back();
    if (word.empty()) continue;
    script << "Print(";
    for (std::size_t i = 0; i < word.size(); ++i) {
      script << (i == 0 ? "" : "*") << "gens[" << word[i] + 1 << "]";
    }
    script << " = " << gap_transformation(monoid.elements.back()) << ", \"\\n\");\n";
    expected << "true\n";
  }
  script << "QUIT;\n";
  const support::TemporaryFolder folder;
  folder.write("monoids.g", script.str());
  EXPECT_EQ(support::run_process({"gap", "-q", "monoids.g"}, folder.path()).out, expected.str());
}

RC_GTEST_PROP(TransitionMonoid, RandomMonoidsMatchTheClosureUnderProducts, ()) {
  const std::size_t points = static_cast<std::size_t>(draw(1, 5));  // at most 4^4 maps
  std::vector<Transformation> generators(static_cast<std::size_t>(draw(1, 4)));
  for (Transformation& g : generators) {
    for (std::size_t q = 0; q < points; ++q) {
      g.push_back(static_cast<State>(draw(0, static_cast<int>(points))));
    }
  }
  const TransitionMonoid monoid = enumerate_monoid(generators, points, 300).value();
  // Closure by brute force: multiply by generators on the left until nothing is new.
  std::map<Transformation, bool> closure{{identity_transformation(points), true}};
  for (std::size_t before = 0; before != closure.size();) {
    before = closure.size();
    const auto snapshot = closure;
    for (const auto& [element, unused] : snapshot) {
      for (const Transformation& g : generators) closure.emplace(compose(g, element), true);
    }
  }
  RC_ASSERT(monoid.size() == closure.size());
  // Aperiodicity by its definition, with powers up to the size of the monoid.
  bool aperiodic = true;
  for (const Transformation& x : monoid.elements) {
    Transformation power = x;
    for (std::size_t k = 0; k < points; ++k) power = compose(power, x);
    aperiodic = aperiodic && compose(power, x) == power;
  }
  RC_ASSERT((examine_subgroups(monoid).largest == 1) == aperiodic);
  bool commutative = true;
  for (const Transformation& x : monoid.elements) {
    for (const Transformation& y : monoid.elements) {
      commutative = commutative && compose(x, y) == compose(y, x);
    }
  }
  RC_ASSERT(monoid.is_commutative() == commutative);
  // A group: every element has a power that is the identity.
  bool group = true;
  for (const Transformation& x : monoid.elements) {
    Transformation power = x;
    for (int k = 0; k < 60 && power != identity_transformation(points); ++k) {
      power = compose(power, x);
    }
    group = group && power == identity_transformation(points);
  }
  RC_ASSERT(monoid.is_group() == group);
}

// The groups inside a monoid: known ones, and the definitions on small random monoids.

Subgroups of(const Action& action) {
  return examine_subgroups(enumerate_monoid(action.generators, action.points, 20000).value());
}

struct KnownSubgroups {
  const char* name;
  std::size_t largest;
  std::optional<std::size_t> derived_length;
};

TEST(Subgroups, AreThoseKnownFromAlgebra) {
  const std::optional<std::size_t> unsolvable;
  for (const KnownSubgroups& known : std::vector<KnownSubgroups>{{"Z1", 1, 0},
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
    aperiodic += found.largest == 1;
    solvable += found.largest > 1 && found.derived_length;
    unsolvable += !found.derived_length;
  }
  EXPECT_GT(examined, 500u);
  EXPECT_GT(aperiodic, 50u);
  EXPECT_GT(solvable, 200u);
  EXPECT_GT(unsolvable, 10u);
}

}}  // namespace logdepth::monoids_tests
