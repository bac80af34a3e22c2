#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/graph.hpp"
#include "objects/text_place.hpp"

namespace logdepth::inline objects {

/// Of a line, between blanks.
using LineFields = std::vector<std::string_view>;

/// What read_graph chooses from, and what these readers share; errors as there.
/// `certain`: somebody says that it is one, so its words may be any and it may have no edge.
Graph read_edge_list(const std::string& text, const std::string& source, bool certain = false);
Graph read_adjacency_list(const std::string& text, const std::string& source);
Graph read_multiline_adjacency_list(const std::string& text, const std::string& source);
Graph read_gml(const std::string& text, const std::string& source);
Graph read_dot_graph(const std::string& text, const std::string& source);
Graph read_graphml(const std::string& text, const std::string& source);
Graph read_gexf(const std::string& text, const std::string& source);
Graph read_dimacs(const std::string& text, const std::string& source);
Graph read_metis(const std::string& text, const std::string& source);
Graph read_pajek(const std::string& text, const std::string& source);
Graph read_graph6(const std::string& text, const std::string& source);
Graph read_sparse6(const std::string& text, const std::string& source);
Graph read_matrix_market(const std::string& text, const std::string& source);
Graph read_node_link(const std::string& text, const std::string& source);

/// What write_graph chooses from; errors as there.
std::string write_edge_list(const Graph& graph);
std::string write_dot_graph(const Graph& graph);
std::string write_graphml(const Graph& graph);
std::string write_dimacs(const Graph& graph);
std::string write_undirected_dimacs(const Graph& graph);
std::string write_matrix_market(const Graph& graph);
std::string write_node_link(const Graph& graph);

/// Calls `visit` with the ends of every edge, by source, then by target.
template <typename Visit>
void for_each_edge(const Graph& graph, Visit visit) {
  for (Vertex from = 0; from < graph.size(); ++from) {
    for (Vertex to = 0; to < graph.size(); ++to) {
      if (graph.has_edge(from, to)) visit(from, to);
    }
  }
}
/// For a format whose vertices are 1 to n: lines that say how each is called, behind the word that
/// begins a comment; none where these are their names.
std::string comments_of_names(const Graph& graph, const std::string& comment);

/// A vertex of this name; `refuse` throws that the name is none. Errors: SizeLimit too.
Vertex add_named_vertex(Graph& graph, const std::string& name, std::string_view source,
                        const std::function<void(const std::string&)>& refuse);
/// The same of a part of this line.
Vertex add_named_vertex(Graph& graph, std::string_view name, const TextPlace& place);
/// Vertices 1 to n, where the field of this line is n.
Graph numbered_vertices(std::string_view field, const TextPlace& place);
/// The vertex of a graph of numbered_vertices that the field of this line is the number of.
Vertex numbered_vertex(const Graph& graph, std::string_view field, const TextPlace& place);
/// A count, as edges are announced: the digits of a number below 10^18. Errors: InputError.
std::size_t read_count(std::string_view field, const TextPlace& place);
/// Whether the fields of a line are those of an edge with data as Python's networkx writes them:
/// source, target, then a dictionary in braces, which may hold blanks.
bool is_edge_with_data(const std::vector<std::string_view>& fields);
/// A decimal number, with sign, point and exponent where it has them; nothing is rounded. Exponents
/// begin with one of these letters.
bool is_decimal(std::string_view field, std::string_view exponents = "eE");

}  // namespace logdepth::inline objects
