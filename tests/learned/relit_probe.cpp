// What stands beside the report on ReLIT: published numbers, the probe of one trained block, means
// and coefficients that its criteria are made of.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "learned/relit/published.hpp"
#include "learned/relit/recursion_probe.hpp"
#include "learned/report/rank_correlation.hpp"
#include "learned/report/run_table.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::relit_probe_tests {
namespace {

using support::expect_parts;
using support::refusal;

using Json = nlohmann::ordered_json;

std::size_t elements(const std::string& svg, const std::string& path) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str()));
  return document.select_nodes(path.c_str()).size();
}

// --- numbers -------------------------------------------------------------------------------------

TEST(RankCorrelation, IsSpearmansWithMeanRanksForEqualNumbers) {
  EXPECT_NEAR(*rank_correlation({1, 2, 3, 4}, {10, 30, 20, 40}), 0.8, 1e-12);
  EXPECT_NEAR(*rank_correlation({0, 1, 2}, {1.5, 1.5, 9}), std::sqrt(3) / 2, 1e-12);
  EXPECT_NEAR(*rank_correlation({0, 1, 2}, {3, 2, -1}), -1, 1e-12);
  EXPECT_EQ(rank_correlation({0, 1, 2}, {2, 2, 2}), std::nullopt);
  EXPECT_EQ(rank_correlation({1}, {2}), std::nullopt);
}

TEST(SeedMeans, HaveTheStandardErrorOfTheMeanFromTwoSeedsOn) {
  const auto mean = report::mean_of({1, 2, 6});
  ASSERT_TRUE(mean);
  EXPECT_NEAR(mean->mean, 3, 1e-12);
  EXPECT_NEAR(*mean->error, std::sqrt(7.0 / 3), 1e-12);
  EXPECT_EQ(report::mean_of({0.5})->error, std::nullopt);
  EXPECT_EQ(report::mean_of({}), std::nullopt);
  EXPECT_EQ(report::difference_text({-0.25, 0.125, 3}), "-0.250 ± 0.125");
  EXPECT_EQ(report::difference_text({0.25, std::nullopt, 1}), "+0.250");
}

// --- published -----------------------------------------------------------------------------------

TEST(PublishedRelit, HasTheMeansThatItPrintsAndTheContradictionsThatAreNoted) {
  const Json all = relit::published();
  const auto& sets = all["data_sets"];
  for (const Json& row : all["accuracies"]) {
    double sum = 0;
    for (const Json& set : sets) sum += row.at(set["name"].get<std::string>()).get<double>();
    EXPECT_EQ(row.size(), sets.size() + 2) << row["model"];
    EXPECT_NEAR(sum / 5, row["mean"].get<double>(), 0.011) << row["model"];
  }
  EXPECT_EQ(sets.size(), 5u);
  EXPECT_GT(sets[4]["mean_halting"], sets[4]["macro_steps"]);
  const Json& ours = all["accuracies"].back();
  EXPECT_EQ(ours["model"], "ReLIT");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const double accuracy = ours[sets[i]["name"].get<std::string>()],
                 samples = sets[i]["test_samples"];
    const double right = std::round(accuracy / 100 * samples);
    EXPECT_EQ(std::fabs(100 * right / samples - accuracy) < 0.0051, i >= 3) << sets[i]["name"];
  }
}

// --- probe ---------------------------------------------------------------------------------------

Json probe() {
  return {{"run", "runs/relit/seed-1"},
          {"backbone",
           {{"file", "runs/base/seed-1"}, {"parameters", 5000}, {"before", "ab"}, {"after", "ab"}}},
          {"macro_steps", 3},
          {"convergence", {{{"step", 1}, {"change", 0.8}}, {{"step", 2}, {"change", 0.2}}}},
          {"spectral_radius",
           {{{"tokens", 9}, {"trained", 1.5}, {"far", 0.25}},
            {{"tokens", 8}, {"trained", 1.0}, {"far", 0.5}},
            {{"tokens", 8}, {"trained", 0.75}, {"far", 0.5}}}}};
}

TEST(RecursionProbes, AreShownWithTheRadiiBelowOneAndWhetherTheBackboneIsAsItWas) {
  expect_parts(recursion_probe_markdown(probe()),
               {"| after the macro steps of training | 1.000 | 0.750 | 1.500 | 1 of 3 |",
                "| after the last one followed | 0.500 | 0.250 | 0.500 | 3 of 3 |",
                "each of its 5000 numbers as it is, bit by bit: **passed** (hashes ab and ab)",
                "| 2 | 0.2 |", "trained with at\nmost 3 macro steps"});
  Json changed = probe();
  changed["backbone"]["after"] = "ac";
  expect_parts(recursion_probe_markdown(changed), {"bit by bit: **failed** (hashes ab and ac)"});
  const std::string svg = recursion_probe_svg(probe());
  EXPECT_EQ(elements(svg, "//circle[starts-with(title, 'macro step ')]"), 2u);
  EXPECT_EQ(elements(svg, "//circle[title='after the macro steps of training: 1.5']"), 1u);
  EXPECT_EQ(elements(svg, "//circle[title='after the last one followed: 0.5']"), 2u);
}

TEST(RecursionProbes, ThatAreDamagedAreRefused) {
  const auto with = [](const char* path, const Json& value) {
    Json damaged = probe();
    damaged[Json::json_pointer(path)] = value;
    return refusal([&] { recursion_probe_svg(damaged); });
  };
  EXPECT_EQ(with("/spectral_radius/0/far", -1),
            "probe.spectral_radius.far: expected a number of at least 0");
  EXPECT_EQ(with("/spectral_radius/0/far", nullptr),
            "probe.spectral_radius.far: expected a number");
  EXPECT_EQ(with("/spectral_radius", Json::array()),
            "probe.spectral_radius: expected an entry for each prompt");
  EXPECT_EQ(with("/convergence/1/step", 3),
            "probe.convergence.step: expected 1, 2, 3, ... in order");
  EXPECT_EQ(with("/convergence", Json::array()),
            "probe.convergence: expected an entry for each macro step");
  EXPECT_EQ(with("/backbone/before", 1), "probe.backbone.before: expected a word");
}

}  // namespace
}  // namespace logdepth::relit_probe_tests
