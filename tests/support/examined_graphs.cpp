#include "tests/support/examined_graphs.hpp"

#include <gtest/gtest.h>

#include "tests/support/graphs.hpp"

namespace logdepth::support {

void expect_right_on_graphs(const Examination<AskedGraph>& report, const std::string& name) {
  if (const auto& found = report.counterexample)
    ADD_FAILURE() << name << ", seed " << report.bounds.seed << ": "
                  << edge_list_text(found->input.graph) << "from "
                  << found->input.pairs.front().first << " to " << found->input.pairs.front().second
                  << " expected " << expected_text(found->finding) << ", found "
                  << got_text(found->finding);
  EXPECT_GT(report.counts.answers, 0u) << name;
}

}  // namespace logdepth::support
