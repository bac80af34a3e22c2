// Connectivity by columns against the general path: every logit of every token, and every selection contract, of
// the constructions' own files and of changed ones.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_bounded_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_radix_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_sized_thm5_1.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "runtime/file/model_rules.hpp"
#include "tests/support/column_comparison.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/mutation.hpp"

namespace logdepth::column_connectivity_tests {
namespace {

using support::ColumnComparison;

Model file_of(ConnectivityForm form, GraphInput::Padding padding) {
  return compile(graph_connectivity_MS25_thm5_1(form, padding)).model;
}

/// Counts what came of many inputs; a difference is an error by itself.
struct Tally {
  std::size_t equal = 0, handed_over = 0;
  std::map<std::string, std::size_t> reasons;

  void ask(ColumnComparison& comparison, const Graph& graph, std::uint32_t source,
           std::uint32_t target, const std::string& what) {
    const auto tokens = tokens_of(comparison.model(), graph, source, target);
    if (!tokens.has_value()) return;
    const auto result = comparison.compare(tokens.value());
    result.handed_over ? ++handed_over : ++equal;
    if (result.handed_over) ++reasons[result.reason];
    EXPECT_EQ(result.difference, "") << what;
  }
  std::string text() const {
    std::string all = std::to_string(equal) + " equal";
    for (const auto& [reason, times] : reasons) all += "; " + std::to_string(times) + " " + reason;
    return all;
  }
};

TEST(ColumnConnectivity, Explore) {
  std::mt19937_64 random(7);
  std::vector<std::pair<std::string, Model>> files;
  for (const auto padding : {GraphInput::Padding::n3, GraphInput::Padding::n3_minus_n2})
    for (const auto form : {ConnectivityForm::compact, ConnectivityForm::paper})
      files.emplace_back(std::string(form == ConnectivityForm::compact ? "compact" : "paper"),
                         file_of(form, padding));
  files.emplace_back("bounded", compile(graph_connectivity_bounded_MS25_thm5_1(6)).model);
  files.emplace_back("sized", compile(graph_connectivity_sized_MS25_thm5_1(6)).model);
  files.emplace_back("radix2", compile(graph_connectivity_radix_MS25_thm5_1(6, 2)).model);
  files.emplace_back("radix3", compile(graph_connectivity_radix_MS25_thm5_1(6, 3)).model);
  for (auto& [name, model] : files) {
    Tally tally;
    ColumnComparison comparison(std::move(model));
    for (const std::size_t n : {1u, 2u, 3u, 4u, 6u, 9u, 14u})
      for (int k = 0; k < 4; ++k) {
        std::vector<std::string> names;
        for (std::size_t v = 0; v < n; ++v) names.push_back(std::to_string(v + 1));
        tally.ask(comparison, support::random_graph(random, names, 0.3),
                  static_cast<std::uint32_t>(random() % n), static_cast<std::uint32_t>(random() % n),
                  name);
      }
    printf("%s: %s\n", name.c_str(), tally.text().c_str());
  }
}

}  // namespace
}  // namespace logdepth::column_connectivity_tests
