// Chains of thought: what is written, what is asked for, how a thought is judged.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "learned/latent_reasoning/latent_words_task.hpp"
#include "tests/support/equation_oracle.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/latent_settings.hpp"

namespace logdepth::latent_words_tests {
namespace {

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

TEST(LatentWords, QuestionsAndThoughtsAreThoseOfTheFormats) {
  const ThoughtVocabulary words{23, 128};
  const ComputationGraph graph = figure_graph();
  EXPECT_EQ(word_text(question_words(graph, words), words),
            "20 = x7 ; 2 = x42 ; 6 = x88 ; x7 + x42 = x23 ; x42 + x88 = x91 ; x23 x x91 = x101 ; "
            "x101 = x30 ; <CoT>");
  EXPECT_EQ(word_text(thought_words(graph, words, ThoughtFormat::val), words),
            "x7 = 20 ; x42 = 2 ; x88 = 6 ; x23 = 22 ; x91 = 8 ; x101 = 15 ; x30 = 15 ; <end>");
  EXPECT_EQ(word_text(thought_words(graph, words, ThoughtFormat::eq_val), words),
            "x7 = 20 ; x42 = 2 ; x88 = 6 ; x23 = x7 + x42 = 22 ; x91 = x42 + x88 = 8 ; "
            "x101 = x23 x x91 = 15 ; x30 = x101 = 15 ; <end>");
  EXPECT_EQ(word_text(thought_words(graph, words, ThoughtFormat::eq_op_val), words),
            "x7 = 20 ; x42 = 2 ; x88 = 6 ; x23 = x7 + x42 = 20 + 2 = 22 ; "
            "x91 = x42 + x88 = 2 + 6 = 8 ; x101 = x23 x x91 = 22 x 8 = 15 ; "
            "x30 = x101 = 15 = 15 ; <end>");
}

TEST(LatentWords, AThoughtIsJudgedByTheFirstPartOfEachNode) {
  const ThoughtVocabulary words{23, 128};
  const ComputationGraph graph = figure_graph();
  const WordText right = thought_words(graph, words, ThoughtFormat::eq_val);
  const std::vector<bool> all(7, true);
  EXPECT_EQ(right_in_thought(right, graph, words), all);
  EXPECT_TRUE(same_structure(right, right, words));
  WordText wrong = right;
  wrong[2] = words.value(21);  // x7
  std::vector<bool> but_one = all;
  but_one[0] = false;
  EXPECT_EQ(right_in_thought(wrong, graph, words), but_one);
  EXPECT_TRUE(same_structure(wrong, right, words));
  wrong = right;
  wrong[14] = words.variable(42);  // an operand of x23
  EXPECT_EQ(right_in_thought(wrong, graph, words), all);
  EXPECT_FALSE(same_structure(wrong, right, words));
  // Said again, differently, at the end; and cut off before that.
  wrong = right;
  wrong.pop_back();
  wrong.insert(wrong.end(), {words.variable(7), words.equals(), words.value(3), words.separator()});
  EXPECT_EQ(right_in_thought(wrong, graph, words), all);
  EXPECT_FALSE(same_structure(wrong, right, words));
  const WordText cut(right.begin(), right.begin() + 6);  // x7 = 20 ; x42 =
  EXPECT_EQ(right_in_thought(cut, graph, words),
            (std::vector<bool>{true, false, false, false, false, false, false}));
  EXPECT_EQ(right_in_thought({}, graph, words), std::vector<bool>(7, false));
}

TEST(LatentWords, OnlyTheThoughtIsAskedForWordByWord) {
  for (const ThoughtFormat format :
       {ThoughtFormat::val, ThoughtFormat::eq_val, ThoughtFormat::eq_op_val}) {
    LatentWordsConfig config = small<LatentWordsConfig>();
    config.format = format;
    const Samples samples = config.make_task(laws::seed())->training_batch(0, 1);
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
}

/// Writes the thought `eq-val` word by word, values of nodes deeper than `deepest` wrong.
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

TEST(LatentWords, AThinkerWhoseArithmeticFailsBelowADepthKeepsTheStructure) {
  LatentWordsConfig config = small<LatentWordsConfig>();
  config.test_nodes = {8};
  config.test_deep_nodes = {10};
  config.validation = 20;
  const auto task = config.make_task(laws::seed());
  for (const int deepest : {2, 4, 99}) {
    const Json result = task->measure(thinker(deepest), 0, {});
    EXPECT_EQ(result["method"], "chain-of-thought");
    for (const Json& cell : result["cells"]) {
      EXPECT_DOUBLE_EQ(cell["solved"], share_up_to(cell["by_depth"], "graphs", deepest));
      EXPECT_DOUBLE_EQ(cell["node_accuracy"], share_up_to(cell["by_node_depth"], "nodes", deepest));
      EXPECT_EQ(cell["structure"], 1.0);
      EXPECT_FALSE(cell.contains("settling"));
    }
  }
  // Equations are repeated by a model that was to leave them out.
  config.format = ThoughtFormat::val;
  const Json result = config.make_task(laws::seed())->measure(thinker(99), 0, {});
  EXPECT_EQ(result["cells"][0]["structure"], 0.0);
}

}  // namespace
}  // namespace logdepth::latent_words_tests
