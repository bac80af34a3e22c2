#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/latent_reasoning/computation_graphs.hpp"
#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/latent_reasoning/graph_scores.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/records/task.hpp"
#include "learned/records/task_settings.hpp"

namespace logdepth::inline learned_latent_reasoning {

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
  /// Nodes of the graphs that are measured: by the generator `uniform`, and by `deep`.
  std::vector<std::uint32_t> test_nodes = {8, 16, 32}, test_deep_nodes;
  std::uint32_t validation = 300;  ///< graphs per cell

  /// Errors: InputError for any setting out of range.
  void validate() const override;

  FactorTables tables() const { return {graphs.modulus, graphs.names}; }

 protected:
  void visit_graphs(SettingVisitor& visit);
};
/// Smaller graphs have no node to compute.
inline constexpr std::uint32_t kFewestNodes = 3;
/// Tokens of the longest equation of a leaf or node with its separator.
std::uint32_t longest_equation(const GraphShape& shape);

/// A training graph, and the random numbers behind it, for whatever else its sample needs.
struct DrawnGraph {
  ComputationGraph graph;
  CounterRandom random;
};

/// Graphs of a kind that are measured together.
struct GraphCell {
  GraphShape::Generator generator = GraphShape::Generator::uniform;
  std::uint32_t nodes = 0;
  bool operator==(const GraphCell&) const = default;
};
const char* graph_generator_name(GraphShape::Generator generator);

/// Samples whose measures are alike: `solve` is what methods differ in. A result is
///   {"kind", "method", "trained_nodes": [least, most],
///    "cells": [{"generator", "nodes", ... graph_scores_json, and what `more` adds}],
///    "settling": settling_json over all cells, where the method iterates until nothing changes}.
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
  GraphTask(const GraphTask&) = delete;
  GraphTask& operator=(const GraphTask&) = delete;

  virtual const char* kind() const = 0;
  virtual std::string method() const = 0;
  virtual Samples training_samples(std::vector<DrawnGraph> drawn, std::uint64_t step) const = 0;
  /// Whether all graphs of a training batch are to have one depth.
  virtual bool trains_one_depth() const { return false; }
  virtual std::vector<GraphAnswer> solve(const Predictor& predictor,
                                         const Graphs& graphs) const = 0;
  /// Adds to the object of a cell what only this method has.
  virtual void more(Json&, const Predictor&, const GraphCell&, const Graphs&) const {}

  std::uint64_t seed() const { return seed_; }

 private:
  std::vector<DrawnGraph> training_graphs(std::uint64_t step) const;
  Graphs measured_graphs(const GraphCell& cell, std::size_t count) const;

  GraphShape shape_;
  std::uint32_t least_nodes_, most_nodes_, batch_, validation_;
  std::uint64_t seed_;
  std::vector<GraphCell> cells_;
};

/// What decides which measured graphs share a batch.
struct BatchKey {
  std::uint32_t depth = 0;
  std::size_t tokens = 0;
};
/// The indices of `keys` in batches: graphs of one depth stand together, shorter ones first, with
/// `one_depth` no batch has two depths, and none is larger than memory likes.
std::vector<std::vector<std::size_t>> batches_of_alike(const std::vector<BatchKey>& keys,
                                                       bool one_depth);

}  // namespace logdepth::inline learned_latent_reasoning
