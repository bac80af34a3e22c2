#include "learned/latent_reasoning/latent_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "tests/support/equation_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/latent_settings.hpp"
#include "tests/support/plain_decoder.hpp"
#include "tests/support/refusals.hpp"

// The tasks of latent reasoning: their samples, the discrete loop under an oracle, and measures on
// predictors whose result is known.

namespace logdepth::latent_tasks_tests { namespace {

using Json = nlohmann::ordered_json;
using laws::kModulus;
using laws::share_up_to;
using laws::small;
using laws::TokenRows;
using Method = LatentValuesConfig::Method;

constexpr int kEmpty = kModulus + 1;

std::string refusal(const auto& config) {
  return support::refusal([&] { config.make_task(1); });
}

TokenRows targets_of_sample(const Samples& samples, std::size_t i) {
  TokenRows rows;
  for (int token = 0; token < samples.lengths.at(i); ++token) {
    const std::int32_t* row = samples.targets.data() + (i * samples.tokens + token) * 4;
    rows.push_back({row[0], row[1], row[2], row[3]});
  }
  return rows;
}

TokenRows one_step(const TokenRows& rows, std::uint32_t) {
  return laws::next_state(rows, kModulus);
}

/// The same, but values of nodes deeper than `deepest` come out as something else.
TokenRows wrong_below(const TokenRows& rows, int deepest) {
  laws::EquationOracle oracle(laws::equations_of_rows(rows), kModulus);
  TokenRows next = laws::next_state(rows, kModulus);
  for (std::size_t i = 1; i < next.size(); ++i)
    if (next[i - 1][0] == 1 && oracle.depth(next[i][1]) > deepest && next[i][3] < kModulus)
      next[i][3] = (oracle.value(next[i][1]) + 1) % kModulus;
  return next;
}

TEST(LatentSteps, SamplesAreIterationsOfTheAlgorithmAndReachBeyondItsEnd) {
  const auto task = small<LatentStepsConfig>().make_task(laws::seed());
  std::map<int, int> finished;  // samples whose state is the last one
  std::set<std::size_t> sizes;
  int samples_seen = 0, padded = 0;
  for (std::uint64_t step = 0; step < 60; ++step) {
    const Samples samples = task->training_batch(0, step);
    std::set<std::size_t> nodes;
    for (std::size_t i = 0; i < samples.count; ++i) {
      const TokenRows now = laws::rows_of_sample(samples, i);
      const TokenRows next = targets_of_sample(samples, i);
      ASSERT_EQ(next, laws::next_state(now, kModulus));
      ++finished[now == next];
      ++samples_seen;
      nodes.insert(laws::equations_of_rows(now).size());
      for (std::size_t token = now.size(); token < samples.tokens; ++token, ++padded)
        for (std::size_t factor = 0; factor < 4; ++factor) {
          const std::size_t at = (i * samples.tokens + token) * 4 + factor;
          ASSERT_EQ(samples.targets[at], Samples::kIgnored);
          ASSERT_EQ(samples.indices[at], (std::array{5, 32, 3, kModulus}[factor]));
        }
    }
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(samples.count, 48u / *nodes.begin());
    sizes.insert(*nodes.begin());
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_GT(padded, 0);
  // t is uniform in 0 ... depth + 3: 4 of depth + 4 states are finished.
  EXPECT_GT(finished[true], samples_seen / 4);
  EXPECT_LT(finished[true], samples_seen * 3 / 4);
}

TEST(LatentSteps, ErrorsAreInTheStatesAndNeverInTheTargets) {
  LatentStepsConfig config = small<LatentStepsConfig>();
  config.batch = 200;
  const Samples clean = config.make_task(3)->training_batch(0, 7);
  config.corrupted = 0.25;
  const Samples damaged = config.make_task(3)->training_batch(0, 7);
  EXPECT_EQ(damaged.targets, clean.targets);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < clean.count; ++i)
    changed += laws::rows_of_sample(clean, i) != laws::rows_of_sample(damaged, i);
  EXPECT_GT(changed, clean.count / 20);
  EXPECT_LT(changed, clean.count * 3 / 10);
}

TEST(LatentSteps, UnderAnOracleEveryGraphIsSolvedInAsManyIterationsAsItIsDeep) {
  const auto task = small<LatentStepsConfig>().make_task(laws::seed());
  const Json result = task->measure(laws::answering(one_step), 0, {});
  ASSERT_EQ(result["cells"].size(), 4u);
  EXPECT_EQ(result["method"], "discrete");
  for (const Json& cell : result["cells"]) {
    EXPECT_EQ(cell["graphs"], 40);
    EXPECT_EQ(cell["solved"], 1.0);
    EXPECT_EQ(cell["settling"]["by_depth"].size(), cell["by_depth"].size());
    for (const Json& entry : cell["settling"]["by_depth"])
      EXPECT_EQ(entry["iterations"], entry["depth"]);
    EXPECT_EQ(cell["recovery"]["hit_nodes"], 1.0);
    // Solved after t iterations: the graphs that are at most t deep; one more sees the end.
    const std::vector<double> after = cell["solved_after"];
    EXPECT_EQ(after.size(), cell["by_depth"].back()["depth"].get<std::size_t>() + 1);
    for (std::size_t t = 1; t <= after.size(); ++t)
      EXPECT_DOUBLE_EQ(after[t - 1], share_up_to(cell["by_depth"], "graphs", static_cast<int>(t)));
  }
  EXPECT_EQ(task->score(laws::answering(one_step), 0).value, 1.0);
}

TEST(LatentSteps, TheLoopStopsWhereNothingChangesAndGraphsThatHaltedLeaveTheBatch) {
  std::map<std::string, int> asked;  // by the names, which do not change
  const auto task = small<LatentStepsConfig>().make_task(laws::seed());
  task->score(laws::answering([&](const TokenRows& rows, std::uint32_t) {
                std::string names;
                for (const laws::TokenRow& row : rows) names += std::to_string(row[1]) + " ";
                const int depth =
                    laws::EquationOracle(laws::equations_of_rows(rows), kModulus).depth();
                EXPECT_LE(++asked[names], depth + 1);
                return laws::next_state(rows, kModulus);
              }),
              0);
  EXPECT_EQ(asked.size(), 100u);
}

TEST(LatentSteps, OneThatNeverSettlesIsStoppedAfterFourIterationsPerLayer) {
  LatentStepsConfig config = small<LatentStepsConfig>();
  config.test_nodes = {8};
  config.validation = 1;
  int asked = 0, depth = 0;
  const Json result = config.make_task(2)->measure(
      laws::answering([&](const TokenRows& rows, std::uint32_t) {
        ++asked;
        depth = laws::EquationOracle(laws::equations_of_rows(rows), kModulus).depth();
        TokenRows next = laws::next_state(rows, kModulus);
        next.back()[2] = rows.back()[2] == 0 ? 1 : 0;  // another factor: still a change
        return next;
      }),
      0, {});
  EXPECT_EQ(asked, 2 * 4 * depth);  // once from the beginning, once for recovery
  EXPECT_EQ(result["cells"][0]["solved"], 1.0);
  EXPECT_EQ(result["cells"][0]["settling"]["by_depth"], Json::array());
}

TEST(LatentSteps, WhatIsAnsweredForPaddingDoesNotMatter) {
  const auto task = small<LatentStepsConfig>().make_task(laws::seed());
  int noise = 0;
  const Json quiet = task->measure(laws::answering(one_step), 0, {});
  const Json loud =
      task->measure(laws::answering(one_step, [&noise] { return ++noise % 4; }), 0, {});
  EXPECT_EQ(quiet, loud);
}

TEST(LatentSteps, WhoFailsBelowADepthHasThatShareOfNodesAndGraphs) {
  const auto task = small<LatentStepsConfig>().make_task(laws::seed());
  for (const int deepest : {0, 1, 3, 5}) {
    const Json result = task->measure(laws::answering([&](const TokenRows& rows, std::uint32_t) {
                                        return wrong_below(rows, deepest);
                                      }),
                                      0, {});
    for (const Json& cell : result["cells"]) {
      EXPECT_DOUBLE_EQ(cell["node_accuracy"], share_up_to(cell["by_node_depth"], "nodes", deepest));
      EXPECT_DOUBLE_EQ(cell["solved"], share_up_to(cell["by_depth"], "graphs", deepest));
      for (const Json& entry : cell["by_node_depth"])
        EXPECT_EQ(entry["accuracy"], entry["depth"].get<int>() <= deepest ? 1.0 : 0.0);
    }
  }
}

TEST(LatentSteps, WhoKeepsWhatIsKnownRecoversNothing) {
  const auto task = small<LatentStepsConfig>().make_task(laws::seed());
  const auto keeping = [](const TokenRows& rows, std::uint32_t) {
    TokenRows next = laws::next_state(rows, kModulus);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i][0] == 2 && rows[i][3] != kEmpty) next[i][3] = rows[i][3];
    return next;
  };
  const Json result = task->measure(laws::answering(keeping), 0, {});
  for (const Json& cell : result["cells"]) {
    EXPECT_EQ(cell["solved"], 1.0);
    EXPECT_EQ(cell["recovery"]["hit_nodes"], 0.0);
    EXPECT_GT(cell["recovery"]["hit"], 0);
  }
}

TEST(LatentSteps, TheResultHasTheStatedKeys) {
  LatentStepsConfig config = small<LatentStepsConfig>();
  config.graphs.operand_weights = {1};  // copies: depths are those of chains
  config.test_nodes = {3};
  config.validation = 4;
  config.corrupted = 0.1;
  const auto task = config.make_task(1);
  const Json result = task->measure(laws::answering(one_step), 0, {});
  EXPECT_EQ(result.dump(),
            R"({"kind":"latent-steps","method":"corrected","trained_nodes":[3,8],"cells":[)"
            R"({"generator":"uniform","nodes":3,"graphs":4,"solved":1.0,"node_accuracy":1.0,)"
            R"("by_depth":[{"depth":2,"graphs":4,"solved":1.0,"node_accuracy":1.0}],)"
            R"("by_node_depth":[{"depth":1,"nodes":8,"accuracy":1.0},)"
            R"({"depth":2,"nodes":4,"accuracy":1.0}],)"
            R"("settling":{"by_depth":[{"depth":2,"graphs":4,"iterations":2.0}]},)"
            R"("solved_after":[0.0,1.0,1.0],"recovery":{"hit_nodes":1.0,"hit":)" +
                result["cells"][0]["recovery"]["hit"].dump() + "}}]}");
  EXPECT_EQ(task->summary(result), "corrected: fully solved 1.000 at N = 3");
}

TEST(LatentValues, TargetsAreTheFinalValuesAndDueWhenTheyCanBeKnown) {
  const auto task = small<LatentValuesConfig>().make_task(laws::seed());
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Samples samples = task->training_batch(0, step);
    ASSERT_EQ(samples.due.size(), samples.targets.size());
    std::uint32_t deepest = 0;
    for (std::size_t i = 0; i < samples.count; ++i) {
      TokenRows now = laws::rows_of_sample(samples, i);
      const TokenRows targets = targets_of_sample(samples, i);
      laws::EquationOracle oracle(laws::equations_of_rows(now), kModulus);
      deepest = std::max(deepest, static_cast<std::uint32_t>(oracle.depth()));
      for (int t = 1; t <= oracle.depth(); ++t) {
        now = laws::next_state(now, kModulus);
        for (std::size_t token = 0; token < now.size(); ++token)
          for (std::size_t factor = 0; factor < 4; ++factor)
            // From its loop on a target is what the algorithm says, before that it is not.
            ASSERT_EQ(samples.due[(i * samples.tokens + token) * 4 + factor] <= t,
                      now[token][factor] == targets[token][factor]);
      }
      ASSERT_EQ(now, targets);
    }
    EXPECT_EQ(samples.loops, deepest);
  }
}

TEST(LatentValues, BatchesOfTheRecurrentMethodHaveOneDepthAndNothingIsDue) {
  LatentValuesConfig config = small<LatentValuesConfig>();
  config.method = Method::recurrent;
  const auto task = config.make_task(laws::seed());
  std::set<std::uint32_t> depths;
  for (std::uint64_t step = 0; step < 40; ++step) {
    const Samples samples = task->training_batch(0, step);
    EXPECT_TRUE(samples.due.empty());
    for (std::size_t i = 0; i < samples.count; ++i) {
      laws::EquationOracle oracle(laws::equations_of_rows(laws::rows_of_sample(samples, i)),
                                  kModulus);
      ASSERT_EQ(static_cast<std::uint32_t>(oracle.depth()), samples.loops);
    }
    depths.insert(samples.loops);
  }
  EXPECT_GE(depths.size(), 4u);
}

/// z(loops) from z(0), `late` loops after it could be known.
TokenRows after_loops(const TokenRows& rows, std::uint32_t loops, std::uint32_t late = 0) {
  TokenRows now = rows;
  for (std::uint32_t t = late; t < loops; ++t) now = laws::next_state(now, kModulus);
  return now;
}

TEST(LatentValues, GraphsAreMeasuredAfterAsManyLoopsAsTheyAreDeep) {
  for (const Method method : {Method::recurrent, Method::continuous}) {
    LatentValuesConfig config = small<LatentValuesConfig>();
    config.method = method;
    const auto task = config.make_task(laws::seed());
    const Json exact = task->measure(
        laws::answering([](const TokenRows& rows, std::uint32_t loops) {
          EXPECT_EQ(static_cast<int>(loops),
                    laws::EquationOracle(laws::equations_of_rows(rows), kModulus).depth());
          return after_loops(rows, loops);
        }),
        0, {});
    const Json late = task->measure(laws::answering([](const TokenRows& rows, std::uint32_t loops) {
                                      return after_loops(rows, loops, 1);
                                    }),
                                    0, {});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(exact["cells"][i]["solved"], 1.0);
      EXPECT_EQ(late["cells"][i]["solved"], 0.0);
      EXPECT_GT(late["cells"][i]["node_accuracy"], 0.5);
      EXPECT_FALSE(exact["cells"][i].contains("settling"));
    }
  }
}

TEST(LatentValues, WithoutAnOracleTheLastChangeIsWhereItSettles) {
  LatentValuesConfig config = small<LatentValuesConfig>();
  config.method = Method::no_oracle;
  const auto task = config.make_task(laws::seed());
  EXPECT_TRUE(task->training_batch(0, 0).due.empty());
  const Json late = task->measure(laws::answering([](const TokenRows& rows, std::uint32_t loops) {
                                    // Two loops per layer: every other one changes nothing.
                                    return after_loops(rows, loops / 2);
                                  }),
                                  0, {});
  EXPECT_EQ(late["method"], "no-oracle");
  for (const Json& cell : late["cells"]) {
    EXPECT_EQ(cell["solved"], 1.0);
    EXPECT_EQ(cell["settling"]["by_depth"].size(), cell["by_depth"].size());
    for (const Json& entry : cell["settling"]["by_depth"])
      EXPECT_EQ(entry["iterations"], 2 * entry["depth"].get<int>());
  }
  const Json restless =
      task->measure(laws::answering([](const TokenRows& rows, std::uint32_t loops) {
                      TokenRows now = after_loops(rows, loops);
                      now.front()[0] = static_cast<int>(loops % 2);
                      return now;
                    }),
                    0, {});
  EXPECT_EQ(restless["cells"][0]["settling"]["by_depth"], Json::array());
  EXPECT_EQ(restless["cells"][0]["solved"], 1.0);
}

TEST(LatentTasks, MeasuredGraphsDependOnTheSeedAlone) {
  const auto seen = [](auto config, std::uint64_t seed, std::uint32_t batch) {
    config.batch = batch;
    std::multiset<std::string> graphs;
    config.make_task(seed)->measure(laws::answering([&](const TokenRows& rows, std::uint32_t) {
                                      graphs.insert(laws::text_of_rows(rows, kModulus));
                                      return rows;  // settles at once
                                    }),
                                    0, {});
    return graphs;
  };
  LatentValuesConfig values = small<LatentValuesConfig>();
  values.method = Method::feed_forward;
  const auto graphs = seen(values, 4, 6);
  EXPECT_EQ(graphs.size(), 160u);
  EXPECT_EQ(graphs, seen(values, 4, 60));
  EXPECT_NE(graphs, seen(values, 5, 6));
  // The methods are measured on the same graphs.
  const auto steps = seen(small<LatentStepsConfig>(), 4, 6);
  EXPECT_TRUE(std::includes(steps.begin(), steps.end(), graphs.begin(), graphs.end()));
}

TEST(LatentTasks, RefuseSettingsThatNamingThemCanMend) {
  const auto with = [](auto change) {
    LatentStepsConfig config;
    change(config);
    return refusal(config);
  };
  EXPECT_EQ(with([](auto&) {}), "accepted");
  for (const std::uint32_t modulus : {0, 1, 4, 21, 1009})
    EXPECT_EQ(with([=](auto& c) { c.graphs.modulus = modulus; }),
              "task.modulus: expected a prime from 2 to 997, found " + std::to_string(modulus));
  EXPECT_EQ(with([](auto& c) { c.most_nodes = 33; }),
            "task.most_nodes: expected at most task.names = 32, one name for each node, found 33");
  EXPECT_EQ(with([](auto& c) {
              c.test_nodes = {8, 33};
            }),
            "task.test_nodes: expected growing numbers of nodes from 3 to task.names = 32, one "
            "name for each node");
  for (const auto& nodes : std::vector<std::vector<std::uint32_t>>{{}, {8, 8}, {2, 8}})
    EXPECT_EQ(with([&](auto& c) { c.test_nodes = nodes; }).substr(0, 33),
              "task.test_nodes: expected growing");
  EXPECT_EQ(with([](auto& c) { c.validation = 0; }),
            "task.validation: expected at least 1 graph per cell, found 0");
  EXPECT_EQ(with([](auto& c) { c.least_nodes = 9; }),
            "task.least_nodes: expected 3 to task.most_nodes = 8, found 9");
  EXPECT_EQ(with([](auto& c) { c.least_nodes = 2; }),
            "task.least_nodes: expected 3 to task.most_nodes = 8, found 2");
  EXPECT_EQ(with([](auto& c) { c.graphs.names = 2; }), "task.names: expected 3 to 4096, found 2");
  for (const auto& weights : std::vector<std::vector<std::uint32_t>>{{}, {0, 0}, {1, 1, 1, 1}})
    EXPECT_EQ(with([&](auto& c) { c.graphs.operand_weights = weights; }),
              "task.operand_weights: expected 1 to 3 numbers, how often nodes have 1, 2, ... "
              "operands, not all of them 0");
  EXPECT_EQ(with([](auto& c) { c.batch = 0; }).substr(0, 24), "task.batch: expected 1 t");
  EXPECT_EQ(with([](auto& c) { c.batch = 1u << 31; }).substr(0, 24), "task.batch: expected 1 t");
  EXPECT_EQ(with([](auto& c) { c.corrupted = 1.5; }),
            "task.corrupted: expected a share from 0 to 1, found 1.5");
  EXPECT_EQ(with([](auto& c) { c.corrupted_empty = -1; }).substr(0, 20), "task.corrupted_empty");
}

}}  // namespace logdepth::latent_tasks_tests

// Chains of thought: what is written, what is asked for, how a thought is judged.

namespace logdepth::latent_words_tests { namespace {

using Json = nlohmann::ordered_json;
using laws::kModulus;
using laws::share_up_to;
using laws::small;

/// Words as the specification spells them: values 0 ... p-1, names, + - x, =, ;, <CoT>, <end>.
std::string word_text(const WordText& text, const ThoughtVocabulary& words) {
  std::string out;
  for (const std::int32_t word : text) {
    const int after_names = word - static_cast<int>(words.modulus + words.names);
    if (word < static_cast<int>(words.modulus)) {
      out += std::to_string(word);
    } else if (after_names < 0) {
      out += "x" + std::to_string(word - static_cast<int>(words.modulus));
    } else {
      out += std::array{"+", "-", "x", "=", ";", "<CoT>", "<end>"}.at(
          static_cast<std::size_t>(after_names));
    }
    out += " ";
  }
  return out.substr(0, out.size() - 1);
}

/// The first, second and eleventh equation of figure 1: x101 = x23 x x91 = 22 x 8 = 15.
ComputationGraph figure_graph() {
  ComputationGraph graph;
  graph.modulus = 23;
  const auto leaf = [&](std::uint32_t name, std::uint32_t value) {
    GraphNode node;
    node.name = name;
    node.value = value;
    graph.nodes.push_back(node);
  };
  const auto node = [&](std::uint32_t name, std::vector<std::uint32_t> operands,
                        std::vector<GraphOperation> operations) {
    GraphNode made;
    made.name = name;
    made.operands = std::move(operands);
    made.operations = std::move(operations);
    graph.nodes.push_back(made);
  };
  leaf(7, 20);
  leaf(42, 2);
  leaf(88, 6);
  node(23, {0, 1}, {GraphOperation::add});
  node(91, {1, 2}, {GraphOperation::add});
  node(101, {3, 4}, {GraphOperation::multiply});
  node(30, {5}, {});
  evaluate(graph);
  return graph;
}

TEST(LatentWords, QuestionsAndThoughtsAreThoseOfTheFormat) {
  const ThoughtVocabulary words{23, 128};
  const ComputationGraph graph = figure_graph();
  EXPECT_EQ(word_text(question_words(graph, words), words),
            "20 = x7 ; 2 = x42 ; 6 = x88 ; x7 + x42 = x23 ; x42 + x88 = x91 ; x23 x x91 = x101 ; "
            "x101 = x30 ; <CoT>");
  EXPECT_EQ(word_text(thought_words(graph, words), words),
            "x7 = 20 ; x42 = 2 ; x88 = 6 ; x23 = x7 + x42 = 22 ; x91 = x42 + x88 = 8 ; "
            "x101 = x23 x x91 = 15 ; x30 = x101 = 15 ; <end>");
}

TEST(LatentWords, AThoughtIsJudgedByTheFirstPartOfEachNode) {
  const ThoughtVocabulary words{23, 128};
  const ComputationGraph graph = figure_graph();
  const WordText right = thought_words(graph, words);
  const std::vector<bool> all(7, true);
  EXPECT_EQ(right_in_thought(right, graph, words), all);
  WordText wrong = right;
  wrong[2] = words.value(21);  // x7
  std::vector<bool> but_one = all;
  but_one[0] = false;
  EXPECT_EQ(right_in_thought(wrong, graph, words), but_one);
  wrong = right;
  wrong[14] = words.variable(42);  // an operand of x23
  EXPECT_EQ(right_in_thought(wrong, graph, words), all);
  // Said again, differently, at the end; and cut off before that.
  wrong = right;
  wrong.pop_back();
  wrong.insert(wrong.end(), {words.variable(7), words.equals(), words.value(3), words.separator()});
  EXPECT_EQ(right_in_thought(wrong, graph, words), all);
  const WordText cut(right.begin(), right.begin() + 6);  // x7 = 20 ; x42 =
  EXPECT_EQ(right_in_thought(cut, graph, words),
            (std::vector<bool>{true, false, false, false, false, false, false}));
  EXPECT_EQ(right_in_thought({}, graph, words), std::vector<bool>(7, false));
}

TEST(LatentWords, OnlyTheThoughtIsAskedForWordByWord) {
  const auto task = small<LatentWordsConfig>().make_task(laws::seed());
  const Samples samples = task->training_batch(0, 1);
  const ThoughtVocabulary words{kModulus, 32};
  ASSERT_EQ(samples.lengths.size(), samples.count);
  for (std::size_t i = 0; i < samples.count; ++i) {
    bool thinking = false;
    for (std::size_t k = 0; k < samples.tokens; ++k) {
      const std::size_t at = i * samples.tokens + k;
      const auto length = static_cast<std::size_t>(samples.lengths[i]);
      if (k < length) thinking |= samples.indices[at] == words.begin_thought();
      if (k >= length || !thinking) {
        ASSERT_EQ(samples.targets[at], Samples::kIgnored);
      } else {
        ASSERT_EQ(samples.targets[at], k + 1 < length ? samples.indices[at + 1] : words.end());
      }
    }
    ASSERT_TRUE(thinking);
  }
}

/// Writes the thought word by word, values of nodes deeper than `deepest` wrong.
Predict thinker(int deepest) {
  return [=](const Samples& samples, std::uint32_t) {
    const ThoughtVocabulary words{kModulus, 32};
    Answers answers(samples.targets.size());
    for (std::size_t i = 0; i < samples.count; ++i) {
      const std::int32_t* text = samples.indices.data() + i * samples.tokens;
      const auto length = static_cast<std::size_t>(samples.lengths[i]);
      std::vector<laws::ReadEquation> equations(1);
      bool right = false;
      std::size_t begin = 0;
      for (; text[begin] != words.begin_thought(); ++begin) {
        const int word = text[begin], name = word - kModulus;
        laws::ReadEquation& now = equations.back();
        if (word == words.separator()) {
          equations.emplace_back();
          right = false;
        } else if (word == words.equals()) {
          right = true;
        } else if (word < kModulus) {
          now.constant = word;
        } else if (name >= 32) {
          now.operations += "+-x"[name - 32];
        } else if (right) {
          now.target = name;
        } else {
          now.operands.push_back(name);
        }
      }
      equations.pop_back();
      laws::EquationOracle oracle(equations, kModulus);
      WordText thought;
      for (const laws::ReadEquation& equation : equations) {
        thought.insert(thought.end(), {kModulus + equation.target, words.equals()});
        for (std::size_t k = 0; k < equation.operands.size(); ++k) {
          if (k > 0)
            thought.push_back(
                kModulus + 32 +
                static_cast<int>(std::string("+-x").find(equation.operations[k - 1])));
          thought.push_back(kModulus + equation.operands[k]);
        }
        if (!equation.operands.empty()) thought.push_back(words.equals());
        const int wrong = oracle.depth(equation.target) > deepest;
        thought.insert(thought.end(),
                       {(oracle.value(equation.target) + wrong) % kModulus, words.separator()});
      }
      thought.push_back(words.end());
      const std::size_t written = length - begin - 1;
      answers[i * samples.tokens + length - 1] =
          written < thought.size() ? thought[written] : words.end();
    }
    return answers;
  };
}

TEST(LatentWords, AThinkerWhoseArithmeticFailsBelowADepthHasThatShareOfNodesAndGraphs) {
  LatentWordsConfig config = small<LatentWordsConfig>();
  config.test_nodes = {8, 10};
  config.validation = 20;
  const auto task = config.make_task(laws::seed());
  for (const int deepest : {2, 4, 99}) {
    const Json result = task->measure(laws::decoding(thinker(deepest)), 0, {});
    EXPECT_EQ(result["method"], "chain-of-thought");
    for (const Json& cell : result["cells"]) {
      EXPECT_DOUBLE_EQ(cell["solved"], share_up_to(cell["by_depth"], "graphs", deepest));
      EXPECT_DOUBLE_EQ(cell["node_accuracy"], share_up_to(cell["by_node_depth"], "nodes", deepest));
      EXPECT_FALSE(cell.contains("settling"));
    }
  }
}

}}  // namespace logdepth::latent_words_tests
