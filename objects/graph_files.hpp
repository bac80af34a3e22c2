#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/graph.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {

/// The graph in the text of a file. `source` names the file in messages. Its extension and its first
/// bytes say the format, and have to agree where both do; `format`, the value of `--format`, decides
/// instead of them:
///
/// - `.edges`, `.el`, `.edgelist`, and `.txt` unless the content is of another format: lines
///   `source target`, where what follows, a number as a weight or a dictionary `{...}` as networkx
///   writes it, is not used; lines from `#` or `%` are comments. Single vertices stand on lines before
///   or behind the edges. All edges have a weight, or a dictionary, or neither, one line at least is
///   an edge, and no word holds a comma or semicolon, unless the first line is `# edge list`.
/// - `.adjlist`, `.adj`: lines `source target target ...`, comments from `#`, as networkx writes them.
/// - `.gml`: GML, undirected unless it says `directed 1`; nodes are called by their label, without
///   one by their id.
/// - `.dot`, `.gv`: Graphviz DOT, `graph` or `digraph`.
/// - `.graphml`, `.xml`: GraphML, edges all directed or all undirected.
/// - `.gexf`, `.xml`: GEXF; nodes are called by their id.
/// - `.col`, `.gr`, `.dimacs`, `.max`: DIMACS, `p edge` and `p col` with undirected lines `e u v`,
///   `p sp` and `p max` with directed lines `a u v w`.
/// - `.metis`: METIS, undirected, with or without weights; `.g6`, `.d6`: graph6 and digraph6 of nauty,
///   vertices from 0.
/// - `.mtx`: a square Matrix Market coordinate matrix, where an entry that is not 0 is an edge from
///   its row to its column; `symmetric` is undirected.
/// - `.json`: the node-link dictionary of Python's networkx, undirected unless `directed` is true;
///   ids are strings, whole numbers or lists, which are called as Python's tuples; attributes are
///   not used.
///
/// Vertices are in order of first appearance, DIMACS and Matrix Market have 1 to n, and DOT has
/// them by name (numbers by value), because Boost's parser does not keep their order. An undirected
/// file gives both directions of each edge, and so does `undirected` for any file. Errors:
/// InputError with file, line where known and what was expected; SizeLimit for more than
/// Graph::max_vertices vertices.
Graph read_graph(const std::string& text, const std::string& source, bool undirected = false,
                 const std::optional<std::string>& format = std::nullopt);

/// The text of the graph in the format that the path ends in: `.edges`, `.txt`, `.dot`, `.graphml`,
/// `.gr` or `.col` (DIMACS, directed or undirected), `.mtx`, `.json`. The graph is written as a
/// directed one, except as `.col`; read_graph reads it back, without the names of vertices in
/// DIMACS and Matrix Market, where they stand in comments. Errors: InputError naming the path, also
/// when it has another ending or the format cannot say a name.
std::string write_graph(const Graph& graph, const std::string& path);

/// A batch of questions: lines `source target`, blank lines and lines from `#` skipped. Whether the
/// names are vertices is for the caller to ask. Errors: InputError with file and line.
std::vector<std::pair<std::string, std::string>> read_pairs(const std::string& text,
                                                            const std::string& source);

/// What the content says: as `recognised`, METIS, or as `recognised_by_lines`.
std::optional<TextFormat> recognised_graph(std::string_view text);

/// Of a line, between blanks.
using LineFields = std::vector<std::string_view>;

/// What read_graph chooses from, and what these readers share; errors as there.
/// `certain`: somebody says that it is one, so its words may be any and it may have no edge.
Graph read_edge_list(const std::string& text, const std::string& source, bool certain = false);
Graph read_adjacency_list(const std::string& text, const std::string& source);
Graph read_gml(const std::string& text, const std::string& source);
Graph read_dot_graph(const std::string& text, const std::string& source);
Graph read_graphml(const std::string& text, const std::string& source);
Graph read_gexf(const std::string& text, const std::string& source);
Graph read_dimacs(const std::string& text, const std::string& source);
Graph read_metis(const std::string& text, const std::string& source);
Graph read_graph6(const std::string& text, const std::string& source);
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
/// So many vertices, called by numbers from `first` on.
Graph graph_of_size(std::uint64_t vertices, std::uint64_t first, std::string_view source);
/// Vertices 1 to n, where the field of this line is n.
Graph numbered_vertices(std::string_view field, const TextPlace& place);
/// The vertex of a graph of numbered_vertices that the field of this line is the number of.
Vertex numbered_vertex(const Graph& graph, std::string_view field, const TextPlace& place);
/// A count, as edges are announced: the digits of a number below 10^18. Errors: InputError.
std::size_t read_count(std::string_view field, const TextPlace& place);
/// Whether the text is an edge list that begins as KONECT writes it.
bool is_konect(std::string_view text);
/// Whether the fields of a line are those of an edge with data as Python's networkx writes them:
/// source, target, then a dictionary in braces, which may hold blanks.
bool is_edge_with_data(const std::vector<std::string_view>& fields);
/// A decimal number, with sign, point and exponent where it has them; nothing is rounded. Exponents
/// begin with one of these letters.
bool is_decimal(std::string_view field, std::string_view exponents = "eE");

}}  // namespace logdepth::objects
