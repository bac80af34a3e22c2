// Connectivity by columns against the general path: every logit of every token, and every selection contract, of
// the constructions' own files and of changed ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

Graph graph_of(std::mt19937_64& random, std::size_t vertices, double density) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < vertices; ++v) names.push_back(std::to_string(v + 1));
  return support::random_graph(random, names, density);
}

std::uint32_t below(std::mt19937_64& random, std::size_t vertices) {
  return static_cast<std::uint32_t>(random() % vertices);
}

using Form = ConnectivityForm;
using Padding = GraphInput::Padding;
constexpr auto kLess = Padding::n3_minus_n2;

TEST(ColumnConnectivity, EveryGraphOfTwoOrThreeVerticesIsRight) {
  std::mt19937_64 random(1);
  ColumnComparison comparison(file_of(Form::compact, kLess));
  Tally tally;
  support::for_each_graph(2, [&](const Graph& graph) {
    for (std::uint32_t ends = 0; ends < 4; ++ends)
      tally.ask(comparison, graph, ends / 2, ends % 2, "2");
  });
  support::for_each_graph(3, [&](const Graph& graph) {
    tally.ask(comparison, graph, below(random, 3), below(random, 3), "3");
  });
  EXPECT_EQ(tally.text(), "576 equal");
}

/// All forms and paddings; tables of positions hold what they are made for.
TEST(ColumnConnectivity, RandomGraphsAreRight) {
  std::mt19937_64 random(2);
  std::vector<std::pair<Model, std::vector<std::size_t>>> files;
  for (const Form form : {Form::compact, Form::paper})
    for (const Padding padding : {Padding::n3, kLess})
      files.emplace_back(file_of(form, padding), std::vector<std::size_t>{1, 2, 4, 5, 7});
  files[1].second.insert(files[1].second.end(), {9, 12, 16});
  files.emplace_back(compile(graph_connectivity_bounded_MS25_thm5_1(9)).model,
                     std::vector<std::size_t>{2, 4, 6, 9});
  files.emplace_back(compile(graph_connectivity_sized_MS25_thm5_1(5)).model,
                     std::vector<std::size_t>{1, 3, 5});
  for (const std::uint32_t radix : {2u, 3u})
    files.emplace_back(compile(graph_connectivity_radix_MS25_thm5_1(4, radix)).model,
                       std::vector<std::size_t>{1, 3, 4});
  for (auto& [model, sizes] : files) {
    const std::string name = model.name;
    ColumnComparison comparison(std::move(model));
    Tally tally;
    for (const std::size_t n : sizes)
      for (const double density : {0.0, 1.2 / static_cast<double>(n), 1.0}) {
        if (n > 9 && density != 1.2 / static_cast<double>(n)) continue;
        tally.ask(comparison, graph_of(random, n, density), below(random, n), below(random, n),
                  name + ", " + std::to_string(n) + " vertices");
      }
    EXPECT_EQ(tally.handed_over, 0u) << name << ": " << tally.text();
  }
}

/// Rows see their own graph, its own counts and its own averages.
TEST(ColumnConnectivity, GraphsOfOneSizeTogetherAreRight) {
  std::mt19937_64 random(3);
  for (const Form form : {Form::compact, Form::paper}) {
    ColumnComparison comparison(file_of(form, kLess));
    for (const std::size_t n : {1u, 2u, 3u, 4u, 6u}) {
      const std::uint32_t source = below(random, n), target = below(random, n);
      std::vector<Tokens> graphs;
      for (const double density : {0.0, 0.2, 0.4, 0.6, 1.0})
        graphs.push_back(
            tokens_of(comparison.model(), graph_of(random, n, density), source, target).value());
      const auto result = comparison.compare(graphs);
      EXPECT_EQ(result.difference, "");
      EXPECT_FALSE(result.handed_over) << n << ": " << result.reason;
    }
  }
}

/// One number, coordinate, contract or mask entry of a file is another.
TEST(ColumnConnectivity, AFileWithOneChangeIsRunRightOrHandedOver) {
  std::mt19937_64 random(4);
  Tally tally;
  const std::vector<Model> files = {
      file_of(Form::compact, kLess), file_of(Form::compact, Padding::n3),
      file_of(Form::paper, kLess), compile(graph_connectivity_bounded_MS25_thm5_1(3)).model,
      compile(graph_connectivity_sized_MS25_thm5_1(3)).model};
  for (int change = 0; change < 600; ++change) {
    auto mutant = support::mutate_weights(files[change % files.size()], random);
    if (!mutant || first_violation(mutant->model) != "") continue;
    ColumnComparison comparison(std::move(mutant->model));
    tally.ask(comparison, graph_of(random, 2 + change % 2, 0.4), below(random, 2), below(random, 2),
              mutant->what);
  }
  EXPECT_GT(tally.equal, 100u) << tally.text();
  EXPECT_GT(tally.handed_over, 100u) << tally.text();
}

/// A change of several numbers of the heads that read vectors of several planes.
struct Planted {
  std::string what;
  std::function<void(Head&, std::mt19937_64&)> change;
};
const std::vector<Planted>& planted_changes() {
  using Random = std::mt19937_64;
  static const auto scale_row = [](SparseMatrix& matrix, std::uint32_t row, const Rational& by) {
    for (MatrixEntry& e : matrix.entries)
      if (e.row == row) e.value = e.value * by;
  };
  static const std::vector<Planted> changes = {
      {"what is preferred weighs more, or is what is not",
       [](Head& head, Random& random) {
         const std::int64_t by = std::int64_t{1} << random() % 24;
         scale_row(head.query, 4, Rational(random() % 3 == 0 ? -by : by));
       }},
      {"keys of several lengths",
       [](Head& head, Random& random) {
         scale_row(head.key, static_cast<std::uint32_t>(random() % 4),
                   Rational(1 + random() % 3, 2));
       }},
      {"planes of other weights",
       [](Head& head, Random& random) {
         const Rational by(1 + static_cast<std::int64_t>(random() % 50), 50);
         const std::uint32_t row = random() % 2 == 0 ? 0 : 2;
         for (const std::uint32_t r : {row, row + 1}) scale_row(head.query, r, by);
       }},
      {"a plane of the query turned round",
       [](Head& head, Random& random) {
         const std::uint32_t row = random() % 2 == 0 ? 0 : 2;
         for (const std::uint32_t r : {row, row + 1}) scale_row(head.query, r, Rational(-1));
       }},
      {"a number beside a code",
       [](Head& head, Random& random) {
         SparseMatrix& matrix = random() % 2 == 0 ? head.key : head.query;
         const auto row = static_cast<std::uint32_t>(random() % 4);
         const auto at = std::ranges::find(matrix.entries, row, &MatrixEntry::row);
         if (at != matrix.entries.end() && at->column != 0)
           matrix.entries.insert(at, {row, 0, Rational(1, 1 + random() % 8)});
       }},
      {"no contract but one key, and its rows in another order",
       [](Head& head, Random& random) {
         const std::uint32_t row = random() % 2 == 0 ? 1 : 2;
         for (SparseMatrix* matrix : {&head.query, &head.key}) {
           for (MatrixEntry& e : matrix->entries)
             e.row = e.row == row ? row + 1 : e.row == row + 1 ? row : e.row;
           std::ranges::sort(matrix->entries, {},
                             [](const MatrixEntry& e) { return std::pair(e.row, e.column); });
         }
         head.contract = MatchContract{random() % 2 == 0};
       }},
      {"another contract",
       [](Head& head, Random& random) {
         const auto kind = random() % 5;
         if (kind == 0) head.contract = UniformContract{};
         if (kind == 1) head.contract = MatchContract{random() % 2 == 0};
         if (kind == 2) head.contract = FlaggedContract{{{6, 1}}, std::nullopt};
         if (kind > 2)
           head.contract =
               FindContract{static_cast<std::uint32_t>(1 + random() % 2),
                            head.query.rows == 5 && random() % 2 == 0, random() % 2 == 0};
       }},
      {"queries and keys exchanged", [](Head& head, Random&) { std::swap(head.query, head.key); }},
      {"a causal mask", [](Head& head, Random&) { head.causal = true; }}};
  return changes;
}

TEST(ColumnConnectivity, APlantedChangeIsRunRightOrHandedOver) {
  std::mt19937_64 random(5);
  const std::vector<Model> files = {file_of(Form::compact, kLess),
                                    file_of(Form::compact, Padding::n3)};
  for (const Planted& planted : planted_changes()) {
    Tally tally;
    for (int time = 0; time < 40; ++time) {
      Model model = files[time % files.size()];
      std::vector<Head*> heads;
      for (Layer& layer : model.layers)
        for (Head& head : layer.attention.heads)
          if (head.query.rows >= 4) heads.push_back(&head);
      planted.change(*heads[random() % heads.size()], random);
      if (first_violation(model) != "") continue;
      ColumnComparison comparison(std::move(model));
      const std::size_t n = 2 + random() % 3;
      tally.ask(comparison, graph_of(random, n, 0.4), below(random, n), below(random, n),
                planted.what);
    }
    EXPECT_GE(tally.equal + tally.handed_over, 30u) << planted.what;
    RecordProperty(planted.what, tally.text());
  }
}

}  // namespace
}  // namespace logdepth::column_connectivity_tests
