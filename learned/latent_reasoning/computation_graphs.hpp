#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learned/records/counter_random.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Modular arithmetic on computation graphs ("Unlocking Out-of-Distribution Generalization in
/// Transformers via Latent Space Reasoning", section 2.1).

enum class GraphOperation : std::uint8_t { add, subtract, multiply };

/// A variable: a leaf with a given value, or an expression over earlier nodes.
struct GraphNode {
  std::uint32_t name = 0;                  ///< k of the variable x_k
  std::vector<std::uint32_t> operands;     ///< indices of earlier nodes; empty: a leaf
  std::vector<GraphOperation> operations;  ///< one between two operands
  std::uint32_t value = 0;                 ///< of a leaf given, else made by `evaluate`
  std::uint32_t depth = 1;                 ///< 1 of a leaf, else 1 + that of the deepest operand
};

/// Nodes stand in the order of their equations, every node after its operands.
struct ComputationGraph {
  std::uint32_t modulus = 2;
  std::vector<GraphNode> nodes;

  std::uint32_t depth() const;  ///< of the deepest node
};

/// Fills in values and depths of all nodes but leaves. Expressions are evaluated from left to
/// right, without precedence, modulo the modulus: x + y * z is (x + y) z, as in the paper's example
/// of 32 nodes.
void evaluate(ComputationGraph& graph);

/// How graphs are drawn.
struct GraphShape {
  enum class Generator {
    uniform,  ///< operands among all earlier nodes: depth grows like the logarithm of the size
    deep      ///< among the last `window` nodes: depth grows in proportion to the size
  };
  enum class Operations { add, all };
  Generator generator = Generator::uniform;
  std::uint32_t window = 4;
  std::uint32_t modulus = 3;  ///< a prime
  std::uint32_t names = 32;   ///< variables are named x_0 ... x_(names-1)
  Operations operations = Operations::add;
  /// Entry m - 1: how often a node has m operands, relative to the others; 1 to 3 entries. Where
  /// there are fewer nodes to choose from, there are fewer operands.
  std::vector<std::uint32_t> operand_weights = {1, 1};
};
inline constexpr std::size_t kMostOperands = 3;

/// Leaves of a graph of so many nodes: a fifth of them, rounded, and at least two.
std::uint32_t leaves_of(std::uint32_t nodes);
/// Leaves first, with values and names (without replacement), operands (without replacement) and
/// operations drawn uniformly. Preconditions: 2 <= nodes <= shape.names; a shape without
/// contradictions.
ComputationGraph draw_graph(const GraphShape& shape, std::uint32_t nodes, CounterRandom& random);

}  // namespace logdepth::inline learned_latent_reasoning
