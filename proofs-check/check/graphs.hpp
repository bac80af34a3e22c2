#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/graph.hpp"
#include "oracle/command_oracle.hpp"
#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace proofs_check_check {

/// A graph and which pairs of its vertices are asked about: one, or several where one run answers
/// every pair.
struct AskedGraph {
  Graph graph;
  std::vector<std::pair<Vertex, Vertex>> pairs;
};

/// Questions of reachability to a weights file.
class GraphDomain : public TestDomain<AskedGraph> {
 public:
  /// Keeps references. `oracle` says what is right, without it searches in the graph; with
  /// `undirected` every graph has every edge both ways. Errors: InputError when the model takes no
  /// graphs.
  GraphDomain(const Model& model, bool undirected, ReachabilityQuestion oracle = nullptr);

  Outcome<Tokens> tokens(const AskedGraph& question) const override;
  bool outside(const AskedGraph& question) const override;
  FileAnswer expected(const AskedGraph& question) const override;
  std::optional<Failure> judge(const AskedGraph& question, DecidedRun& run,
                               ComparedCounts& counts) override;
  /// The same of a run in floating point.
  Answered judge(const AskedGraph& question, const FloatRunner& runner,
                 const FloatStream& stream) const;
  AskedGraph shrunk(AskedGraph question,
                    const std::function<bool(const AskedGraph&)>& fails) const override;
  std::string text(const AskedGraph& question) const override;

  bool undirected() const { return undirected_; }
  /// One run answers every pair.
  bool answers_all_pairs() const { return all_pairs_; }
  /// The graph as questions: all pairs, or these.
  AskedCase<AskedGraph> about(CaseStage stage, const Graph& graph,
                              const std::vector<std::pair<Vertex, Vertex>>& pairs) const;

 private:
  std::vector<bool> right(const AskedGraph& question) const;

  bool undirected_, all_pairs_ = false;
  ReachabilityQuestion oracle_;
};

/// The graph with these edges, its vertices called by their numbers; with `undirected` both ways.
Graph graph_of(std::size_t vertices, const std::vector<std::pair<Vertex, Vertex>>& edges,
               bool undirected);
std::vector<std::pair<Vertex, Vertex>> all_pairs(std::size_t vertices);

/// Which graphs are taken for the same.
enum class GraphClass {
  labelled,        ///< none
  up_to_renaming,  ///< those that differ in the names of vertices: one of them, under random names
  loopless_up_to_renaming  ///< and self-loops are left out
};
/// Every graph of `from` to `up_to` vertices with every source and target, fewest edges first. Errors:
/// InputError for more than 2^20 questions.
CaseGenerator<AskedGraph> every_graph(const GraphDomain& questions, GraphClass which,
                                      std::size_t from, std::size_t up_to, std::uint64_t seed);
/// Paths, cut paths, cycles, stars, components, complete, empty, layered and sparse graphs, most
/// with vertices in random order; half of the sizes are around powers of two.
CaseGenerator<AskedGraph> random_graphs(const GraphDomain& questions, std::size_t count,
                                        std::size_t max_size, std::uint64_t seed);

/// Every graph up to renaming, with self-loops up to `bounds.up_to` vertices, without them one vertex
/// further where `loopless_beyond` says so; then hard ones where `hard`, random ones, and one beyond the
/// limit, all within the file's own limit. Errors: as above.
struct GraphPlan {
  Bounds bounds;
  bool loopless_beyond = false, hard = false;
  /// The number of vertices up to which graphs without self-loops are asked; 0 where none are asked
  /// beyond `up_to`.
  std::size_t loopless_size(const Model& model) const;
};
Examination<AskedGraph> examine_graphs(GraphDomain& questions, const GraphPlan& plan,
                                       const Asking& how);

}}  // namespace logdepth::proofs_check_check
