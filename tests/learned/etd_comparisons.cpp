// Criteria of Encode-Think-Decode about routers, layers of their own and the place of the block, on records
// whose verdicts are known.
#include <gtest/gtest.h>

#include "learned/encode_think_decode/criteria.hpp"
#include "tests/support/etd_records.hpp"

namespace logdepth::etd_comparison_tests {
namespace {

using namespace etd;
using namespace etd_report_tests;

using Router = ModelConfig::Router;

Section section_of(const std::vector<RunRecord>& records) {
  return runs_of(records).sections.at(0);
}

TEST(EtdComparisons, ARouterThatPassesTheBlockOnceAdaptsNothing) {
  const ThinkShape adaptive{3, 2, 3, Block::adaptive, 10, Router::mixture};
  const auto verdict = [&](double passes) {
    Found found;
    found.recall_loops = 1.03;
    found.hop_loops = passes;
    return criteria_of(section_of(with(reproduced(), record(adaptive, 1, found)))).at(1).verdict();
  };
  EXPECT_EQ(verdict(1.51), report::Verdict::passed);
  EXPECT_EQ(verdict(1.5), report::Verdict::failed);
}

TEST(EtdComparisons, LayersOfTheirOwnAndOtherPlacesAreComparedWithTwoPassesSeedBySeed) {
  const auto verdict = [&](const ThinkShape& shape, std::uint32_t hops, std::size_t criterion) {
    std::vector<RunRecord> records = reproduced();
    for (const std::uint32_t seed : {1, 2, 3})
      records.push_back(record(shape, seed, {900, hops, 300 + 50 * seed + 5}));
    const auto criteria = criteria_of(section_of(records));
    EXPECT_EQ(criteria.at(criterion).name, criterion == 2 ? "ETD-6" : "ETD-7");
    return criteria.at(criterion).verdict();
  };
  const ThinkShape untied{3, 2, 3, Block::untied, 2, Router::none};
  EXPECT_EQ(verdict(untied, 400, 2), report::Verdict::passed);
  EXPECT_EQ(verdict(untied, 401, 2), report::Verdict::failed);
  EXPECT_EQ(verdict(untied, 401, 3), report::Verdict::undecided) << "no block elsewhere";
  const ThinkShape earlier = looped_shape({1, 2, 5, false, false}, 2);
  EXPECT_EQ(verdict(earlier, 399, 3), report::Verdict::passed);
  EXPECT_EQ(verdict(earlier, 401, 3), report::Verdict::failed);
}

}  // namespace
}  // namespace logdepth::etd_comparison_tests
