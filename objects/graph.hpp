#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace logdepth { inline namespace objects {

using Vertex = std::uint32_t;

/// A directed graph with named vertices, numbered in the order in which they were added. A
/// self-loop is an edge; an edge added twice is one edge. An undirected graph is one that holds
/// both directions of every edge.
class Graph {
 public:
  static constexpr std::size_t max_vertices = 4096;

  std::size_t size() const { return names_.size(); }
  std::size_t edge_count() const { return edge_count_; }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<Vertex> vertex(const std::string& name) const;
  bool has_edge(Vertex from, Vertex to) const { return successors_[from][to]; }

  /// The vertex of this name, a new one at the end when there is none. Errors: InputError when the
  /// name is empty, not UTF-8 or holds a control character (names end up in JSON and in lists, one
  /// per line); SizeLimit beyond `max_vertices`.
  Vertex add_vertex(const std::string& name);
  void add_edge(Vertex from, Vertex to);
  /// Adds the reverse of every edge.
  void make_undirected();

  /// The same vertices in the same order, and edges.
  bool operator==(const Graph& other) const {
    return names_ == other.names_ && successors_ == other.successors_;
  }

  std::vector<std::string> notes = {};  ///< on its file, for whoever gave it

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, Vertex> index_;
  std::vector<std::vector<bool>> successors_;  ///< the adjacency matrix, row by row
  std::size_t edge_count_ = 0;
};

/// Edges of a shortest path from each vertex to each, row by row; -1 where there is no path.
/// `adjacency`: [vertices, vertices], not 0 for an edge from row to column.
std::vector<std::int32_t> all_distances(const std::vector<std::uint8_t>& adjacency,
                                        std::size_t vertices);

}}  // namespace logdepth::objects
