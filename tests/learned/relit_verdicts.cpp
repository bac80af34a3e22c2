// Runs of ReLIT as series, what they are compared with, and the criteria at their thresholds.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "learned/relit/criteria.hpp"
#include "tests/support/relit_records.hpp"

namespace logdepth::relit_verdict_tests {
namespace {

using namespace laws;
using report::judge;
using report::Verdict;

relit::Section only_section(const std::vector<RunRecord>& records) {
  const auto sections = relit::sections_of(records);
  EXPECT_EQ(sections.size(), 1u);
  return sections.front();
}

// --- series --------------------------------------------------------------------------------------

TEST(RelitSections, HoldSeriesOfSeedsInOrderAndARunThatWasMadeTwiceOnce) {
  std::vector<RunRecord> records = some_records();
  records.push_back(records.front());
  records.back().config.network->as<RelitSettings>().states_folder = "elsewhere";
  const relit::Section section = only_section(records);
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
  const auto sections = relit::sections_of({zero, deep, record(Method::relit, 1), nli});
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
  EXPECT_TRUE(relit::criteria_of(sections[1]).empty());
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
  const relit::Section section =
      only_section({record(Method::relit, 1), record(Method::one_pass, 1, {{40, 40, 40, 40}}),
                    longer, wide, elsewhere});
  const relit::Series& base = section.series[0];
  EXPECT_EQ(section.compared(base, Method::one_pass).size(), 2u);
  EXPECT_NEAR(section.best_compared(base, Method::one_pass)->accuracy()->median, 0.9, 1e-12);
  EXPECT_EQ(section.best_compared(base, Method::linear_probe), nullptr);
  EXPECT_EQ(section.on_states(base, States::random), nullptr);
}

// --- criteria ------------------------------------------------------------------------------------

TEST(RelitVerdicts, TheGainPassesAtThreePointsAndAFallOfOnePoint) {
  EXPECT_EQ(judge(0.03, relit::kGain), Verdict::passed);
  EXPECT_EQ(judge(0.0299, relit::kGain), Verdict::failed);
  EXPECT_EQ(judge(std::nullopt, relit::kGain), Verdict::undecided);
  const auto after = [](const std::vector<double>& accuracies) {
    return judge(relit::largest_fall(accuracies), relit::kFall);
  };
  EXPECT_EQ(after({0.5, 0.6}), Verdict::passed);
  EXPECT_EQ(after({0.5, 0.49}), Verdict::passed);
  EXPECT_EQ(after({0.5, 0.489}), Verdict::failed);
  EXPECT_EQ(after({0.5, 0.7, 0.695, 0.688}), Verdict::failed);  // against the best before
  EXPECT_EQ(after({0.5}), Verdict::undecided);
}

/// The criterion of this name about the first base.
report::Criterion criterion_of(const std::vector<RunRecord>& records, const std::string& name) {
  for (const report::Criterion& one : relit::criteria_of(only_section(records)))
    if (one.name == name) return one;
  ADD_FAILURE() << "no criterion " << name;
  return {};
}

TEST(RelitVerdicts, TheGainNeedsBothHalves) {
  const auto verdict = [](const Counts& once, const Counts& after) {
    Found found;
    found.after = after;
    return criterion_of({record(Method::relit, 1, found), record(Method::one_pass, 1, {once})},
                        "RL-4")
        .verdict();
  };
  EXPECT_EQ(verdict({40, 40, 40, 40}, {140, 160, 170}), Verdict::passed);
  EXPECT_EQ(verdict({45, 45, 45, 45}, {140, 160, 170}), Verdict::failed);
  EXPECT_EQ(verdict({40, 40, 40, 40}, {173, 160, 170}), Verdict::failed);
  EXPECT_EQ(criterion_of({record(Method::relit, 1)}, "RL-4").verdict(), Verdict::undecided);
}

TEST(RelitVerdicts, TheGainIsTakenSeedBySeedOverProofsOfDepthUpToThree) {
  RunRecord deep = record(Method::relit, 1, {{50, 50, 50, 0}});
  const report::Criterion criterion = criterion_of(
      {deep, record(Method::relit, 2, {{50, 50, 50, 20}}),
       record(Method::relit, 4, {{50, 50, 50, 50}}), record(Method::one_pass, 1, {{30, 50, 50, 0}}),
       record(Method::one_pass, 2, {{20, 50, 50, 20}})},
      "RL-4");
  EXPECT_EQ(criterion.seeds, 2u);
  EXPECT_TRUE(criterion.parts[0].found.starts_with("+0.125 ± 0.025 ")) << criterion.parts[0].found;
  EXPECT_EQ(criterion.parts[1].found, "after each 0.700, 0.800, 0.850");
  RunRecord six = record(Method::relit, 1, {{50, 40, 30, 0}});
  six.config.task.as<RulesTaskConfig>().depths = {0, 1, 2, 5};
  six.result["by_proof_depth"][3]["depth"] = 5;
  const relit::Section hard = only_section({six});
  EXPECT_NEAR(*hard.series[0].runs[0].accuracy_to(relit::kGainDepth), 0.8, 1e-12);
}

TEST(RelitVerdicts, HaltingHasToRiseWithTheDepthOfTheProof) {
  using relit::judge_halting;
  EXPECT_EQ(judge_halting({{0, 1.5}, {1, 1.4}, {2, 1.6}}, true), Verdict::passed);
  EXPECT_EQ(judge_halting({{0, 1.5}, {1, 1.6}, {2, 1.4}}, true), Verdict::failed);
  EXPECT_EQ(judge_halting({{0, 2}, {1, 2}}, true), Verdict::failed);
  EXPECT_EQ(judge_halting({{0, 2}, {1, 2.5}}, false), Verdict::undecided);
  EXPECT_EQ(judge_halting({{0, 2}}, true), Verdict::undecided);
  const auto judged = [](Method method, std::uint32_t least_steps) {
    RunRecord run = record(method, 1);
    run.config.network->as<RelitSettings>().least_steps = least_steps;
    const relit::Section section = only_section({run});
    return judge_halting(mean_halts(section.series[0]), section.series[0].may_halt());
  };
  EXPECT_EQ(judged(Method::relit, 2), Verdict::passed);
  EXPECT_NEAR(mean_halts(only_section({record(Method::relit, 1)}).series[0])[3].second, 2.6, 1e-12);
  EXPECT_EQ(judged(Method::relit, 3), Verdict::undecided);
  EXPECT_EQ(judged(Method::no_halting, 2), Verdict::undecided);
}

TEST(RelitVerdicts, TheBottleneckAsksForLessOnTheEmbeddingAndOnRandomWeights) {
  EXPECT_EQ(judge(0.001, relit::kMore), Verdict::passed);
  EXPECT_EQ(judge(0.0, relit::kMore), Verdict::failed);
  const auto verdict = [](const Counts& embedding, const std::optional<Counts>& random) {
    std::vector<RunRecord> records = {record(Method::relit, 1),
                                      record(Method::relit, 1, {embedding}, States::embedding)};
    if (random) records.push_back(record(Method::relit, 1, {*random}, States::random));
    return criterion_of(records, "RL-6").verdict();
  };
  const Counts less = {49, 45, 40, 35}, same = {50, 45, 40, 35};
  EXPECT_EQ(verdict(less, less), Verdict::passed);
  EXPECT_EQ(verdict(less, same), Verdict::failed);
  EXPECT_EQ(verdict(same, less), Verdict::failed);
  EXPECT_EQ(verdict(less, std::nullopt), Verdict::undecided);
  const relit::Section section = only_section(some_records());
  const relit::Series& base = section.series[0];
  const auto less_than = [&](States states) {
    return accuracy_difference(base, *section.on_states(base, states))->mean;
  };
  EXPECT_NEAR(less_than(States::embedding), 167.0 / 200 - 0.6, 1e-12);
  EXPECT_NEAR(less_than(States::random), 167.0 / 200 - 0.5, 1e-12);
}

}  // namespace
}  // namespace logdepth::relit_verdict_tests
