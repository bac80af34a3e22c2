// The naming of prefix circuits on attention that is made by hand, and the picture of it.
#include "learned/word_problems/prefix_circuit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "learned/word_problems/word_attention.hpp"
#include "learned/word_problems/word_task.hpp"
#include "report/figures/token_bands.hpp"

namespace logdepth::prefix_circuit_tests { namespace {

using Source = std::function<std::size_t(std::size_t level, std::size_t position)>;

constexpr std::size_t kSklansky = 0, kHillisSteele = 1;

/// A head that gives .7 of its attention to one source and the rest to the position itself.
AttentionMatrix reading(std::size_t letters, std::size_t level, const Source& source) {
  AttentionMatrix matrix(letters, std::vector<double>(letters, 0));
  for (std::size_t position = 1; position <= letters; ++position) {
    matrix[position - 1][position - 1] += 0.3;
    matrix[position - 1][source(level, position) - 1] += 0.7;
  }
  return matrix;
}

std::vector<AttentionLevel> levels_of(std::size_t letters, std::size_t levels,
                                      const std::vector<Source>& heads) {
  std::vector<AttentionLevel> all;
  for (std::size_t level = 1; level <= levels; ++level) {
    AttentionLevel& one = all.emplace_back();
    one.name = "iteration " + std::to_string(level);
    for (const Source& head : heads) one.heads.push_back(reading(letters, level, head));
  }
  return all;
}

/// Written out, not computed: the circuits on eight letters.
constexpr std::size_t kSklanskyOf8[3][8] = {
    {1, 1, 3, 3, 5, 5, 7, 7}, {1, 2, 2, 2, 5, 6, 6, 6}, {1, 2, 3, 4, 4, 4, 4, 4}};
constexpr std::size_t kHillisSteeleOf8[3][8] = {
    {1, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 1, 2, 3, 4}};
std::size_t sklansky(std::size_t level, std::size_t position) {
  return kSklanskyOf8[level - 1][position - 1];
}
std::size_t hillis_steele(std::size_t level, std::size_t position) {
  return kHillisSteeleOf8[level - 1][position - 1];
}
std::size_t oneself(std::size_t, std::size_t position) {
  return position;
}

TEST(PrefixCircuit, SourcesOfThePatternsAreThoseOfTheBooks) {
  for (std::size_t level = 1; level <= 3; ++level)
    for (std::size_t position = 1; position <= 8; ++position) {
      const auto read = [&](PrefixPattern pattern) {
        return pattern_source(pattern, level, position).value_or(position);
      };
      EXPECT_EQ(read(PrefixPattern::sklansky), sklansky(level, position));
      EXPECT_EQ(read(PrefixPattern::hillis_steele), hillis_steele(level, position));
    }
  for (std::size_t position = 9; position <= 16; ++position)
    EXPECT_EQ(pattern_source(PrefixPattern::sklansky, 4, position), 8u);
  EXPECT_FALSE(pattern_source(PrefixPattern::sklansky, 4, 8));
  EXPECT_FALSE(pattern_source(PrefixPattern::hillis_steele, 80, 8)) << "deeper than any word";
}

TEST(PrefixCircuit, PatternsMultiplyEveryPrefix) {
  constexpr std::size_t kLetters = 37;
  for (const PrefixPattern pattern : kPrefixPatterns) {
    std::vector<std::size_t> first(kLetters + 1);  // position p holds the letters first[p] ... p
    for (std::size_t p = 1; p <= kLetters; ++p) first[p] = p;
    for (std::size_t level = 1; level <= 6; ++level) {
      const std::vector<std::size_t> before = first;
      for (std::size_t p = 1; p <= kLetters; ++p)
        if (const auto source = pattern_source(pattern, level, p)) {
          EXPECT_EQ(before[p], *source + 1) << "what is read ends where one's own product begins";
          first[p] = before[*source];
        }
    }
    EXPECT_EQ(std::count(first.begin() + 1, first.end(), 1u), kLetters) << pattern_name(pattern);
  }
}

TEST(PrefixCircuit, ASourceIsTheOtherPositionWithMostAttentionAndTiesHaveNone) {
  EXPECT_EQ(attention_source({0.1, 0.3, 0.6}, 3)->position, 2u);
  EXPECT_EQ(attention_source({0.1, 0.3, 0.6}, 3)->attention, 0.3);
  EXPECT_EQ(attention_source({0.1, 0.3, 0.6}, 2)->position, 3u);
  EXPECT_FALSE(attention_source({0.2, 0.2, 0.6}, 3));
  EXPECT_FALSE(attention_source({0.2, 0.2 + 1e-9, 0.6}, 3)) << "rounding is no source";
  EXPECT_FALSE(attention_source({1}, 1));
  EXPECT_FALSE(attention_source({0, 0, 1}, 3)) << "nobody else is read";
}

TEST(PrefixCircuit, ExactCircuitsAreNamedWithAllTheirSources) {
  const PrefixCircuit first = prefix_circuit(levels_of(8, 3, {sklansky, sklansky}));
  EXPECT_EQ(circuit_name(first), "Sklansky's prefix circuit");
  EXPECT_EQ(first.letters, 8u);
  EXPECT_EQ(first.fits[kSklansky].positions, 12u);
  EXPECT_EQ(first.fits[kSklansky].of_positions, 12u);
  EXPECT_EQ(first.fits[kSklansky].heads, 24u);
  EXPECT_EQ(first.fits[kSklansky].of_heads, 24u);
  EXPECT_EQ(first.fits[kHillisSteele].positions, 4u + 2 + 1);
  EXPECT_EQ(first.fits[kHillisSteele].of_positions, 7u + 6 + 4);
  EXPECT_NEAR(first.levels[2].sources[5]->attention, 0.7, 1e-12);
  EXPECT_FALSE(first.levels[2].sources[2]) << "position 3 reads itself";
  // 1/1 + 1/3 + 1/5 + 1/7, then 1/2 + 1/3 + 1/6 + 1/7, then 1/4 + 1/5 + 1/6 + 1/7.
  EXPECT_NEAR(first.by_chance[kSklansky], 501.0 / 140, 1e-12);

  const PrefixCircuit second = prefix_circuit(levels_of(8, 3, {hillis_steele}));
  EXPECT_EQ(circuit_name(second), "Hillis and Steele's prefix circuit");
  EXPECT_EQ(second.fits[kHillisSteele].positions, 17u);
  EXPECT_EQ(second.fits[kSklansky].positions, 4u + 2 + 1);
}

TEST(PrefixCircuit, OnlyTheLevelsThatTheLettersAskForCount) {
  auto levels = levels_of(8, 3, {sklansky});
  levels.push_back(levels.back());  // a fourth loop on eight letters has nothing to multiply
  EXPECT_EQ(prefix_circuit(levels).fits[kSklansky].of_positions, 12u);
  levels.resize(1);
  const PrefixCircuit one = prefix_circuit(levels);
  EXPECT_EQ(one.fits[kSklansky].of_positions, 12u) << "levels that are not there fit nowhere";
  EXPECT_EQ(one.fits[kSklansky].positions, 4u);
  EXPECT_EQ(circuit_name(one), "neither Sklansky's nor Hillis and Steele's prefix circuit");
  EXPECT_EQ(circuit_name(prefix_circuit(levels_of(2, 1, {sklansky}))),
            "Sklansky's and Hillis and Steele's prefix circuit alike");
}

TEST(PrefixCircuit, UniformAttentionIsNoCircuit) {
  std::vector<AttentionLevel> levels(3);
  for (AttentionLevel& level : levels) {
    AttentionMatrix& matrix = level.heads.emplace_back(8, std::vector<double>(8, 0));
    for (std::size_t i = 0; i < 8; ++i)
      std::fill_n(matrix[i].begin(), i + 1, 1 / static_cast<double>(i + 1));
  }
  const PrefixCircuit circuit = prefix_circuit(levels);
  EXPECT_EQ(circuit_name(circuit), "neither Sklansky's nor Hillis and Steele's prefix circuit");
  EXPECT_EQ(circuit.fits[kSklansky].positions, 1u) << "position 2 has one other to read";
  EXPECT_EQ(circuit.fits[kHillisSteele].positions, 1u);
}

TEST(PrefixCircuit, ABrokenCircuitSaysHowMuchOfItIsThere) {
  const Source broken = [](std::size_t level, std::size_t position) {
    return level == 3 && position > 6 ? 1 : sklansky(level, position);
  };
  const PrefixCircuit circuit = prefix_circuit(levels_of(8, 3, {broken}));
  EXPECT_EQ(circuit.fits[kSklansky].positions, 10u);
  EXPECT_EQ(circuit.levels[2].fits[kSklansky].positions, 2u);
  EXPECT_EQ(circuit.levels[2].fits[kSklansky].of_positions, 4u);
  EXPECT_EQ(circuit_name(circuit), "Sklansky's prefix circuit") << "10 of 12";
  const Source more = [](std::size_t level, std::size_t position) {
    return level == 3 ? 1 : sklansky(level, position);
  };
  EXPECT_EQ(circuit_name(prefix_circuit(levels_of(8, 3, {more}))),
            "neither Sklansky's nor Hillis and Steele's prefix circuit")
      << "8 of 12";
}

TEST(PrefixCircuit, PositionsAreReadOffAllHeadsTogetherAndHeadsEachByItself) {
  // One head draws the circuit, the two others look at themselves.
  const PrefixCircuit circuit = prefix_circuit(levels_of(8, 3, {oneself, sklansky, oneself}));
  EXPECT_EQ(circuit.fits[kSklansky].positions, 12u);
  EXPECT_EQ(circuit.fits[kSklansky].heads, 12u);
  EXPECT_EQ(circuit.fits[kSklansky].of_heads, 36u);
  EXPECT_NEAR(circuit.levels[0].sources[1]->attention, 0.7 / 3, 1e-12);
}

TEST(PrefixCircuit, TextAndJsonStateTheSharesOfBothPatterns) {
  const PrefixCircuit circuit = prefix_circuit(levels_of(8, 3, {sklansky, oneself}));
  const std::string text = circuit_text(circuit);
  for (const char* part :
       {"4 of 4", "12 of 12", "7 of 17", "12 of 24",
        "iteration 3: 2 reads none, 3 reads none, 4 reads none, 5 reads 4 (0.35)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const auto json = to_json(circuit);
  EXPECT_EQ(json["name"], circuit_name(circuit));
  EXPECT_EQ(json["fits"]["Hillis-Steele"]["positions"], 7);
  EXPECT_EQ(json["levels"][2]["sources"][0]["position"], 5);
  EXPECT_EQ(json["levels"][2]["sources"][0]["reads"], 4);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(PrefixCircuit, ThePictureHasALineForWhatIsAttendedAndSaysWhichProductsAreWrong) {
  RunRecord record;
  record.config = word_problem("Z2", WordModel::adaptive_loop, 1);
  record.config.task.as<WordTaskConfig>().max_length = 8;
  WordAttention attention;
  attention.word = attention.mean = levels_of(8, 3, {sklansky, oneself});
  attention.word[0].heads[0][7] = {0, 0, 0, 0.96, 0, 0, 0.04, 0};  // .04 is too little for a line
  attention.answers = {1, 0, 1, 0, 1, 0, 1, 1};  // of g1 g1 ...: the last is wrong
  const std::vector<std::string> word(8, "g1");
  const TokenBands bands = learned_bands(record, word, attention, prefix_circuit(attention.mean));
  ASSERT_EQ(bands.bands.size(), 3u);
  EXPECT_EQ(bands.bands[0].lines.size(), 3 * 2 + 4 * 1 + 1 + 8u)
      << "readers, others, the last, self";
  EXPECT_EQ(bands.bands[0].rows[0].texts[7], "4");
  EXPECT_EQ(bands.bands[0].rows[1].texts[7], "7");
  EXPECT_EQ(bands.results[0].texts[7], "10");
  EXPECT_EQ(bands.notes.back(), "prefix products are wrong at 8");
  const std::string picture = strips_svg(token_bands_picture({bands, bands}, "two"));
  EXPECT_EQ(count(picture, "class=\"select\""),
            2 * (bands.bands[0].lines.size() + bands.bands[1].lines.size() +
                 bands.bands[2].lines.size()));
  EXPECT_EQ(count(picture, ">iteration 3<"), 2u);
}

TEST(PrefixCircuit, PicturesBesideEachOtherHaveTheirBandsAtOneHeight) {
  TokenBands left;
  left.title = "left";
  left.styles = {band_style(0, "a"), band_style(1, "b"), band_style(2, "c")};
  left.tokens = {{"x"}, {"y"}};
  left.bands = {{.name = "one", .rows = {{.label = "r", .texts = {"1", "2"}}}}, {.name = "two"}};
  TokenBands right = left;
  right.styles.resize(1);
  right.bands[0].rows.clear();
  const std::string svg = strips_svg(token_bands_picture({left, right}, "both"));
  const auto heights = [&](const std::string& name) {
    std::vector<std::string> found;
    for (std::size_t at = svg.find(">" + name + "<"); at != std::string::npos;
         at = svg.find(">" + name + "<", at + 1)) {
      const std::size_t y = svg.rfind(" y=\"", at);
      found.push_back(svg.substr(y, svg.find('"', y + 4) - y));
    }
    return found;
  };
  for (const char* name : {"one", "two"}) {
    ASSERT_EQ(heights(name).size(), 2u);
    EXPECT_EQ(heights(name)[0], heights(name)[1]) << name;
  }
}

// Scans of several radices.

using Positions = std::vector<std::size_t>;
using Row = std::vector<std::uint8_t>;

/// A head whose positions read so far back, and themselves where nothing is.
AttentionMatrix reading_back(std::size_t letters, std::size_t back) {
  AttentionMatrix matrix(letters, std::vector<double>(letters, 0));
  for (std::size_t i = 0; i < letters; ++i) {
    matrix[i][i] += 0.25;
    matrix[i][i >= back ? i - back : i] += 0.75;
  }
  return matrix;
}
AttentionLevel level_of(std::size_t letters, const std::vector<std::size_t>& backs) {
  AttentionLevel level{"layer", "", {}};
  for (const std::size_t back : backs) level.heads.push_back(reading_back(letters, back));
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
  const PrefixCircuit circuit = prefix_circuit({level_of(8, {1, 0}), level_of(8, {2, 4})});
  ASSERT_EQ(circuit.scans.size(), 9u) << "two levels of 2, 3 or 4";
  EXPECT_EQ(circuit.scans[0].radices, (Radices{2, 3}));
  EXPECT_EQ(circuit.scans[0].edges, 7u + 6 + 4);
  EXPECT_EQ(circuit.scans[0].of_edges, 17u);
  // Radices 2, 2 have all their edges too, but fewer of them.
  EXPECT_EQ(circuit.scans[1].radices, (Radices{2, 2}));
  EXPECT_EQ(circuit.scans[1].edges, circuit.scans[1].of_edges);
  EXPECT_EQ(circuit.levels[0].heads[0].distance, 1u);
  EXPECT_EQ(circuit.levels[0].heads[0].positions, 7u);
  EXPECT_EQ(circuit.levels[0].heads[0].of_positions, 7u);
  EXPECT_EQ(circuit.levels[0].heads[1].distance, 0u) << "reads itself";
  EXPECT_EQ(circuit.levels[1].heads[1].distance, 4u);
  const std::string text = circuit_text(circuit);
  for (const char* part : {"layer: 1 (7 of 7), none\n", "radices 2, 3: 17 of 17, by chance "})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  const auto json = to_json(circuit);
  EXPECT_EQ(json["radices"]["scans"][0]["radices"], nlohmann::json({2, 3}));
  EXPECT_EQ(json["radices"]["levels"][1]["heads"][1]["distance"], 4);
}

TEST(RadixCircuit, AResultHoldsSharesOfTheDoublingScanDistancesAndTheBestScan) {
  // The third layer reads one letter back, where the doubling scan reads four, and a fourth has no level.
  const auto circuit = circuit_of_result(
      prefix_circuit({level_of(8, {1}), level_of(8, {2, 4}), level_of(8, {1}), level_of(8, {1})}),
      64);
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
  const PrefixCircuit circuit =
      prefix_circuit({level_of(4, {1}), level_of(4, {2}), level_of(4, {1})});
  EXPECT_EQ(circuit.scans[0].radices, (Radices{2, 2})) << "a third layer has nothing to multiply";
  EXPECT_EQ(circuit.scans[0].edges, 5u);
  for (const RadixFit& fit : circuit.scans) EXPECT_LE(fit.radices.size(), 2u);
}

TEST(RadixCircuit, ChanceGrowsWithTheHeads) {
  const auto by_chance = [](const std::vector<std::size_t>& heads) {
    return prefix_circuit({level_of(3, heads)}).scans;
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
  const PrefixCircuit circuit = prefix_circuit(levels);
  EXPECT_EQ(circuit.scans.size(), 10u);
  EXPECT_EQ(circuit.scans[0].radices, Radices(9, 2));
  EXPECT_EQ(circuit.scans[0].edges, circuit.scans[0].of_edges);
}

}}  // namespace logdepth::prefix_circuit_tests
