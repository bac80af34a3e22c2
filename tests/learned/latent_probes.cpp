// What the probes of latent reasoning are made of, without a network: texts with a probe equation,
// classes of frequencies, groups of heads, and how results are shown.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "learned/latent_reasoning/circuit_probes.hpp"
#include "learned/latent_reasoning/frequency_classes.hpp"
#include "learned/latent_reasoning/probe_texts.hpp"

namespace logdepth::latent_probes_tests {
namespace {

const FactorTables kTables{5, 12};

ProbeText drawn(std::size_t leaves = 6, std::size_t operands = 3) {
  CounterRandom random(4, RandomStream::validation);
  return draw_probe_text(kTables, leaves, operands, random);
}

TEST(LatentProbes, AProbeStateIsTheOneInWhichTheSumIsDueNext) {
  for (const auto supervision :
       {ValueSupervision::all_occurrences, ValueSupervision::definition_only}) {
    const ProbeText text = drawn();
    const ProbeState probe = probe_state(text, kTables, supervision);
    ASSERT_EQ(probe.state.size(), 6u * 4 + 8);
    EXPECT_EQ(probe.result, probe.state.size() - 2);
    EXPECT_EQ(probe.state[probe.result][kVariableFactor], static_cast<std::int32_t>(text.result));
    EXPECT_EQ(probe.state[probe.result][kValueFactor], kTables.empty_value());
    for (std::size_t i = 0; i < 3; ++i) {
      const FactoredToken& token = probe.state[probe.operands[i]];
      EXPECT_EQ(token[kVariableFactor],
                static_cast<std::int32_t>(text.leaves[text.operands[i]].name));
      EXPECT_EQ(token[kValueFactor], kTables.empty_value()) << "still to be copied";
    }
    for (std::size_t leaf = 0; leaf < 6; ++leaf)
      EXPECT_EQ(probe.state[4 * leaf + 2][kValueFactor],
                static_cast<std::int32_t>(text.leaves[leaf].value));
  }
}

/// How many tokens differ between two states of one length.
std::size_t differing(const ProbeText& a, const ProbeText& b) {
  const auto x = probe_state(a, kTables, ValueSupervision::definition_only).state,
             y = probe_state(b, kTables, ValueSupervision::definition_only).state;
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) count += x[i] != y[i];
  return count;
}

TEST(LatentProbes, OneThingChangesAndAllElseIsKept) {
  const ProbeText text = drawn();
  const auto operands = with_other_operand(text, 1);
  EXPECT_EQ(operands.size(), 4u) << "six leaves, two of them the other operands";
  for (const ProbeText& other : operands) EXPECT_LE(differing(text, other), 1u);
  const auto results = with_other_result(text, kTables);
  EXPECT_EQ(results.size(), 6u) << "twelve names, six of them leaves";
  for (const ProbeText& other : results) EXPECT_LE(differing(text, other), 1u);
  const auto values = with_other_value(text, 2);
  ASSERT_EQ(values.size(), 5u);
  for (std::uint32_t value = 0; value < 5; ++value) {
    EXPECT_EQ(values[value].leaves[text.operands[2]].value, value);
    EXPECT_LE(differing(text, values[value]), 2u) << "the constant, and the leaf that it defines";
  }
  std::set<std::vector<std::uint32_t>> tuples;
  const auto all = with_all_values(text);
  for (const ProbeText& one : all) {
    std::vector<std::uint32_t> tuple;
    for (const std::uint32_t operand : one.operands) tuple.push_back(one.leaves[operand].value);
    EXPECT_EQ(one.graph().nodes.back().value, (tuple[0] + tuple[1] + tuple[2]) % 5);
    tuples.insert(tuple);
  }
  EXPECT_EQ(tuples.size(), 125u);
  EXPECT_EQ(all[1].leaves[text.operands[2]].value, 1u) << "the last operand runs fastest";
}

TEST(LatentProbes, FrequenciesOfThePaperFallIntoItsSevenClasses) {
  const FrequencyClasses classes(23, 3);
  EXPECT_EQ(classes.names,
            (std::vector<std::string>{"(0, 0, 0)", "(0, 0, a)", "(0, a, b)", "(0, a, a)",
                                      "(a, b, c)", "(a, a, b)", "(a, a, a)"}));
  std::map<std::string, std::size_t> counts;
  for (const std::size_t one : classes.of) ++counts[classes.names[one]];
  // By counting: which places are zero or equal, times 22 for a, 21 for b, 20 for c.
  EXPECT_EQ(counts, (std::map<std::string, std::size_t>{{"(0, 0, 0)", 1},
                                                        {"(0, 0, a)", 3 * 22},
                                                        {"(0, a, b)", 3 * 22 * 21},
                                                        {"(0, a, a)", 3 * 22},
                                                        {"(a, b, c)", 22 * 21 * 20},
                                                        {"(a, a, b)", 3 * 22 * 21},
                                                        {"(a, a, a)", 22}}));
  EXPECT_EQ(frequency_class({4, 0, 4}), "(0, a, a)");
  EXPECT_EQ(frequency_class({7, 2, 7}), "(a, a, b)");
  EXPECT_EQ(classes.names[classes.of[(5 * 23 + 0) * 23 + 5]], "(0, a, a)");
  EXPECT_EQ(FrequencyClasses(3, 2).names,
            (std::vector<std::string>{"(0, 0)", "(0, a)", "(a, b)", "(a, a)"}));
  EXPECT_EQ(FrequencyClasses(2, 2).names, (std::vector<std::string>{"(0, 0)", "(0, a)", "(a, a)"}))
      << "modulo 2 there are no two different numbers beside zero";
}

TEST(LatentProbes, AHeadIsInTheGroupOfWhatItReadsMost) {
  const std::vector<std::vector<double>> variance = {{0.9, 0.1, 0.5, 0.6}, {0.0, 0.4, 0.2, 0.7}};
  EXPECT_EQ(head_groups(variance), (std::vector<std::vector<std::uint32_t>>{{0, 2}, {3}, {1}}));
}

CircuitProbes some_probes() {
  CircuitProbes probes;
  probes.run = "runs/discrete/seed-1";
  probes.modulus = 3;
  probes.operands = 2;
  probes.texts = 16;
  LayerCircuit layer;
  layer.variance = {{{0.9, 0.1}, {0.2, 0.8}}, {0, 0.3}, {{0.7, 0}, {0, 0.6}}};
  layer.by_name = {{"operand 0", {0}, {1, 2, 3, 4}},
                   {"operand 1", {1}, {0, 1.25, 0, 0}},
                   {"result", {}, {}},
                   {"other", {}, {}}};
  layer.by_value = {{"operand 0", {0}, {}}, {"operand 1", {1}, {}}, {"other", {}, {}}};
  layer.change = 0.125;
  probes.layers = {layer, layer};
  probes.cosines.assign(10, std::vector<double>(10, 0.25));
  for (std::size_t i = 0; i < 10; ++i) probes.cosines[i][i] = 1;
  for (const char* place : {"one", "two", "three", "four"})
    probes.fourier.push_back(
        {place, {{"(0, 0)", 1, 2, 0.5}, {"(0, a)", 4, 1, 0.25}, {"(a, a)", 4, 1, 0.75}}});
  probes.errors = {32, 100, 2600, 12, 3, 2, 6, 1};
  return probes;
}

TEST(LatentProbes, WhatIsWrittenAsJsonReadsBackTheSame) {
  const nlohmann::ordered_json json = to_json(some_probes());
  EXPECT_EQ(to_json(circuit_probes_from_json(json)), json);
  EXPECT_EQ(json["layers"][1]["by_name"][1]["heads"], (std::vector<int>{1}));
  EXPECT_EQ(json["errors"]["calculation"], 6);
  const CosineSummary cosines = summary_of_cosines(some_probes());
  EXPECT_EQ(cosines.operands, 2u);
  EXPECT_DOUBLE_EQ(cosines.between, 0.25);
  ASSERT_EQ(cosines.within.size(), 2u);
  EXPECT_DOUBLE_EQ(cosines.within[0], 1);
  EXPECT_DOUBLE_EQ(cosines.within[1], 0.25);
}

TEST(LatentProbes, ThePageAndThePictureShowTheNumbers) {
  const nlohmann::ordered_json json = to_json(some_probes());
  const std::string page = circuit_probes_markdown(json);
  for (const char* part :
       {"| operand 1 | 1 | 0.00 | 1.25 | 0.00 | 0.00 |", "| result | none | – | – | – | – |",
        "| (a, a) | 4 | 0.750 (1) |", "12 of 2600", "| 6 | 30 |", "12.5 %",
        "`runs/discrete/seed-1` (modulo 3, 2 operands, 2 layers)"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  CircuitProbes blank = some_probes();
  for (HeadGroup& group : blank.layers.back().by_value) group.heads.clear();
  EXPECT_NE(circuit_probes_markdown(to_json(blank)).find("no head reads one"), std::string::npos);
  const std::string picture = circuit_probes_svg(json);
  EXPECT_EQ(picture, circuit_probes_svg(json));
  for (const char* part : {"Layer 1, a name changes", "Layer 2, a value changes", "(a, a)", "0.75"})
    EXPECT_NE(picture.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace logdepth::latent_probes_tests
