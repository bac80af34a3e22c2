// The criteria of latent-space reasoning at their thresholds, on records whose numbers are known.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "learned/latent_reasoning/criteria.hpp"
#include "tests/support/latent_records.hpp"

namespace logdepth::latent_verdict_tests {
namespace {

using namespace latent_records;
using report::Verdict;

/// The first criterion of this name.
report::Criterion criterion_of(const std::vector<RunRecord>& records, const std::string& name) {
  for (const report::Criterion& one : criteria_of(latent::sections_of(records).at(0)))
    if (one.name == name) return one;
  ADD_FAILURE() << "no criterion " << name;
  return {};
}

/// What is fully solved: of discrete at the largest trained size and at twice that, of the others
/// there.
struct Sizes {
  std::optional<double> trained = 0.95, twice = 0.8, continuous = 0.8, feed_forward = 0.2,
                        recurrent = 0.2;

  report::Criterion judged() const {
    std::vector<RunRecord> records = {discrete(1, {{trained.value_or(0), twice.value_or(0), 0}})};
    const auto add = [&](Method method, const char* name, const std::optional<double>& solved) {
      if (solved) records.push_back(record(values(method), name, 1, {{1, *solved, 0}}));
    };
    add(Method::continuous, "continuous", continuous);
    add(Method::feed_forward, "feed-forward", feed_forward);
    add(Method::recurrent, "recurrent", recurrent);
    return criterion_of(records, "LO-3");
  }
  Verdict verdict() const { return judged().verdict(); }
  Verdict part(std::size_t number) const { return *judged().parts.at(number).verdict; }
};
constexpr std::size_t kAtTrained = 0, kAtTwice = 1, kOrder = 2, kEndToEnd = 3;

TEST(LatentVerdicts, SizesPassAtEveryThresholdAndFailBelow) {
  EXPECT_EQ(Sizes().verdict(), Verdict::passed);
  EXPECT_EQ(Sizes{.trained = 0.949}.part(kAtTrained), Verdict::failed);
  EXPECT_EQ(Sizes{.twice = 0.799}.part(kAtTwice), Verdict::failed);
  EXPECT_EQ(Sizes{.twice = 0.799}.part(kOrder), Verdict::failed);
  EXPECT_EQ(Sizes{.continuous = 0.801}.part(kOrder), Verdict::failed);
  EXPECT_EQ(Sizes{.continuous = 0.199}.part(kOrder), Verdict::failed);
  EXPECT_EQ(Sizes{.recurrent = 0.201}.part(kEndToEnd), Verdict::failed);
  EXPECT_EQ(Sizes{.feed_forward = 0.201}.verdict(), Verdict::failed);
}

TEST(LatentVerdicts, AMethodIsJudgedAtEqualStepsAndOnlyIfItSolvesItsOwnSizes) {
  std::vector<RunRecord> records = {discrete(1, {{0.95, 0.8, 0}})};
  records.push_back(record(values(Method::continuous), "continuous", 1, {{0.9, 0.8, 0}}));
  records.push_back(record(values(Method::feed_forward), "feed-forward", 1, {{0.9, 0.2, 0}}));
  records.push_back(record(values(Method::recurrent), "recurrent", 1, {{0.9, 0.2, 0}}));
  EXPECT_EQ(criterion_of(records, "LO-3").verdict(), Verdict::passed);
  records[1].result["cells"][0]["solved"] = 0.89;
  const report::Criterion weak = criterion_of(records, "LO-3");
  EXPECT_EQ(weak.verdict(), Verdict::undecided);
  EXPECT_NE(weak.parts[kOrder].found.find("not judged (0.890 at N = 8)"), std::string::npos)
      << weak.parts[kOrder].found;
  records[1].result["cells"][0]["solved"] = 0.9;
  records[1].config.training.steps += 1;
  const report::Criterion longer = criterion_of(records, "LO-3");
  EXPECT_EQ(longer.verdict(), Verdict::undecided);
  EXPECT_NE(longer.parts[kOrder].found.find("steps, not "), std::string::npos);
  ASSERT_EQ(longer.missing.size(), 1u);
  EXPECT_TRUE(longer.missing[0].starts_with("continuous of ")) << longer.missing[0];
}

TEST(LatentVerdicts, SizesAreUndecidedAboutWhatWasNotMeasuredUnlessTheRestFails) {
  Sizes sizes{1, 1, 0.5, 0.1, std::nullopt};
  EXPECT_EQ(sizes.part(kEndToEnd), Verdict::undecided);
  EXPECT_EQ(sizes.part(kOrder), Verdict::undecided);
  EXPECT_EQ(sizes.verdict(), Verdict::undecided);
  sizes.feed_forward = 0.3;
  EXPECT_EQ(sizes.verdict(), Verdict::failed);
  // Of another row there is nothing at all.
  EXPECT_EQ(criterion_of({record(steps(0.25), "corrected", 1, {})}, "LO-3").verdict(),
            Verdict::undecided);
}

TEST(LatentVerdicts, SlopesPassWithinFifteenHundredthsOfOne) {
  const auto verdict = [](const std::optional<double>& slope) {
    return criterion_of({discrete(1, {.slope = slope})}, "LO-4").verdict();
  };
  EXPECT_EQ(verdict(0.85), Verdict::passed);
  EXPECT_EQ(verdict(1.15), Verdict::passed);
  EXPECT_EQ(verdict(0.849), Verdict::failed);
  EXPECT_EQ(verdict(1.151), Verdict::failed);
  EXPECT_EQ(verdict(std::nullopt), Verdict::undecided);
}

TEST(LatentVerdicts, RecoveryPassesAtFourFifthsAndAboveTheModelWithoutCorrection) {
  const auto judged = [](double corrected, const std::optional<double>& hit) {
    return criterion_of(
        {record(steps(0.25), "corrected", 1, {.hit = corrected}), discrete(1, {.hit = hit})},
        "LO-5");
  };
  EXPECT_EQ(judged(0.8, 0.79).verdict(), Verdict::passed);
  EXPECT_EQ(*judged(0.799, 0.0).parts[0].verdict, Verdict::failed);
  EXPECT_EQ(*judged(0.9, 0.9).parts[1].verdict, Verdict::failed);
  EXPECT_NE(judged(0.44, 0.88).parts[1].found.find("the published effect is reversed here"),
            std::string::npos);
  EXPECT_EQ(judged(0.9, std::nullopt).verdict(), Verdict::undecided);
}

TEST(LatentVerdicts, RecoveryAndTheLossWithoutDepthsAreJudgedAtEqualSteps) {
  std::vector<RunRecord> recovery = {record(steps(0.25), "corrected", 1, {.hit = 0.9}),
                                     discrete(1, {.hit = 0.1})};
  std::vector<RunRecord> depths = {
      record(values(Method::no_oracle), "no-oracle", 1, {{1, 0.5, 0}}, {8, 12, 16}),
      record(values(Method::continuous), "continuous", 1, {{1, 0.5, 0}}, {8, 12, 16})};
  for (auto& [records, name, beside] :
       {std::tuple(&recovery, "LO-5", "discrete of "), {&depths, "LO-6", "continuous of "}}) {
    EXPECT_EQ(criterion_of(*records, name).verdict(), Verdict::passed) << name;
    (*records)[1].config.training.steps += 1;
    const report::Criterion longer = criterion_of(*records, name);
    EXPECT_EQ(longer.verdict(), Verdict::undecided) << name;
    ASSERT_EQ(longer.missing.size(), 1u) << name;
    EXPECT_TRUE(longer.missing[0].starts_with(beside)) << longer.missing[0];
  }
}

TEST(LatentVerdicts, WithoutDepthsPassesAtFourFifthsOfTheOneWithThem) {
  const auto judged = [](double without, const std::optional<double>& with) {
    std::vector<RunRecord> records = {
        record(values(Method::no_oracle), "no-oracle", 1, {{1, without, 0}}, {8, 12, 16})};
    if (with)
      records.push_back(
          record(values(Method::continuous), "continuous", 1, {{1, *with, 0}}, {8, 12, 16}));
    return criterion_of(records, "LO-6");
  };
  EXPECT_EQ(judged(0.4, 0.5).verdict(), Verdict::passed);
  EXPECT_EQ(judged(0.399, 0.5).verdict(), Verdict::failed);
  EXPECT_EQ(judged(0.4, 0.0).verdict(), Verdict::undecided);
  EXPECT_EQ(judged(0.4, std::nullopt).verdict(), Verdict::undecided);
  EXPECT_EQ(judged(0.4, std::nullopt).parts[0].found.find("of it"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::latent_verdict_tests
