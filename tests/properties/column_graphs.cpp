// Runs of graphs by columns against the general path: every logit of every token, and every selection
// contract, of the constructions' own files and of changed ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "runtime/columns/column.hpp"
#include "runtime/columns/column_run.hpp"
#include "runtime/columns/families.hpp"
#include "runtime/columns/labels.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/stream/stream.hpp"
#include "tests/support/column_comparison.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/mutation.hpp"
#include "tests/support/random_transformers.hpp"

namespace logdepth::column_graphs_tests { namespace {

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

/// Counts what came of many inputs; a difference is an error by itself.
struct Tally {
  std::size_t equal = 0, handed_over = 0;
  std::map<std::string, std::size_t> reasons;

  void ask(ColumnComparison& comparison, const Tokens& tokens, const std::string& what) {
    const auto result = comparison.compare(tokens);
    result.handed_over ? ++handed_over : ++equal;
    if (result.handed_over) ++reasons[result.reason];
    EXPECT_EQ(result.difference, "") << what;
  }
  void ask(ColumnComparison& comparison, const Graph& graph, std::uint32_t source,
           std::uint32_t target, const std::string& what) {
    const auto tokens = tokens_of(comparison.model(), graph, source, target);
    if (tokens.has_value()) ask(comparison, tokens.value(), what);
  }
  std::string text() const {
    std::string all = std::to_string(equal) + " equal";
    for (const auto& [reason, times] : reasons) all += "; " + std::to_string(times) + " " + reason;
    return all;
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

// Connectivity by columns against the general path: every logit of every token, and every selection contract, of
// the constructions' own files and of changed ones.

Model file_of(ConnectivityForm form, GraphInput::Padding padding) {
  return compile(graph_connectivity_MS25_thm5_1(form, padding)).model;
}

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

/// Preferences of any weight, those that outweigh a direction among them.
TEST(ColumnConnectivity, APreferenceOfAnyWeightIsRunRightOrHandedOver) {
  std::mt19937_64 random(5);
  Tally tally;
  for (const Form form : {Form::compact, Form::paper})
    for (std::int64_t factor = 10; factor <= 100000000; factor *= 10) {
      Model model = file_of(form, kLess);
      for (Layer& layer : model.layers)
        for (Head& head : layer.attention.heads)
          if (const auto* find = std::get_if<FindContract>(&head.contract); find && find->prefer)
            for (MatrixEntry& e : head.query.entries)
              if (e.row == 2 * find->terms) e.value *= Rational(factor);
      ColumnComparison comparison(std::move(model));
      for (const std::size_t n : {2u, 3u, 4u})
        tally.ask(comparison, graph_of(random, n, 0.4), below(random, n), below(random, n),
                  std::to_string(factor));
    }
  EXPECT_GT(tally.equal + tally.handed_over, 40u) << tally.text();
}

/// Keys that are a code and a number of their own.
TEST(ColumnConnectivity, ANumberBesideACodeIsRunRightOrHandedOver) {
  std::mt19937_64 random(6);
  Tally tally;
  for (const Form form : {Form::compact, Form::paper}) {
    const Model base = file_of(form, kLess);
    const auto one = std::ranges::find_if(
        base.cells, [](const auto& named) { return named.second.type == "constant"; });
    ASSERT_NE(one, base.cells.end());
    for (std::size_t layer = 0; layer < base.layers.size(); ++layer)
      for (std::size_t h = 0; h < base.layers[layer].attention.heads.size(); ++h)
        for (const bool query : {false, true}) {
          Model model = base;
          Head& head = model.layers[layer].attention.heads[h];
          if (!std::holds_alternative<FindContract>(head.contract)) continue;
          auto& entries = (query ? head.query : head.key).entries;
          entries.push_back({0, one->second.coordinates[0],
                             Rational(static_cast<std::int64_t>(1 + random() % 3))});
          std::ranges::sort(entries, {},
                            [](const MatrixEntry& e) { return std::pair(e.row, e.column); });
          if (const std::string violation = first_violation(model); violation != "") {
            RecordProperty("left out", violation);
            continue;
          }
          ColumnComparison comparison(std::move(model));
          for (const std::size_t n : {2u, 3u})
            tally.ask(comparison, graph_of(random, n, 0.4), below(random, n), below(random, n),
                      std::to_string(layer));
        }
  }
  EXPECT_GT(tally.equal + tally.handed_over, 10u) << tally.text();
}

TEST(ColumnFamilies, IntegersOfNumbersAreAPositiveMultipleOfThem) {
  const Real root = Real::root(Rational(2));
  EXPECT_EQ(integer_multiple({-root, root.scaled(Rational(3))}),
            (std::vector<std::int64_t>{-1, 3}));
  EXPECT_EQ(integer_multiple({Real(Rational(-2, 3)), Real(4)}), (std::vector<std::int64_t>{-1, 6}));
}

// Passes over the tokens, the memory that they hold, threads that share them, and comparisons of projections:
// what runs by columns rest on.

/// Combinations are numbered as they first occur, by the table and by the hash, and found again; also in
/// the second block of tokens, where labels exceed 16 bits, and with several threads.
TEST(ColumnPasses, CombineNumbersByFirstOccurrenceWithATableAndWithAHash) {
  constexpr std::size_t kTokens = 140000;
  std::mt19937_64 random(6);
  for (const auto& [size, threads] : std::vector<std::pair<std::size_t, std::size_t>>{
           {5, 1}, {5, 3}, {3000, 2}, {100000, 1}, {100000, 4}}) {
    ColumnPasses passes(std::make_shared<LabelMemory>(kTokens, std::size_t{1} << 30), threads);
    Column columns[2];
    for (Column& column : columns) {
      const auto local = passes.labels();
      for (std::size_t i = 0; i < kTokens; ++i)
        local->data()[i] =
            static_cast<Label>((random() % 20 * (size / 20 + 1) + random() % 2) % size);
      column.local = local;
      for (std::size_t k = 0; k < size; ++k)
        column.dictionary.push_back(static_cast<EntryId>(7 * k));
    }
    const Combinations both = passes.combine({&columns[0], &columns[1]});
    std::map<std::pair<Label, Label>, Label> expected;
    for (std::size_t i = 0; i < kTokens; ++i) {
      const std::pair key(columns[0].at(i), columns[1].at(i));
      const auto number =
          expected.try_emplace(key, static_cast<Label>(expected.size())).first->second;
      ASSERT_EQ(both.at(i), number) << size << ", token " << i;
      ASSERT_EQ(both.entries[number], (std::vector<EntryId>{7 * key.first, 7 * key.second}));
    }
    EXPECT_EQ(both.entries.size(), expected.size());
    EXPECT_EQ(passes.combine({&columns[0], &columns[1]}).local, both.local);
  }
}

TEST(ColumnPasses, LabelsInTheMemoryOfOthersAreNotTakenForThem) {
  ColumnPasses passes(std::make_shared<LabelMemory>(4, std::size_t{1} << 20));
  const auto column = [&](const std::vector<Label>& labels) {
    const auto local = passes.labels();
    std::ranges::copy(labels, local->data());
    return Column{local, {0, 1}, nullptr};
  };
  const auto numbers = [](const SharedLabels& local) {
    return std::vector<Label>(local->data(), local->data() + 4);
  };
  const Column left = column({0, 0, 1, 1});
  Column right = column({0, 1, 0, 1});
  const Label* const memory = right.local->data();
  const Combinations before = passes.combine({&left, &right});
  const Column one = passes.relabel({right.local, {{0}, {1}, {2}}}, {7, 8, 7}, {{}, {}, {}});
  right = {};
  right = column({1, 1, 1, 0});
  EXPECT_EQ(right.local->data(), memory);
  EXPECT_EQ(numbers(before.local), (std::vector<Label>{0, 1, 2, 3}));
  EXPECT_EQ(numbers(passes.combine({&left, &right}).local), (std::vector<Label>{0, 0, 1, 2}));
  EXPECT_EQ(numbers(one.local), (std::vector<Label>{0, 1, 0, 1}));
  const Column other = passes.relabel({right.local, {{0}, {1}, {2}}}, {7, 8, 7}, {{}, {}, {}});
  EXPECT_EQ(numbers(other.local), (std::vector<Label>{1, 1, 1, 0}));
}

TEST(ColumnPasses, WhatExceedsTheMemoryIsHandedOver) {
  const Model model = support::compile_form(support::word_problem("S3").action);
  ColumnWords words(model);
  ASSERT_TRUE(words.add_letters(std::vector<std::string>(1000, model.alphabet[0])));
  ColumnRunner small(model, 20000), large(model, std::size_t{1} << 26);
  EXPECT_FALSE(small.run(words, 10));
  EXPECT_NE(small.statistics().reason.find("memory limit"), std::string::npos);
  EXPECT_EQ(small.statistics().handed_over, 1u);
  ASSERT_TRUE(large.run(words, 10));
  EXPECT_GT(large.statistics().bytes, 20000u);
  EXPECT_LT(large.statistics().bytes, std::size_t{1} << 24);
}

/// Everything that a run says, of long words and of many short ones: parts of threads begin within words.
TEST(ColumnPasses, NothingDependsOnTheNumberOfThreads) {
  std::mt19937_64 random(9);
  const Action s3 = support::word_problem("S3").action;
  const std::vector<std::pair<std::string, Model>> all = {
      {"scan", support::compile_form(s3)},
      {"scan first-flag", support::compile_form(s3, {.positions = ScanPositions::first_flag})},
      {"tree", support::compile_form(s3, {.by = support::By::tree})},
      {"uniform radix", support::compile_form(s3, {.by = support::By::uniform_radix})},
      {"cascade", support::compile_cascade(s3)}};
  constexpr std::size_t kTokens = 100000, kMemory = std::size_t{1} << 30;
  for (const auto& [name, model] : all)
    for (const std::size_t length : {kTokens, std::size_t{6500}}) {
      ColumnWords words(model);
      while (words.tokens() < kTokens) {
        std::vector<std::string> letters;
        for (std::size_t i = 0; i < length; ++i)
          letters.push_back(model.alphabet[random() % model.alphabet.size()]);
        ASSERT_TRUE(words.add_letters(letters));
      }
      ColumnRunner one(model, kMemory), several(model, kMemory, 3);
      const std::uint64_t loops = loops_at(model.unroll, length);
      const auto expected = one.run(words, loops), found = several.run(words, loops);
      ASSERT_TRUE(expected.has_value()) << name << ": " << one.statistics().reason;
      ASSERT_TRUE(found.has_value()) << name << ": " << several.statistics().reason;
      for (std::size_t word = 0; word < words.words(); ++word)
        for (std::size_t token = 0; token < expected->period(); token += 1 + random() % 7)
          ASSERT_EQ(found->logits(word, token), expected->logits(word, token))
              << name << ", word " << word << ", token " << token;
      EXPECT_EQ(several.statistics().passes, one.statistics().passes) << name;
      EXPECT_EQ(several.statistics().evaluations, one.statistics().evaluations) << name;
      EXPECT_EQ(several.statistics().rows, one.statistics().rows) << name;
      EXPECT_EQ(several.statistics().bytes, one.statistics().bytes) << name;
    }
}

/// Squares beyond 128 bits are compared exactly too.
TEST(Projections, CompareAsRealNumbers) {
  const std::int64_t g[] = {1, 0}, large = std::int64_t{1} << 61;
  const std::int64_t a[] = {large, large}, b[] = {large, large - 1}, c[] = {3, 3};
  EXPECT_EQ(Projection::compare({g, a, 2}, {g, b, 2}), -1);
  EXPECT_EQ(Projection::compare({g, b, 2}, {g, a, 2}), 1);
  EXPECT_EQ(Projection::compare({g, a, 2}, {g, c, 2}), 0);
  EXPECT_EQ(Projection::compare(-Projection(g, a, 2), -Projection(g, b, 2)), 1);
  EXPECT_EQ(Projection::compare(-Projection(g, a, 2), {g, b, 2}), -1);
  const std::vector<std::int64_t> many(12, std::int64_t{1} << 62);
  EXPECT_THROW(Projection(many.data(), many.data(), 12), HandOver);
}

// The partition of the coordinates into segments: its property in its own words, and that no
// partition with this property is coarser.

using Classes = std::vector<std::uint32_t>;  // per coordinate, a number of its class
using Coordinates = std::set<std::uint32_t>;

/// A unit, a value, a dimension of a score or a logit: the coordinates on its two sides.
struct Link {
  int kind;  ///< which matrices it belongs to
  Coordinates from, to;
};

std::vector<Coordinates> by_row(const SparseMatrix& matrix) {
  std::vector<Coordinates> rows(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) rows[e.row].insert(e.column);
  return rows;
}
std::vector<Coordinates> by_column(const SparseMatrix& matrix) {
  std::vector<Coordinates> columns(matrix.columns);
  for (const MatrixEntry& e : matrix.entries) columns[e.column].insert(e.row);
  return columns;
}

struct Uses {
  std::vector<Coordinates> groups;  ///< masks, and coordinates of position codes
  std::vector<Link> links;

  explicit Uses(const Model& model) {
    int kind = 0;
    const auto link = [&](const std::vector<Coordinates>& from,
                          const std::vector<Coordinates>& to) {
      ASSERT_EQ(from.size(), to.size());
      for (std::size_t i = 0; i < from.size(); ++i) links.push_back({kind, from[i], to[i]});
      ++kind;
    };
    const auto group = [&](const SparseVector& vector) {
      Coordinates coordinates;
      for (const SparseEntry& e : vector) coordinates.insert(e.index);
      groups.push_back(coordinates);
    };
    for (const Layer& layer : model.layers) {
      group(layer.attention.mask);
      group(layer.feedforward.mask);
      for (const Head& head : layer.attention.heads) {
        link(by_row(head.query), by_row(head.key));
        link(by_row(head.value), by_column(head.output));
      }
      link(by_row(layer.feedforward.in), by_column(layer.feedforward.out));
    }
    link(by_row(model.unembedding), std::vector<Coordinates>(model.unembedding.rows));
    if (const auto* code = std::get_if<CodePosition>(&model.position))
      for (const CodeFill& fill : code->fills) groups.emplace_back(fill.at.begin(), fill.at.end());
  }

  /// Whether coordinates of one class are treated alike.
  bool alike(const Classes& classes) const {
    const auto classes_of = [&](const Coordinates& coordinates) {
      Coordinates result;
      for (const std::uint32_t c : coordinates) result.insert(classes[c]);
      return result;
    };
    std::vector<std::set<std::tuple<int, int, Coordinates, Coordinates>>> uses(classes.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const std::uint32_t c : groups[g]) uses[c].insert({-1, static_cast<int>(g), {}, {}});
    for (const Link& link : links) {
      const Coordinates from = classes_of(link.from), to = classes_of(link.to);
      for (const std::uint32_t c : link.from) uses[c].insert({link.kind, 0, from, to});
      for (const std::uint32_t c : link.to) uses[c].insert({link.kind, 1, from, to});
    }
    for (std::size_t c = 0; c < classes.size(); ++c)
      for (std::size_t d = 0; d < c; ++d)
        if (classes[c] == classes[d] && uses[c] != uses[d]) return false;
    return true;
  }
};

/// Every partition of `width` coordinates, once.
void for_every_partition(std::size_t width, const std::function<void(const Classes&)>& visit) {
  Classes classes;
  const std::function<void(std::uint32_t)> extend = [&](std::uint32_t used) {
    if (classes.size() == width) return visit(classes);
    for (std::uint32_t next = 0; next <= used; ++next) {
      classes.push_back(next);
      extend(next == used ? used + 1 : used);
      classes.pop_back();
    }
  };
  extend(0);
}

Classes classes_of(const Segments& segments) {
  Classes classes;
  for (const Segments::Place place : segments.place) classes.push_back(place.segment);
  return classes;
}

void expect_partition(const Segments& segments, std::size_t width) {
  ASSERT_EQ(segments.place.size(), width);
  std::size_t members = 0;
  for (std::uint32_t s = 0; s < segments.size(); ++s) {
    EXPECT_FALSE(segments.coordinates[s].empty());
    members += segments.coordinates[s].size();
    for (std::uint32_t i = 0; i < segments.coordinates[s].size(); ++i) {
      const std::uint32_t c = segments.coordinates[s][i];
      ASSERT_LT(c, width);
      EXPECT_EQ(segments.place[c].segment, s);
      EXPECT_EQ(segments.place[c].offset, i);
      if (i > 0) {
        EXPECT_LT(segments.coordinates[s][i - 1], c);
      }
    }
  }
  EXPECT_EQ(members, width);
}

TEST(Segments, AreTheCoarsestPartitionThatTreatsItsMembersAlike) {
  RandomTransformers random(laws::seed());
  ModelMaker maker(laws::seed());
  std::size_t partitions = 0, rivals = 0, coarse = 0;
  for (int i = 0; i < 3000; ++i) {
    const Model model = i % 4 == 0 ? maker.model() : random.model();
    const Segments segments = segments_of(model);
    const Uses uses(model);
    expect_partition(segments, model.width);
    const Classes found = classes_of(segments);
    EXPECT_TRUE(uses.alike(found));
    coarse += segments.size() < model.width;
    if (model.width <= 6)
      for_every_partition(model.width, [&](const Classes& other) {
        ++partitions;
        if (!uses.alike(other)) return;
        ++rivals;
        for (std::size_t c = 0; c < model.width; ++c)
          for (std::size_t d = 0; d < c; ++d)
            if (other[c] == other[d]) {
              EXPECT_EQ(found[c], found[d]) << "coordinates " << c << " and " << d;
            }
      });
    if (HasFailure()) FAIL() << "model " << i << "\n" << write_weights(model);
  }
  EXPECT_GT(coarse, 1000u);
  EXPECT_GT(rivals, 4000u);
  EXPECT_GT(partitions, 4 * rivals);
}

// One coordinate of a block of codes that is used once more stands alone, and so does what is
// compared with it; the others stay together.
TEST(Segments, AreSplitByWhatIsReadAndByWhatItIsComparedWith) {
  Model m;
  m.name = "split";
  m.width = 7;
  m.input = CellsInput{};
  m.unroll.kind = Unroll::Kind::fixed;
  m.output = CellsOutput{};
  m.unembedding = {0, 7, {}};
  m.position = FirstFlagPosition{};
  m.shape = {1, 0, 0};
  Layer layer;
  layer.block = Block::initial;
  for (std::uint32_t c = 0; c < 6; ++c) layer.attention.mask.push_back({c, 1});
  const SparseMatrix query{3, 7, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}};
  const SparseMatrix key{3, 7, {{0, 3, 1}, {1, 4, 1}, {2, 5, 1}}};
  layer.attention.heads = {{true, query, key, {0, 7, {}}, {7, 0, {}}, UniformContract{}}};
  layer.feedforward = {{}, {0, 7, {}}, {7, 0, {}}};
  m.layers = {layer};
  ASSERT_EQ(first_violation(m), "");
  EXPECT_EQ(classes_of(segments_of(m)), (Classes{0, 0, 0, 1, 1, 1, 2}));
  m.layers[0].feedforward.in = {1, 7, {{0, 1, 1}}};
  m.layers[0].feedforward.out = {7, 1, {}};
  ASSERT_EQ(first_violation(m), "");
  EXPECT_EQ(classes_of(segments_of(m)), (Classes{0, 1, 0, 2, 3, 2, 4}));
}

}}  // namespace logdepth::column_graphs_tests
