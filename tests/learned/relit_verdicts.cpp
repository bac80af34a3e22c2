// Runs of ReLIT as series, what they are compared with, and the criteria at their thresholds.

#include "learned/relit/relit_verdicts.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/relit_records.hpp"

namespace logdepth::relit_verdict_tests {
namespace {

using namespace laws;

RelitSection only_section(const std::vector<RunRecord>& records) {
  const auto sections = relit_sections(records);
  EXPECT_EQ(sections.size(), 1u);
  return sections.front();
}

// --- series --------------------------------------------------------------------------------------

TEST(RelitSections, HoldSeriesOfSeedsInOrderAndARunThatWasMadeTwiceOnce) {
  std::vector<RunRecord> records = some_records();
  records.push_back(records.front());
  records.back().config.network->as<RelitSettings>().states_folder = "elsewhere";
  const RelitSection section = only_section(records);
  ASSERT_EQ(section.series.size(), 7u);
  EXPECT_EQ(section.series[0].title(), "ReLIT");
  EXPECT_EQ(section.series[0].seeds(), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_NEAR(section.series[0].accuracy()->median, 167.0 / 200, 1e-12);
  EXPECT_EQ(section.title(),
            "facts and rules, closed world, negation in facts, proofs of depth 0 to 3");
  EXPECT_EQ(section.chance(), 0.5);
  ASSERT_EQ(section.bases().size(), 1u);
  EXPECT_EQ(section.bases()[0], section.series.data());
  const auto samples = section.by_samples(section.series[0]);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0]->task().training_samples, 200u);
  EXPECT_EQ(samples[1], section.series.data());
}

TEST(RelitSections, NameChangesAsMethodsAndOtherSettingsBesideThem) {
  RunRecord zero = record(Method::replace, 1), deep = record(Method::relit, 1);
  zero.config.network->as<RelitSettings>().z_start = RelitSettings::ZStart::zero;
  deep.config.network->as<RelitSettings>().layers = 4;
  RunRecord nli = record(Method::relit, 1);
  nli.config.task.as<RulesTaskConfig>().set = RulesTaskConfig::Set::nli;
  const auto sections = relit_sections({zero, deep, record(Method::relit, 1), nli});
  ASSERT_EQ(sections.size(), 2u);
  const auto& series = sections[0].series;
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].title(), "ReLIT (network.layers=4)");
  EXPECT_EQ(series[1].title(), "ReLIT (network.layers=1)");
  EXPECT_EQ(series[2].title(), "replace, z_start=zero");
  EXPECT_EQ(sections[0].bases().size(), 2u);
  EXPECT_EQ(sections[0].ablations(series[1]), std::vector{&series[2]});
  EXPECT_TRUE(sections[0].ablations(series[0]).empty());
  EXPECT_EQ(sections[1].title(), "pairs of sentences with quantifiers and negation");
  EXPECT_TRUE(relit_criteria(sections[1]).empty());
}

TEST(RelitSections, NameABackboneByItsFolderAndWhatIsReadOfIt) {
  const auto name = [](const std::string& path, States states) {
    RunRecord run = record(Method::relit, 1, {}, states);
    run.config.network->as<RelitSettings>().backbone = path;
    return only_section({run}).series[0].backbone();
  };
  EXPECT_EQ(name("runs/relit/base/seed-1", States::last), "base/seed-1");
  EXPECT_EQ(name("models/smollm2.gguf", States::random), "smollm2.gguf, random weights");
  EXPECT_EQ(name("models/smollm2/", States::embedding), "smollm2, embedding only");
}

TEST(RelitSections, CountTheLayersThatASamplePasses) {
  const auto layers = [](const std::function<void(RelitSettings&)>& change) {
    RunRecord run = record(Method::relit, 1);
    change(run.config.network->as<RelitSettings>());
    return only_section({run}).series[0].layers_applied();
  };
  EXPECT_EQ(layers([](RelitSettings&) {}), 12u);  // 3 * 2 * 2 * 1
  EXPECT_EQ(layers([](RelitSettings& block) { block.layers = 4; }), 48u);
  EXPECT_EQ(layers([](RelitSettings& block) { block.update_y = RelitSettings::UpdateY::block; }),
            18u);
  EXPECT_EQ(only_section({record(Method::linear_probe, 1)}).series[0].layers_applied(), 0u);
}

TEST(RelitSections, CompareWithOnePassOnTheSameStatesHoweverItWasTrained) {
  RunRecord longer = record(Method::one_pass, 1, {{45, 45, 45, 45}});
  longer.config.training.steps *= 3;
  RunRecord wide = record(Method::one_pass, 1, {{49, 49, 49, 49}});
  wide.config.network->as<RelitSettings>().hidden = 999;
  RunRecord elsewhere = record(Method::one_pass, 1, {{48, 48, 48, 48}}, States::random);
  const RelitSection section =
      only_section({record(Method::relit, 1), record(Method::one_pass, 1, {{40, 40, 40, 40}}),
                    longer, wide, elsewhere});
  const RelitSeries& base = section.series[0];
  EXPECT_EQ(section.compared(base, Method::one_pass).size(), 2u);
  EXPECT_NEAR(section.best_compared(base, Method::one_pass)->accuracy()->median, 0.9, 1e-12);
  EXPECT_EQ(section.best_compared(base, Method::linear_probe), nullptr);
  EXPECT_EQ(section.on_states(base, States::random), nullptr);
}

// --- criteria ------------------------------------------------------------------------------------

TEST(RelitVerdicts, TheGainPassesAtThreePointsAndAFallOfOnePoint) {
  const auto gain = [](double value) {
    return GainVerdict{SeedMean{value, std::nullopt, 3}, {0.5, 0.6}};
  };
  EXPECT_EQ(gain(0.03).verdict(), Verdict::passed);
  EXPECT_EQ(gain(0.0299).gains(), Verdict::failed);
  EXPECT_EQ((GainVerdict{{}, {0.5, 0.6}}.verdict()), Verdict::undecided);
  const auto after = [](std::vector<double> accuracies) {
    return GainVerdict{SeedMean{1, std::nullopt, 3}, std::move(accuracies)}.holds();
  };
  EXPECT_EQ(after({0.5, 0.49}), Verdict::passed);
  EXPECT_EQ(after({0.5, 0.489}), Verdict::failed);
  EXPECT_EQ(after({0.5, 0.7, 0.695, 0.688}), Verdict::failed);  // against the best before
  EXPECT_EQ(after({0.5}), Verdict::undecided);
}

TEST(RelitVerdicts, TheGainIsTakenSeedBySeedOverProofsOfDepthUpToThree) {
  RunRecord deep = record(Method::relit, 1, {{50, 50, 50, 0}});
  const RelitSection section = only_section({deep, record(Method::relit, 2, {{50, 50, 50, 20}}),
                                             record(Method::relit, 4, {{50, 50, 50, 50}}),
                                             record(Method::one_pass, 1, {{30, 50, 50, 0}}),
                                             record(Method::one_pass, 2, {{20, 50, 50, 20}})});
  const GainVerdict verdict = judge_gain(section, section.series[0]);
  ASSERT_TRUE(verdict.gain);
  EXPECT_EQ(verdict.gain->seeds, 2u);
  EXPECT_NEAR(verdict.gain->mean, 0.125, 1e-12);
  EXPECT_NEAR(*verdict.gain->error, 0.025, 1e-12);
  EXPECT_EQ(verdict.after_step.size(), 3u);
  EXPECT_NEAR(verdict.after_step[2], 0.85, 1e-12);
  RunRecord six = record(Method::relit, 1, {{50, 40, 30, 0}});
  six.config.task.as<RulesTaskConfig>().depths = {0, 1, 2, 5};
  six.result["by_proof_depth"][3]["depth"] = 5;
  const RelitSection hard = only_section({six});
  EXPECT_NEAR(*hard.series[0].runs[0].accuracy_to(kGainDepth), 0.8, 1e-12);
}

TEST(RelitVerdicts, HaltingHasToRiseWithTheDepthOfTheProof) {
  const auto verdict = [](std::vector<std::pair<std::uint32_t, double>> points, bool may_halt) {
    return HaltingVerdict{std::move(points), may_halt}.verdict();
  };
  EXPECT_EQ(verdict({{0, 1.5}, {1, 1.4}, {2, 1.6}}, true), Verdict::passed);
  EXPECT_EQ(verdict({{0, 1.5}, {1, 1.6}, {2, 1.4}}, true), Verdict::failed);
  EXPECT_EQ(verdict({{0, 2}, {1, 2}}, true), Verdict::failed);
  EXPECT_EQ(verdict({{0, 2}, {1, 2.5}}, false), Verdict::undecided);
  EXPECT_EQ(verdict({{0, 2}}, true), Verdict::undecided);
  const auto judged = [](Method method, std::uint32_t least_steps) {
    RunRecord run = record(method, 1);
    run.config.network->as<RelitSettings>().least_steps = least_steps;
    return judge_halting(only_section({run}).series[0]);
  };
  EXPECT_EQ(judged(Method::relit, 2).verdict(), Verdict::passed);
  EXPECT_NEAR(judged(Method::relit, 2).points[3].second, 2.6, 1e-12);
  EXPECT_EQ(judged(Method::relit, 3).verdict(), Verdict::undecided);
  EXPECT_EQ(judged(Method::no_halting, 2).verdict(), Verdict::undecided);
}

TEST(RelitVerdicts, TheBottleneckAsksForLessOnTheEmbeddingAndOnRandomWeights) {
  const SeedMean more{0.001, std::nullopt, 3}, same{0, std::nullopt, 3};
  EXPECT_EQ((BottleneckVerdict{more, more}.verdict()), Verdict::passed);
  EXPECT_EQ((BottleneckVerdict{more, same}.verdict()), Verdict::failed);
  EXPECT_EQ((BottleneckVerdict{same, more}.verdict()), Verdict::failed);
  EXPECT_EQ((BottleneckVerdict{more, {}}.verdict()), Verdict::undecided);
  const RelitSection section = only_section(some_records());
  const BottleneckVerdict verdict = judge_bottleneck(section, section.series[0]);
  EXPECT_NEAR(verdict.embedding->mean, 167.0 / 200 - 0.6, 1e-12);
  EXPECT_NEAR(verdict.random->mean, 167.0 / 200 - 0.5, 1e-12);
}

}  // namespace
}  // namespace logdepth::relit_verdict_tests
