#include "tests/support/examined_graphs.hpp"

#include <gtest/gtest.h>

#include "proofs-check/check/graphs.hpp"
#include "tests/support/graphs.hpp"

namespace logdepth::support {

void expect_right_on_graphs(const Model& model, const Bounds& bounds, const std::string& name) {
  const auto report = examine_graphs(model, {bounds});
  EXPECT_TRUE(report.unevaluated.empty()) << name << ": " << describe(report.unevaluated.front());
  ASSERT_FALSE(report.counterexample)
      << name << ", seed " << report.bounds.seed << ": "
      << edge_list_text(report.counterexample->input.graph) << "from "
      << report.counterexample->input.pairs.front().first << " to "
      << report.counterexample->input.pairs.front().second << " expected "
      << expected_text(report.counterexample->finding) << ", got "
      << got_text(report.counterexample->finding);
  EXPECT_GT(report.counts.answers, 0u);
}

}  // namespace logdepth::support
