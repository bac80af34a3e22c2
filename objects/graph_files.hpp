#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/graph.hpp"

namespace logdepth::inline objects {

/// The graph in the text of a file. `source` names the file in messages. Its extension and its first
/// bytes say the format, and have to agree where both do; `format`, the value of `--format`, decides
/// instead of them:
///
/// - `.edges`, `.el`, `.edgelist`, and `.txt` unless the content is of another format: lines
///   `source target`, where what follows, a number as a weight or a dictionary `{...}` as networkx
///   writes it, is not used; lines from `#` or `%` are comments. Single vertices stand on lines before
///   or behind the edges. All edges have a weight, or a dictionary, or neither, one line at least is
///   an edge, and no word holds a comma or semicolon, unless the first line is `# edge list`.
/// - `.adjlist`, `.adj`: lines `source target target ...`, comments from `#`; or lines `vertex count`,
///   each with so many lines of a target behind it (`.multiline`), as networkx writes both.
/// - `.gml`: GML, undirected unless it says `directed 1`; nodes are called by their label, without
///   one by their id.
/// - `.dot`, `.gv`: Graphviz DOT, `graph` or `digraph`.
/// - `.graphml`, `.xml`: GraphML, edges all directed or all undirected.
/// - `.gexf`, `.xml`: GEXF; nodes are called by their id.
/// - `.col`, `.gr`, `.dimacs`, `.max`: DIMACS, `p edge` and `p col` with undirected lines `e u v`,
///   `p sp` and `p max` with directed lines `a u v w`.
/// - `.metis`: METIS, undirected, with or without weights; `.net`, `.paj`: Pajek, called by labels;
///   `.g6`, `.d6`, `.s6`: graph6, digraph6 and sparse6 of nauty, vertices from 0.
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

}  // namespace logdepth::inline objects
