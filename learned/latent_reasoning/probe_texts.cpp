#include "learned/latent_reasoning/probe_texts.hpp"

#include <algorithm>

namespace logdepth::inline learned_latent_reasoning {

ComputationGraph ProbeText::graph() const {
  ComputationGraph graph;
  graph.modulus = modulus;
  for (const Leaf& leaf : leaves) {
    GraphNode node;
    node.name = leaf.name;
    node.value = leaf.value;
    graph.nodes.push_back(node);
  }
  GraphNode sum;
  sum.name = result;
  sum.operands = operands;
  sum.operations.assign(operands.size() - 1, GraphOperation::add);
  graph.nodes.push_back(sum);
  evaluate(graph);
  return graph;
}

std::vector<std::uint32_t> operand_tokens(std::uint32_t defining, std::size_t operands) {
  std::vector<std::uint32_t> tokens;  // a o b o c = x: the last operand is two tokens before x
  for (std::size_t i = 0; i < operands; ++i)
    tokens.push_back(defining - 2 * static_cast<std::uint32_t>(operands - i));
  return tokens;
}

ProbeState probe_state(const ProbeText& text, const FactorTables& tables,
                       ValueSupervision supervision) {
  const GraphTokens tokens = graph_tokens(text.graph(), tables, supervision);
  const std::uint32_t result = tokens.defining.back();
  return {tokens.state(1, tables), result, operand_tokens(result, text.operands.size())};
}

ProbeText draw_probe_text(const FactorTables& tables, std::size_t leaves, std::size_t operands,
                          CounterRandom& random) {
  ProbeText text;
  text.modulus = tables.modulus;
  const std::vector<std::uint32_t> names = random.permutation(tables.names);
  for (std::size_t i = 0; i < leaves; ++i)
    text.leaves.push_back({names[i], static_cast<std::uint32_t>(random.below(tables.modulus))});
  text.result = names[leaves];
  text.operands = random.permutation(leaves);
  text.operands.resize(operands);
  return text;
}

std::vector<ProbeText> with_other_operand(const ProbeText& text, std::size_t i) {
  std::vector<ProbeText> texts;
  for (std::uint32_t leaf = 0; leaf < text.leaves.size(); ++leaf) {
    const auto taken = std::find(text.operands.begin(), text.operands.end(), leaf);
    if (taken != text.operands.end() && *taken != text.operands[i]) continue;
    texts.push_back(text);
    texts.back().operands[i] = leaf;
  }
  return texts;
}

std::vector<ProbeText> with_other_result(const ProbeText& text, const FactorTables& tables) {
  std::vector<ProbeText> texts;
  for (std::uint32_t name = 0; name < tables.names; ++name) {
    if (std::any_of(text.leaves.begin(), text.leaves.end(),
                    [name](const ProbeText::Leaf& leaf) { return leaf.name == name; }))
      continue;
    texts.push_back(text);
    texts.back().result = name;
  }
  return texts;
}

std::vector<ProbeText> with_other_value(const ProbeText& text, std::size_t i) {
  std::vector<ProbeText> texts(text.modulus, text);
  for (std::uint32_t value = 0; value < text.modulus; ++value)
    texts[value].leaves[text.operands[i]].value = value;
  return texts;
}

std::vector<ProbeText> with_all_values(const ProbeText& text) {
  std::vector<ProbeText> texts = {text};
  for (std::size_t i = 0; i < text.operands.size(); ++i) {
    std::vector<ProbeText> next;
    for (const ProbeText& one : texts)
      for (const ProbeText& other : with_other_value(one, i)) next.push_back(other);
    texts = std::move(next);
  }
  return texts;
}

}  // namespace logdepth::inline learned_latent_reasoning
