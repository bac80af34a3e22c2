// What MS25 states in passing, and what the ledger says of it.
#include <gtest/gtest.h>

#include "proofs-check/claims/claim_list.hpp"

namespace logdepth::remarks_tests {
namespace {

Calculation computed(const std::string& name) {
  return find_claims(all_claims(), name).front()->calculation();
}
std::string figure(const Calculation& calculation, const std::string& what) {
  for (const Figure& one : calculation.figures)
    if (one.what.starts_with(what)) return one.value;
  return "";
}

TEST(ALoopedNetwork, UnrolledHoldsTheSameNumbersAndServesShorterWords) {
  for (const char* name : {"sec-2/unrolled-tree", "sec-2/unrolled-scan"}) {
    const Calculation found = computed(name);
    EXPECT_EQ(found.counterexample.value_or(""), "") << name;
    EXPECT_GT(std::stoul(figure(found, "residual streams")), 300u) << name;
    EXPECT_GT(std::stoul(figure(found, "words answered")), 1000u) << name;
  }
}

TEST(ANetworkPerLength, IsRightOnShorterWords) {
  const Calculation found = computed("fn-4/radix-2-first-flag");
  EXPECT_EQ(found.counterexample.value_or(""), "");
  // Lengths 0 to n for each n to 64, two letters and two random words each.
  EXPECT_EQ(figure(found, "words answered"), std::to_string(4 * (64 * 65 / 2 + 64)));
}

TEST(LogarithmicallyManyBits, AreEnoughWithAToleranceOnly) {
  EXPECT_NE(computed("fn-1/exact-zero-tests")
                .counterexample.value_or("")
                .find("100 bits, which is 20 log2 n"),
            std::string::npos);
  const Calculation repaired = computed("fn-1/zero-tests-with-tolerance");
  EXPECT_EQ(repaired.counterexample.value_or(""), "");
  EXPECT_EQ(figure(repaired, "division"),
            "8 tokens: 18 bits, 16 tokens: 24 bits, 32 tokens: 30 bits, 64 tokens: 36 bits");
}

TEST(TheDepthExperiments, AreCountedTwiceWithTwoResults) {
  const Calculation found = computed("app-E/runs-per-depth");
  EXPECT_EQ(found.counterexample.value_or(""), "depth 8: 0 runs told, 5 in total");
  EXPECT_EQ(figure(found, "runs at depth 18"), "8 and 3");
  EXPECT_EQ(found.figures.size(), 3u);
}

TEST(WordsWithinAFixedDepth, AreCountedForSharedParametersToo) {
  EXPECT_EQ(computed("cor-4.3/looped-rounded-exponent").counterexample.value_or(""), "");
  EXPECT_EQ(figure(computed("cor-4.3/looped-rounded-exponent"), "at d = 32"), "4");
  EXPECT_EQ(computed("cor-4.3/looped-tree").counterexample.value_or(""), "");
}

}  // namespace
}  // namespace logdepth::remarks_tests
