#include "learned/latent_reasoning/thought_words.hpp"

#include <algorithm>
#include <map>

namespace logdepth::inline learned_latent_reasoning {
namespace {

/// `a o b o c`, where `word_of` says what stands for an operand.
template <class WordOf>
void write_expression(WordText& text, const ComputationGraph& graph, const GraphNode& node,
                      const ThoughtVocabulary& words, WordOf word_of) {
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (i > 0) text.push_back(words.operation(node.operations[i - 1]));
    text.push_back(word_of(graph.nodes[node.operands[i]]));
  }
}

}  // namespace

WordText question_words(const ComputationGraph& graph, const ThoughtVocabulary& words) {
  WordText text;
  for (const GraphNode& node : graph.nodes) {
    if (node.operands.empty()) text.push_back(words.value(node.value));
    write_expression(text, graph, node, words,
                     [&](const GraphNode& operand) { return words.variable(operand.name); });
    text.insert(text.end(), {words.equals(), words.variable(node.name), words.separator()});
  }
  text.push_back(words.begin_thought());
  return text;
}

WordText thought_words(const ComputationGraph& graph, const ThoughtVocabulary& words,
                       ThoughtFormat format) {
  WordText text;
  for (const GraphNode& node : graph.nodes) {
    text.insert(text.end(), {words.variable(node.name), words.equals()});
    if (!node.operands.empty() && format != ThoughtFormat::val) {
      write_expression(text, graph, node, words,
                       [&](const GraphNode& operand) { return words.variable(operand.name); });
      text.push_back(words.equals());
      if (format == ThoughtFormat::eq_op_val) {
        write_expression(text, graph, node, words,
                         [&](const GraphNode& operand) { return words.value(operand.value); });
        text.push_back(words.equals());
      }
    }
    text.insert(text.end(), {words.value(node.value), words.separator()});
  }
  text.push_back(words.end());
  return text;
}

std::vector<bool> right_in_thought(const WordText& thought, const ComputationGraph& graph,
                                   const ThoughtVocabulary& words) {
  std::map<std::int32_t, std::int32_t> last_word;  // by the first word of a part
  for (auto begin = thought.begin(); begin != thought.end();) {
    const auto end = std::find_if(begin, thought.end(), [&](std::int32_t word) {
      return word == words.separator() || word == words.end();
    });
    if (end != begin) last_word.emplace(*begin, *(end - 1));
    begin = end == thought.end() ? end : end + 1;
  }
  std::vector<bool> right;
  for (const GraphNode& node : graph.nodes) {
    const auto found = last_word.find(words.variable(node.name));
    right.push_back(found != last_word.end() && found->second == words.value(node.value));
  }
  return right;
}

bool same_structure(const WordText& a, const WordText& b, const ThoughtVocabulary& words) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](std::int32_t one, std::int32_t other) {
                      return one == other || (words.is_value(one) && words.is_value(other));
                    });
}

}  // namespace logdepth::inline learned_latent_reasoning
