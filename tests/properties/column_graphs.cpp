// Runs of graphs by columns against the general path: every logit of every token, and every selection
// contract, of the constructions' own files and of changed ones.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_rows_thm5_1.hpp"
#include "runtime/file/model_rules.hpp"
#include "tests/support/column_comparison.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/mutation.hpp"
#include "tests/support/small_column_models.hpp"

namespace logdepth::column_graphs_tests {
namespace {

using support::ColumnComparison;

Model rows_model(std::uint32_t size, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(graph_connectivity_rows_MS25_thm5_1(size), options).model;
}

Tokens graph_input(const Model& model, const Graph& graph) {
  return tokens_of(model, graph, 0, graph.size() - 1).value();
}

Graph random_graph(std::mt19937_64& random, std::size_t vertices, double density) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < vertices; ++v) names.push_back(std::to_string(v + 1));
  return support::random_graph(random, names, density);
}

TEST(ColumnGraphs, RowsOfEveryGraphOfThreeVerticesAreRight) {
  const std::vector<std::pair<std::uint32_t, Norm>> all = {
      {1, Norm::rms}, {2, Norm::rms}, {3, Norm::rms}, {1, Norm::layernorm}, {2, Norm::layernorm}};
  for (const auto& one : all) {
    const std::uint32_t size = one.first;
    ColumnComparison comparison(rows_model(size, one.second));
    support::for_each_graph(size, [&](const Graph& graph) {
      const auto result = comparison.compare(graph_input(comparison.model(), graph));
      ASSERT_EQ(result.difference, "") << size;
      ASSERT_FALSE(result.handed_over) << size << ": " << result.reason;
    });
  }
}

/// Up to 9 vertices heads are answered by classes, from then on their scores are computed together.
TEST(ColumnGraphs, RowsOfRandomGraphsAreRight) {
  std::mt19937_64 random(1);
  for (const std::uint32_t size : {4u, 7u, 8u, 9u, 16u, 31u, 65u}) {
    ColumnComparison comparison(rows_model(size));
    for (const double density : {0.0, 0.5 / size, 1.2 / size, 0.3, 1.0})
      for (const std::size_t vertices : {std::size_t{size}, std::size_t{size} / 2 + 1}) {
        const auto result = comparison.compare(
            graph_input(comparison.model(), random_graph(random, vertices, density)));
        ASSERT_EQ(result.difference, "") << size << " vertices, density " << density;
        ASSERT_FALSE(result.handed_over) << size << ": " << result.reason;
      }
    const ColumnStatistics& statistics = comparison.columns().statistics();
    const ColumnRule rule = size < 10 ? ColumnRule::classes : ColumnRule::scores;
    EXPECT_GT(statistics.rows[static_cast<std::size_t>(rule)], 0u) << size;
  }
}

/// Counts what came of many files; a difference is an error by itself.
struct Tally {
  std::size_t equal = 0, handed_over = 0;
  std::map<std::string, std::size_t> reasons;

  void ask(ColumnComparison& comparison, const Tokens& tokens, const std::string& what) {
    const auto result = comparison.compare(tokens);
    result.handed_over ? ++handed_over : ++equal;
    if (result.handed_over) ++reasons[result.reason];
    EXPECT_EQ(result.difference, "") << what;
  }
};

TEST(ColumnGraphs, AFileOfRowsWithOneChangeIsRunRightOrHandedOver) {
  std::mt19937_64 random(2);
  Tally tally;
  for (const std::uint32_t size : {5u, 12u}) {
    const Model base = rows_model(size);
    for (int change = 0; change < 250; ++change) {
      auto mutant = support::mutate_weights(base, random);
      if (!mutant || first_violation(mutant->model) != "") continue;
      ColumnComparison comparison(std::move(mutant->model));
      for (const double density : {0.1, 0.3})
        tally.ask(comparison, graph_input(comparison.model(), random_graph(random, size, density)),
                  mutant->what);
    }
  }
  EXPECT_GT(tally.equal, 150u);
  EXPECT_GT(tally.handed_over, 100u);
}

Attention& attention_of(Model& model) {
  return model.layers[0].attention;
}

/// Changes of several numbers at once, after which most contracts are broken or empty: what heads select
/// is then nothing that a construction would.
std::vector<std::pair<std::string, std::function<void(Model&, std::mt19937_64&)>>>
planted_changes() {
  using Random = std::mt19937_64;
  const auto every_head = [](auto change) {
    return [change](Model& m, Random& random) {
      for (Head& head : attention_of(m).heads) change(m, head, random);
    };
  };
  return {{"half of the heads are causal", every_head([](Model&, Head& head, Random& random) {
             head.causal = random() % 2 == 0;
             head.contract = UniformContract{};
           })},
          {"queries and keys exchanged", every_head([](Model&, Head& head, Random& random) {
             if (random() % 2 == 0) std::swap(head.query, head.key);
           })},
          {"weights of other sizes", every_head([](Model&, Head& head, Random& random) {
             for (SparseMatrix* matrix : {&head.query, &head.key})
               for (MatrixEntry& e : matrix->entries)
                 if (random() % 8 == 0) e.value = e.value * Rational(1 + random() % 3, 2);
           })},
          {"scores of 16, 32 and 64 bits",
           [](Model& m, Random& random) {
             const std::int64_t large = std::int64_t{1} << (10 + random() % 40);
             for (Head& head : attention_of(m).heads)
               for (MatrixEntry& e : head.query.entries)
                 if (random() % 3 == 0) e.value = e.value * Rational(large + 1, 3);
           }},
          // Any single token keeps the contract, so that nothing but the scores decides.
          {"one key, of scores of 16, 32 and 64 bits",
           every_head([](Model& m, Head& head, Random& random) {
             const std::uint32_t row = head.query.rows++;
             ++head.key.rows;
             head.query.entries.push_back({row, m.embedding.begin()->second[0].index, Rational(1)});
             const std::uint64_t limit = std::uint64_t{1} << (10 + random() % 40);
             for (std::uint32_t c = 0; c < m.width; ++c)
               if (random() % 2 == 0)
                 head.key.entries.push_back(
                     {row, c, Rational(static_cast<std::int64_t>(1 + random() % limit))});
             head.contract = MatchContract{true};
           })},
          {"rows that most heads lack", every_head([](Model&, Head& head, Random& random) {
             const std::uint32_t row = random() % head.query.rows;
             std::erase_if(head.query.entries, [&](const MatrixEntry& e) { return e.row == row; });
           })},
          {"a row twice", every_head([](Model&, Head& head, Random& random) {
             const std::uint32_t row = random() % head.query.rows, to = head.query.rows;
             for (SparseMatrix* matrix : {&head.query, &head.key}) {
               for (const MatrixEntry& e : std::vector(matrix->entries))
                 if (e.row == row) matrix->entries.push_back({to, e.column, e.value});
               ++matrix->rows;
             }
           })},
          {"values of a sum", every_head([](Model& m, Head& head, Random& random) {
             std::map<std::uint32_t, Rational> row;
             for (const MatrixEntry& e : head.value.entries)
               if (e.row == 0) row[e.column] += e.value;
             row[static_cast<std::uint32_t>(random() % m.width)] += Rational(1 + random() % 3);
             std::erase_if(head.value.entries, [](const MatrixEntry& e) { return e.row == 0; });
             std::vector<MatrixEntry> first;
             for (const auto& [column, value] : row)
               if (!value.is_zero()) first.push_back({0, column, value});
             head.value.entries.insert(head.value.entries.begin(), first.begin(), first.end());
           })},
          {"contracts of other pairs", every_head([](Model& m, Head& head, Random& random) {
             auto* related = std::get_if<RelatedContract>(&head.contract);
             if (!related || random() % 4 != 0) return;
             related->pairs[random() % related->pairs.size()].key =
                 static_cast<std::uint32_t>(random() % m.width);
           })},
          {"contracts that prefer others", every_head([](Model& m, Head& head, Random& random) {
             auto* related = std::get_if<RelatedContract>(&head.contract);
             if (related && random() % 8 == 0)
               related->prefer = {{static_cast<std::uint32_t>(random() % m.width), Rational(1)}};
           })},
          {"other contracts", every_head([](Model& m, Head& head, Random& random) {
             const auto flag = static_cast<std::uint32_t>(random() % m.width);
             const auto kind = random() % 6;
             if (kind < 4) head.contract = support::contract_of_kind(kind, flag, random);
           })}};
}

TEST(ColumnGraphs, APlantedChangeOfRowsIsRunRightOrHandedOver) {
  std::mt19937_64 random(3);
  for (const auto& [what, change] : planted_changes()) {
    Tally tally;
    for (const std::uint32_t size : {4u, 10u, 17u}) {
      const Model base = rows_model(size);
      for (int time = 0; time < 12; ++time) {
        Model model = base;
        change(model, random);
        if (const std::string violation = first_violation(model); violation != "") {
          ADD_FAILURE() << what << ": " << violation;
          break;
        }
        ColumnComparison comparison(std::move(model));
        for (const double density : {0.15, 0.4})
          tally.ask(comparison,
                    graph_input(comparison.model(), random_graph(random, size, density)), what);
      }
    }
    EXPECT_EQ(tally.equal + tally.handed_over, 72u) << what;
    RecordProperty(what, std::to_string(tally.equal) + " equal, " +
                             std::to_string(tally.handed_over) + " handed over");
    for (const auto& [reason, times] : tally.reasons)
      RecordProperty(what + ": " + reason, static_cast<int>(times));
  }
}

}  // namespace
}  // namespace logdepth::column_graphs_tests
