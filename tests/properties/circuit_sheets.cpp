// Circuits on a page: every card once and in order, columns that the stream leads through, heads
// that select alike as one card that is true of each, letters as large as is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/division_lem3_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "constructions/MS25/regular_language_tree_thm4_1.hpp"
#include "constructions/latent_reasoning/computation_graph.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "report/pictures/circuit_sheet.hpp"
#include "report/pictures/render.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::circuit_sheets_tests {
namespace {

Model connectivity(ConnectivityForm form = ConnectivityForm::compact) {
  return with_derived(
      compile(graph_connectivity_MS25_thm5_1(form, GraphInput::Padding::n3_minus_n2)));
}
Model division() {
  return with_derived(compile(division_MS25_lem3_1()));
}
Model scan(const std::string& monoid, std::uint32_t unroll = 0) {
  CompileOptions options;
  if (unroll > 0) options.unroll = unroll;
  return with_derived(
      compile(regular_language_scan_MS25_thm4_1(named_monoid(monoid), monoid, {}), options));
}
Model tree() {
  return with_derived(compile(regular_language_tree_MS25_thm4_1(named_monoid("S3"), "S3", {})));
}
Model arithmetic() {
  return with_derived(compile(computation_graph({.prime = 5, .names = 16, .depth = 8})));
}

class CircuitSheets : public testing::Test {
 protected:
  void SetUp() override {
    try {
      render_graphs("graph { a; }");
    } catch (const InputError&) {
      GTEST_SKIP() << "dot is not installed";
    }
  }
};

/// Where a card of a sublayer stands, as the bytes of the SVG say it.
struct Seen {
  std::string key;
  double x = 0, y = 0;
};

std::vector<std::smatch> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return {std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()};
}

std::vector<Seen> cards_seen(const std::string& svg) {
  std::vector<Seen> seen;
  for (const std::smatch& card : matches(
           svg, "<g data-key=\"([^\"]+)\">\\s*<g transform=\"translate\\(([0-9.]+) ([0-9.]+)\\)"))
    seen.push_back({card[1], std::stod(card[2]), std::stod(card[3])});
  return seen;
}

/// The keys that a circuit has, in the order of the stream.
std::vector<std::string> keys_of(const CircuitCards& circuit) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < circuit.sublayers.size(); ++i) {
    const std::size_t cards =
        circuit.sublayers[i].parts.size() + (circuit.sublayers[i].mask ? 1 : 0);
    for (std::size_t card = 0; card < cards; ++card)
      keys.push_back("c" + std::to_string(i) + "-" + std::to_string(card));
  }
  return keys;
}

std::vector<std::string> keys_seen(const std::string& svg) {
  std::vector<std::string> keys;
  for (const Seen& card : cards_seen(svg)) keys.push_back(card.key);
  return keys;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_F(CircuitSheets, EveryCardStandsOnceAndInOrderAndColumnsAreReadFromTheLeft) {
  for (const Model& model : {connectivity(), connectivity(ConnectivityForm::paper), division(),
                             tree(), arithmetic(), scan("A5"), scan("S3", 1 << 20)}) {
    const CircuitCards circuit = circuit_cards(model);
    const CircuitSheet sheet = circuit_sheet(circuit);
    EXPECT_EQ(keys_seen(sheet.svg), keys_of(circuit)) << circuit.name;
    // The next sublayer stands below, or at the top of a column further right.
    std::size_t columns = 1;
    double right = 0, above = 0;
    std::string sublayer;
    for (const Seen& card : cards_seen(sheet.svg)) {
      const std::string own = card.key.substr(0, card.key.find('-'));
      if (own != sublayer && card.y < above) {
        EXPECT_GT(card.x, right) << circuit.name << " " << card.key;
        ++columns;
      }
      sublayer = own;
      above = card.y;
      right = std::max(right, card.x);
    }
    EXPECT_LE(columns, sheet.columns) << "cells may have columns of their own: " << circuit.name;
    EXPECT_GE(columns + 1, sheet.columns) << circuit.name;
  }
}

TEST_F(CircuitSheets, OnlyWhatIsLongerThanAPageHasColumns) {
  EXPECT_EQ(circuit_sheet(circuit_cards(scan("Z2"))).columns, 1u);
  EXPECT_GE(circuit_sheet(circuit_cards(division())).columns, 2u);
  EXPECT_GE(circuit_sheet(circuit_cards(connectivity())).columns, 3u);
}

TEST_F(CircuitSheets, TheStreamLeavesAColumnAtItsBottomAndEntersTheNextAtItsTop) {
  for (const Model& model : {connectivity(), division(), tree(), scan("A5")}) {
    const CircuitSheet sheet = circuit_sheet(circuit_cards(model));
    const auto streams =
        matches(sheet.svg,
                "<line x1=\"([0-9.]+)\" y1=\"([0-9.]+)\" x2=\"\\1\" y2=\"([0-9.]+)\" "
                "stroke=\"#8A8A8A\" stroke-width=\"2.4\"");
    const auto ways =
        matches(sheet.svg,
                "d=\"M([0-9.]+) ([0-9.]+)V([0-9.]+)H([0-9.]+)V[0-9.]+H([0-9.]+)V([0-9.]+)\" "
                "fill=\"none\" stroke=\"#8A8A8A\" stroke-width=\"2.4\"");
    ASSERT_EQ(streams.size(), ways.size() + 1) << model.name;
    EXPECT_LE(streams.size(), sheet.columns);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      EXPECT_EQ(ways[i][1], streams[i][1]);
      EXPECT_EQ(ways[i][2], streams[i][3]) << "from the bottom";
      EXPECT_EQ(ways[i][5], streams[i + 1][1]);
      EXPECT_EQ(ways[i][6], streams[i + 1][2]) << "to the top";
      EXPECT_GT(std::stod(ways[i][3]), std::stod(streams[i][3]));
      EXPECT_LT(std::stod(ways[i][4]), std::stod(streams[i + 1][1]));
    }
  }
}

TEST_F(CircuitSheets, FramesAreContinuedAndTheLoopLeadsBackThroughEveryColumnOfItsBlock) {
  for (const Model& model : {connectivity(), connectivity(ConnectivityForm::paper), tree()}) {
    const CircuitCards circuit = circuit_cards(model);
    const CircuitSheet sheet = circuit_sheet(circuit);
    std::size_t parts = 0;
    for (const std::string block : {"initial", "repeated", "final"}) {
      EXPECT_EQ(count(sheet.svg, ">" + block + " block: "), 1u);
      parts += count(sheet.svg, ">" + block + " block, continued<");
    }
    EXPECT_LE(parts, sheet.columns - 1);
    const std::size_t more = count(sheet.svg, ">repeated block, continued<");
    EXPECT_EQ(count(sheet.svg, "stroke-dasharray"), 1 + 2 * more) << model.name;
  }
  EXPECT_EQ(count(circuit_sheet(circuit_cards(division())).svg, "stroke-dasharray"), 0u);
}

/// As large as it can stand within margins of 15 mm of a page of 210 mm by 297 mm.
double points_on_paper(double letters, double width, double height) {
  const double mm = 72 / 25.4;
  const double upright = std::min(180 * mm / width, 267 * mm / height);
  const double across = std::min(267 * mm / width, 180 * mm / height);
  return letters * std::min(1.0, std::max(upright, across));
}

TEST_F(CircuitSheets, TheStatedLettersAreTheSmallestOfTheFileOnAPage) {
  bool across = false;
  for (const Model& model :
       {connectivity(), division(), tree(), arithmetic(), scan("Z2"), scan("S3", 1 << 20)}) {
    const CircuitSheet sheet = circuit_sheet(circuit_cards(model));
    double smallest = 1000;
    for (const std::smatch& size : matches(sheet.svg, "font-size=\"([0-9.]+)\""))
      smallest = std::min(smallest, std::stod(size[1]));
    const std::smatch size =
        matches(sheet.svg, "^<svg [^>]*width=\"([0-9.]+)\" height=\"([0-9.]+)\"").at(0);
    const double points = points_on_paper(smallest, std::stod(size[1]), std::stod(size[2]));
    EXPECT_NEAR(sheet.letters, points, 0.01) << model.name;
    const std::string said = sheet_text(sheet);
    const std::size_t at = said.find("letters are ") + 12;
    EXPECT_NEAR(std::stod(said.substr(at)), points, 0.051) << said;
    EXPECT_EQ(std::stoul(said), sheet.columns) << said;
    EXPECT_GE(points, 5) << model.name;
    EXPECT_EQ(said.find(" across ") != std::string::npos, sheet.across);
    across = across || sheet.across;
    // Nothing stands outside of the picture.
    for (const Seen& card : cards_seen(sheet.svg)) {
      EXPECT_LT(card.x, std::stod(size[1]));
      EXPECT_LT(card.y, std::stod(size[2]));
    }
  }
  EXPECT_TRUE(across) << "a wide sheet is among them";
}

/// What the card says of this member: what all have in common, and the line of its own.
std::string said_of(const Card& card, const std::string& name) {
  std::string said = card.title + " " + card.aside + " " + card.emphasis + " " + card.quiet;
  for (const std::string& line : card.lines) {
    const bool of_another = card.title.find(" heads") != std::string::npos &&
                            line.find(": ") != std::string::npos && !line.starts_with(name + ": ");
    if (!of_another) said += "\n" + line;
  }
  return said;
}

TEST_F(CircuitSheets, HeadsThatSelectAlikeAreOneCardThatIsTrueOfEachOfThem) {
  support::RandomPrograms programs(20261123);
  std::vector<Model> models = {connectivity(), division(), arithmetic(), tree()};
  for (int i = 0; i < 60; ++i) models.push_back(with_derived(compile(programs.draw_valid())));
  std::size_t grouped = 0;
  for (const Model& model : models) {
    const CircuitCards circuit = circuit_cards(model);
    for (const LayerView& layer : circuit.view.layers) {
      if (layer.heads.empty() || layer.same_as) continue;
      const auto sublayer =
          std::find_if(circuit.sublayers.begin(), circuit.sublayers.end(),
                       [&](const SublayerCards& s) { return s.layer == layer.layer; });
      std::set<std::pair<std::string, std::string>> kinds;
      for (const HeadView& head : layer.heads) {
        kinds.emplace(head.contract, head.scope);
        const auto card =
            std::find_if(sublayer->parts.begin(), sublayer->parts.end(), [&](const Card& c) {
              return c.aside == head.scope && c.emphasis.ends_with("selects " + head.contract);
            });
        ASSERT_NE(card, sublayer->parts.end()) << head.name;
        const std::string said = said_of(*card, head.name);
        std::vector<std::string> own = head.writes;
        own.push_back(head.match);
        own.push_back("score dimension " + std::to_string(head.dimension));
        own.push_back("value dimension " + std::to_string(head.values));
        own.push_back(head.name);
        for (const std::string& line : own)
          EXPECT_NE(said.find(line), std::string::npos) << line << " of " << head.name << ":\n"
                                                        << said;
      }
      EXPECT_EQ(sublayer->parts.size(), kinds.size());
      grouped += layer.heads.size() - kinds.size();
    }
  }
  EXPECT_GT(grouped, 10u);
}

TEST_F(CircuitSheets, AGroupSaysOnceWhatAllHaveInCommonAndNamesEachWithItsOwn) {
  const CircuitCards circuit = circuit_cards(arithmetic());
  const Card& card = circuit.sublayers.at(2).parts.at(0);
  EXPECT_EQ(card.title, "4 heads: own, operand.0\xE2\x80\xA6operand.2");
  EXPECT_EQ(card.aside, "causal");
  EXPECT_EQ(card.emphasis, "each selects the one position that matches in 1 term");
  EXPECT_EQ(card.quiet, "score dimension 2, value dimension 7");
  ASSERT_EQ(card.lines.size(), 4u);
  EXPECT_EQ(card.lines[2],
            "operand.1: query one, n.1[0\xE2\x80\xA6"
            "7, 9\xE2\x80\xA6"
            "17] \xC2\xB7 key K; f.1 := v");
  EXPECT_EQ(circuit.sublayers.at(0).parts.at(0).lines.size(), 7u) << "one line for each of seven";
}

TEST_F(CircuitSheets, APageHasEveryLayerAsAStepWithItsCardsNotesAndTables) {
  for (const Model& model : {connectivity(), tree(), scan("S3", 16)}) {
    const CircuitCards circuit = circuit_cards(model);
    const StripPicture picture = circuit_strips(circuit);
    std::vector<std::string> keys;
    std::size_t step = 0;
    for (const Strip& strip : picture.strips) {
      const auto own = keys_seen(strip.elements);
      keys.insert(keys.end(), own.begin(), own.end());
      EXPECT_FALSE(strip.tables.empty()) << strip.name;
      if (!strip.step) continue;
      EXPECT_EQ(*strip.step, ++step);
      ASSERT_EQ(strip.notes.size(), own.size());
      for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(strip.notes[i].key, own[i]);
      const LayerView& layer = circuit.view.layers[step - 1];
      if (layer.same_as) continue;
      EXPECT_EQ(strip.tables.front().rows.size(), layer.heads.size()) << "each head by itself";
    }
    EXPECT_EQ(step, model.layers.size());
    EXPECT_EQ(count(picture.strips.back().elements, "<rect"), 0u) << "tables stand by themselves";
    EXPECT_EQ(keys, keys_of(circuit));
  }
}

}  // namespace
}  // namespace logdepth::circuit_sheets_tests
