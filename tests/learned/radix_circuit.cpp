// Scans of several radices: their edges, and how many of them attention that is made by hand draws.
#include "learned/word_problems/radix_circuit.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace logdepth::radix_circuit_tests {
namespace {

using Positions = std::vector<std::size_t>;
using Row = std::vector<std::uint8_t>;

/// A head whose positions read so far back, and themselves where nothing is.
AttentionMatrix reading(std::size_t letters, std::size_t back) {
  AttentionMatrix matrix(letters, std::vector<double>(letters, 0));
  for (std::size_t i = 0; i < letters; ++i) {
    matrix[i][i] += 0.25;
    matrix[i][i >= back ? i - back : i] += 0.75;
  }
  return matrix;
}
AttentionLevel level_of(std::size_t letters, const std::vector<std::size_t>& backs) {
  AttentionLevel level{"layer", "", {}};
  for (const std::size_t back : backs) level.heads.push_back(reading(letters, back));
  return level;
}

TEST(RadixCircuit, APositionReadsTheEndsOfTheWindowsBeforeItsOwn) {
  EXPECT_EQ(radix_sources(1, 2, 5), Positions({4}));
  EXPECT_EQ(radix_sources(1, 4, 5), Positions({4, 3, 2}));
  EXPECT_EQ(radix_sources(3, 3, 8), Positions({5, 2}));
  EXPECT_EQ(radix_sources(3, 3, 6), Positions({3})) << "the second one is before the word";
  EXPECT_EQ(radix_sources(3, 3, 3), Positions());
  EXPECT_EQ(radix_sources(1, 3, 1), Positions());
}

TEST(RadixCircuit, LevelsOfAnyRadicesMultiplyEveryPrefix) {
  constexpr std::size_t kLetters = 36;
  for (const Radices& radices :
       {Radices{2, 2, 3, 3}, Radices{3, 2, 2, 3}, Radices{4, 3, 3}, Radices{6, 6}}) {
    std::vector<std::size_t> first(kLetters + 1);  // position p holds the letters first[p] ... p
    for (std::size_t p = 1; p <= kLetters; ++p) first[p] = p;
    std::size_t window = 1;
    for (const std::uint32_t radix : radices) {
      const Positions before = first;
      for (std::size_t p = 1; p <= kLetters; ++p)
        for (const std::size_t source : radix_sources(window, radix, p)) {
          EXPECT_EQ(first[p], source + 1) << "what is read ends where one's own product begins";
          first[p] = before[source];
        }
      window *= radix;
    }
    for (std::size_t p = 1; p <= kLetters; ++p) EXPECT_EQ(first[p], 1u) << radices_text(radices);
  }
}

TEST(ReadEdges, ViewsHaveEachTokenReadItselfAndWhatIsBeforeTheWord) {
  EXPECT_TRUE(ReadEdges().views(4, 1).empty()) << "every edge stays";
  const auto kept = ReadEdges{{2, 2}, false}.views(4, 1);
  ASSERT_EQ(kept.size(), 3u) << "two levels, and the layers behind";
  EXPECT_EQ(kept[0], Row({1, 0, 0, 0, 0,  //
                          1, 1, 0, 0, 0,  //
                          1, 1, 1, 0, 0,  //
                          1, 0, 1, 1, 0,  //
                          1, 0, 0, 1, 1}));
  EXPECT_EQ(kept[1], Row({1, 0, 0, 0, 0,  //
                          1, 1, 0, 0, 0,  //
                          1, 0, 1, 0, 0,  //
                          1, 1, 0, 1, 0,  //
                          1, 0, 1, 0, 1}));
  EXPECT_EQ(kept[2], Row({1, 0, 0, 0, 0,  //
                          1, 1, 0, 0, 0,  //
                          1, 0, 1, 0, 0,  //
                          1, 0, 0, 1, 0,  //
                          1, 0, 0, 0, 1}));
  const auto cut = ReadEdges{{3}, true}.views(4, 0);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut[0], Row({1, 1, 1, 1,  //
                         0, 1, 1, 1,  //
                         0, 0, 1, 1,  //
                         1, 0, 0, 1}));
  EXPECT_EQ(cut[1], Row(16, 1));
}

TEST(ReadEdges, WindowsOfManyRadicesDoNotOverflow) {
  const auto views = ReadEdges{Radices(100, 65536), false}.views(3, 0);
  ASSERT_EQ(views.size(), 101u);
  EXPECT_EQ(views[0], Row({1, 0, 0, 1, 1, 0, 1, 1, 1}));
  for (std::size_t level = 1; level <= 100; ++level)
    EXPECT_EQ(views[level], Row({1, 0, 0, 0, 1, 0, 0, 0, 1})) << level;
}

TEST(ReadEdges, LevelsEndWhereTheirWindowReachesTheWord) {
  EXPECT_EQ(levels_within({2, 2, 2}, 8), Radices({2, 2, 2}));
  EXPECT_EQ(levels_within({2, 2, 2}, 5), Radices({2, 2, 2}));
  EXPECT_EQ(levels_within({2, 2, 2}, 4), Radices({2, 2}));
  EXPECT_EQ(levels_within({3, 3}, 2), Radices({3}));
  EXPECT_EQ(levels_within({3, 3}, 100), Radices({3, 3}));
  EXPECT_EQ(levels_within({}, 8), Radices());
  EXPECT_EQ(levels_within({2, 2}, 1), Radices());
  // A level that is left out has no edge that the layers behind do not have.
  for (std::size_t letters = 1; letters <= 9; ++letters) {
    const Radices radices = {2, 3, 2}, within = levels_within(radices, letters);
    const auto all = ReadEdges{radices, false}.views(letters, 1);
    const auto few = ReadEdges{within, false}.views(letters, 1);
    for (std::size_t level = 0; level < all.size(); ++level)
      EXPECT_EQ(all[level], few.empty() ? all.back() : few[std::min(level, few.size() - 1)])
          << letters << " letters, level " << level;
  }
}

TEST(RadixCircuit, HeadsThatReadTheWindowsOfAScanGiveItsRadices) {
  // Radices 2, 3: one letter back, then two and four back by two heads.
  const RadixCircuit circuit = radix_circuit({level_of(8, {1, 0}), level_of(8, {2, 4})});
  ASSERT_EQ(circuit.fits.size(), 9u) << "two levels of 2, 3 or 4";
  EXPECT_EQ(circuit.fits[0].radices, (Radices{2, 3}));
  EXPECT_EQ(circuit.fits[0].edges, 7u + 6 + 4);
  EXPECT_EQ(circuit.fits[0].of_edges, 17u);
  // Radices 2, 2 have all their edges too, but fewer of them.
  EXPECT_EQ(circuit.fits[1].radices, (Radices{2, 2}));
  EXPECT_EQ(circuit.fits[1].edges, circuit.fits[1].of_edges);
  EXPECT_EQ(circuit.heads[0][0].distance, 1u);
  EXPECT_EQ(circuit.heads[0][0].positions, 7u);
  EXPECT_EQ(circuit.heads[0][0].of_positions, 7u);
  EXPECT_EQ(circuit.heads[0][1].distance, 0u) << "reads itself";
  EXPECT_EQ(circuit.heads[1][1].distance, 4u);
  const std::string text = radix_text(circuit);
  for (const char* part : {"layer: 1 (7 of 7), none\n", "radices 2, 3: 17 of 17, by chance "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  const auto json = to_json(circuit);
  EXPECT_EQ(json["scans"][0]["radices"], nlohmann::json({2, 3}));
  EXPECT_EQ(json["levels"][1]["heads"][1]["distance"], 4);
}

TEST(RadixCircuit, AResultHoldsSharesOfTheDoublingScanDistancesAndTheBestScan) {
  // The third layer reads one letter back, where the doubling scan reads four, and a fourth has no level.
  const auto circuit = circuit_of_result(
      {level_of(8, {1}), level_of(8, {2, 4}), level_of(8, {1}), level_of(8, {1})}, 64);
  EXPECT_EQ(circuit["letters"], 8);
  EXPECT_EQ(circuit["words"], 64);
  ASSERT_EQ(circuit["levels"].size(), 4u);
  EXPECT_EQ(circuit["levels"][0][kDoublingShare], 1.0);
  EXPECT_EQ(circuit["levels"][2][kDoublingShare], 0.0);
  EXPECT_EQ(circuit["levels"][3][kDoublingShare], 0.0);
  EXPECT_EQ(circuit["levels"][1]["distances"], nlohmann::json({2, 4}));
  EXPECT_EQ(circuit["nearest"]["radices"], nlohmann::json({2, 3, 2}))
      << "six letters back: no edge of it";
  EXPECT_EQ(circuit["nearest"]["edges"], 17);
}

TEST(RadixCircuit, ScansEndWhereTheirProductReachesTheLetters) {
  const RadixCircuit circuit =
      radix_circuit({level_of(4, {1}), level_of(4, {2}), level_of(4, {1})});
  EXPECT_EQ(circuit.fits[0].radices, (Radices{2, 2})) << "a third layer has nothing to multiply";
  EXPECT_EQ(circuit.fits[0].edges, 5u);
  for (const RadixFit& fit : circuit.fits) EXPECT_LE(fit.radices.size(), 2u);
}

TEST(RadixCircuit, ChanceGrowsWithTheHeads) {
  const auto by_chance = [](const std::vector<std::size_t>& heads) {
    return radix_circuit({level_of(3, heads)}).fits;
  };
  const auto two = [](const std::vector<RadixFit>& fits) {
    for (const RadixFit& fit : fits)
      if (fit.radices == Radices{2}) return fit.by_chance;
    return 0.0;
  };
  EXPECT_NEAR(two(by_chance({1})), 1 + 0.5, 1e-12);
  EXPECT_NEAR(two(by_chance({1, 1})), 1 + 0.75, 1e-12);
}

TEST(RadixCircuit, LongWordsAreComparedWithTheBestScansOnly) {
  std::vector<AttentionLevel> levels;
  for (std::size_t back = 1; back < 300; back *= 2) levels.push_back(level_of(300, {back}));
  const RadixCircuit circuit = radix_circuit(levels);
  EXPECT_EQ(circuit.fits.size(), 10u);
  EXPECT_EQ(circuit.fits[0].radices, Radices(9, 2));
  EXPECT_EQ(circuit.fits[0].edges, circuit.fits[0].of_edges);
}

}  // namespace
}  // namespace logdepth::radix_circuit_tests
