#include "learned/latent_reasoning/computation_graphs.hpp"

#include <algorithm>
#include <numeric>

namespace logdepth::inline learned_latent_reasoning {
namespace {

std::uint32_t apply(GraphOperation operation, std::uint64_t a, std::uint64_t b,
                    std::uint64_t modulus) {
  switch (operation) {
    case GraphOperation::add:
      return static_cast<std::uint32_t>((a + b) % modulus);
    case GraphOperation::subtract:
      return static_cast<std::uint32_t>((a + modulus - b) % modulus);
    case GraphOperation::multiply:
      break;
  }
  return static_cast<std::uint32_t>(a * b % modulus);
}

/// An index of `weights`, as often as its entry says.
std::size_t weighted(const std::vector<std::uint32_t>& weights, CounterRandom& random) {
  std::uint64_t left = random.below(std::accumulate(weights.begin(), weights.end(), 0ULL));
  std::size_t index = 0;
  while (left >= weights[index]) left -= weights[index++];
  return index;
}

/// `count` different numbers from `first` up to, not including, `end`. Few of them: those that are
/// drawn again are drawn anew.
std::vector<std::uint32_t> different_numbers(std::size_t count, std::uint32_t first,
                                             std::uint32_t end, CounterRandom& random) {
  std::vector<std::uint32_t> numbers;
  while (numbers.size() < count) {
    const auto number = static_cast<std::uint32_t>(first + random.below(end - first));
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end())
      numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::uint32_t ComputationGraph::depth() const {
  std::uint32_t most = 0;
  for (const GraphNode& node : nodes) most = std::max(most, node.depth);
  return most;
}

void evaluate(ComputationGraph& graph) {
  for (GraphNode& node : graph.nodes) {
    if (node.operands.empty()) continue;
    node.value = graph.nodes[node.operands.front()].value;
    node.depth = 1 + graph.nodes[node.operands.front()].depth;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const GraphNode& operand = graph.nodes[node.operands[i]];
      node.value = apply(node.operations[i - 1], node.value, operand.value, graph.modulus);
      node.depth = std::max(node.depth, 1 + operand.depth);
    }
  }
}

std::uint32_t leaves_of(std::uint32_t nodes) {
  return std::max<std::uint32_t>(2, (nodes + 2) / 5);
}

ComputationGraph draw_graph(const GraphShape& shape, std::uint32_t nodes, CounterRandom& random) {
  ComputationGraph graph;
  graph.modulus = shape.modulus;
  graph.nodes.resize(nodes);
  const std::uint32_t leaves = leaves_of(nodes);
  for (std::uint32_t i = leaves; i < nodes; ++i) {
    GraphNode& node = graph.nodes[i];
    const std::uint32_t choice =
        shape.generator == GraphShape::Generator::deep ? std::min(shape.window, i) : i;
    const std::size_t count =
        std::min<std::size_t>(1 + weighted(shape.operand_weights, random), choice);
    node.operands = different_numbers(count, i - choice, i, random);
  }
  const std::vector<std::uint32_t> names = random.permutation(shape.names);
  for (std::uint32_t i = 0; i < nodes; ++i) graph.nodes[i].name = names[i];
  for (std::uint32_t i = 0; i < leaves; ++i)
    graph.nodes[i].value = static_cast<std::uint32_t>(random.below(shape.modulus));
  const std::uint64_t operations = shape.operations == GraphShape::Operations::add ? 1 : 3;
  for (GraphNode& node : graph.nodes)
    for (std::size_t i = 1; i < node.operands.size(); ++i)
      node.operations.push_back(static_cast<GraphOperation>(random.below(operations)));
  evaluate(graph);
  return graph;
}

}  // namespace logdepth::inline learned_latent_reasoning
