#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_latent_reasoning {

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
  enum class Operations { add, all };
  std::uint32_t modulus = 3;  ///< a prime
  std::uint32_t names = 32;   ///< variables are named x_0 ... x_(names-1)
  Operations operations = Operations::add;
  /// Entry m - 1: how often a node has m operands, relative to the others; 1 to 3 entries. Where
  /// there are fewer nodes to choose from, there are fewer operands.
  std::vector<std::uint32_t> operand_weights = {1, 1};
};
inline constexpr std::size_t kMostOperands = 3;

/// Leaves first, with values and names (without replacement), operands (without replacement) and
/// operations drawn uniformly; operands among all earlier nodes, so that depth grows like the
/// logarithm of the size. Preconditions: 2 <= nodes <= shape.names; a shape without
/// contradictions.
ComputationGraph draw_graph(const GraphShape& shape, std::uint32_t nodes, CounterRandom& random);

/// Computation graphs as sequences of factored tokens (the paper, appendix C.1): every token has a
/// row in each of four tables, and a network answers with a class of each. A leaf is `v = x ;`, a
/// node `a o b o c = x ;`, evaluated from left to right.

/// Factors of a token, in the order of tables and of heads of answers.
enum Factor : std::size_t {
  kSyntaxFactor,
  kVariableFactor,
  kOperationFactor,
  kValueFactor,
  kFactors
};

/// Rows of the table of syntax.
enum class TokenSyntax : std::int32_t { value, equals, variable, operation, separator, padding };

/// Rows of the four tables.
using FactoredToken = std::array<std::int32_t, kFactors>;
using FactoredState = std::vector<FactoredToken>;

/// Numbers of rows, and those that mean "not applicable" (N/A) or "not known yet" (empty).
struct FactorTables {
  std::uint32_t modulus = 3, names = 32;

  /// Six kinds of syntax; names and N/A; three operations and N/A; values, N/A and empty.
  std::vector<std::uint32_t> rows() const { return {6, names + 1, 4, modulus + 2}; }
  std::int32_t no_variable() const { return static_cast<std::int32_t>(names); }
  static constexpr std::int32_t kNoOperation = 3;
  std::int32_t no_value() const { return static_cast<std::int32_t>(modulus); }
  std::int32_t empty_value() const { return static_cast<std::int32_t>(modulus) + 1; }
  FactoredToken padding() const {
    return {static_cast<std::int32_t>(TokenSyntax::padding), no_variable(), kNoOperation,
            no_value()};
  }
};

/// A graph as tokens, with what the states z(t) of the layer-by-layer algorithm say: the value of a
/// node of depth d at its defining token from z(d) on, at later occurrences, which can only copy a
/// value that exists, from z(d + 1) on.
struct GraphTokens {
  FactoredState tokens;             ///< z(0): values of variables are empty
  std::vector<std::int32_t> final;  ///< the value factor of each token in the end
  std::vector<std::uint32_t> due;   ///< the first t from which z(t) has it; 0: z(0) has it already
  std::vector<std::uint32_t> defining;  ///< of each node, the token that defines it
  std::uint32_t depth = 0;              ///< of the graph: z(t) is the same from here on

  FactoredState state(std::uint32_t t, const FactorTables& tables) const;
  /// For each node whether `state` has the right value at its defining token.
  std::vector<bool> right_nodes(const FactoredState& state) const;
};
GraphTokens graph_tokens(const ComputationGraph& graph, const FactorTables& tables);

/// Errors of a state that a network learns to mend: of every variable token a known value becomes
/// another one with probability `known`, an empty one any with probability `unknown`.
void corrupt(FactoredState& state, const FactorTables& tables, double known, double unknown,
             CounterRandom& random);
/// Replaces the share `share` (rounded, at least one) of the known values of variable tokens by
/// other ones. Result: where.
std::vector<std::size_t> corrupt_share(FactoredState& state, const FactorTables& tables,
                                       double share, CounterRandom& random);

/// What a model reads and answers: four tables, four heads, everything before a token visible.
TaskFormat factored_format(const FactorTables& tables);
/// Samples of so many tokens, all of them padding, nothing asked.
Samples factored_samples(const FactorTables& tables, std::size_t count, std::size_t tokens);
/// Sample `i` becomes this state, and its length that of the state.
void put_state(Samples& samples, std::size_t i, const FactoredState& state);
/// All factors of this state become the targets of sample `i`.
void put_targets(Samples& samples, std::size_t i, const FactoredState& state);
/// The first `tokens` answers to sample `i`.
FactoredState answered_state(const Samples& samples, const Answers& answers, std::size_t i,
                             std::size_t tokens);

/// What a method made of one graph.
struct GraphAnswer {
  /// Of each node, whether its value at the defining token (or the first that a chain of thought
  /// gives it) is right.
  std::vector<bool> right;

  /// Of methods that iterate until nothing changes.
  struct Settling {
    /// Iterations that changed something; absent where the cap was reached.
    std::optional<std::uint32_t> iterations;
    std::vector<bool> solved_after;  ///< of each iteration; the last entry holds from there on
  };
  std::optional<Settling> settling;

  bool solved() const;
};

/// What the tasks of this paper have in common: which graphs are drawn, and where they are
/// measured.
struct GraphTaskSettings : TaskSettings {
  GraphShape graphs;
  /// Nodes of a training graph: uniform, one number for all graphs of a batch, so that little is
  /// padded.
  std::uint32_t least_nodes = 3, most_nodes = 8;
  /// Graphs per batch where they have `most_nodes` nodes; of smaller graphs there are more, so that
  /// all batches have about as many nodes.
  std::uint32_t batch = 32;
  std::vector<std::uint32_t> test_nodes = {8, 16, 32};  ///< nodes of the graphs that are measured
  std::uint32_t validation = 300;                       ///< graphs of each number of nodes

  /// Errors: InputError for any setting out of range.
  void validate() const override;
  RunReadings readings(const RecordFields& result, const ModelConfig& model) const override;

  FactorTables tables() const { return {graphs.modulus, graphs.names}; }

 protected:
  void visit_graphs(SettingVisitor& visit);
};

/// A training graph, and the random numbers behind it, for whatever else its sample needs.
struct DrawnGraph {
  ComputationGraph graph;
  CounterRandom random;
};

/// Samples whose measures are alike: `solve` is what methods differ in. A result is
///   {"kind", "method", "trained_nodes": [least, most],
///    "cells": [{"generator": "uniform", "nodes", ... graph_scores_json, and what `more` adds}]}.
class GraphTask : public Task {
 public:
  Samples training_batch(std::size_t stage, std::uint64_t step) const final;
  nlohmann::ordered_json measure(const Predictor& predictor, std::size_t stage,
                                 const MeasureProgress& progress) const final;
  /// The share of 100 graphs of the largest training size that is fully solved.
  Score score(const Predictor& predictor, std::size_t stage) const final;
  std::string score_name() const final;
  std::string summary(const nlohmann::ordered_json& result) const final;

 protected:
  using Json = nlohmann::ordered_json;
  using Graphs = std::vector<ComputationGraph>;
  /// Errors: InputError naming the setting and what was expected.
  GraphTask(const GraphTaskSettings& settings, std::uint64_t seed);

  virtual const GraphTaskSettings& settings() const = 0;
  virtual std::string method() const = 0;
  virtual Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t step) const = 0;
  /// Whether all graphs of a training batch are to have one depth.
  virtual bool trains_one_depth() const { return false; }
  virtual std::vector<GraphAnswer> solve(const Predictor& predictor,
                                         const Graphs& graphs) const = 0;
  /// Adds to the object of a cell what only this method has.
  virtual void more(Json&, const Predictor&, const Graphs&) const {}

  std::uint64_t seed() const { return seed_; }

 private:
  Graphs measured_graphs(std::uint32_t nodes, std::size_t count) const;

  std::uint64_t seed_;
};

/// What decides which measured graphs share a batch.
struct BatchKey {
  std::uint32_t depth = 0;
  std::size_t tokens = 0;
};
/// Of each text.
std::vector<BatchKey> batch_keys(const std::vector<GraphTokens>& texts);
/// The indices of `keys` in batches: graphs of one depth stand together, shorter ones first, with
/// `one_depth` no batch has two depths, and none is larger than memory likes.
std::vector<std::vector<std::size_t>> batches_of_alike(const std::vector<BatchKey>& keys,
                                                       bool one_depth);

}}  // namespace logdepth::learned_latent_reasoning
