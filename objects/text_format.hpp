#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline objects {

/// The formats that a text is recognised as by what it begins with, whatever its file is called.
enum class TextFormat {
  // Graphs.
  edge_list,
  adjacency_list,
  multiline_adjacency_list,
  gml,
  dot,  ///< also an automaton
  graphml,
  gexf,
  dimacs,
  metis,
  matrix_market,
  pajek,
  graph6,
  sparse6,
  node_link,
  // Automata.
  jflap,
  mata,
  automaton_dictionary,
  fst,
  // Neither: named where they are refused.
  adjacency_matrix,
  adjacency_json,
  cytoscape_json,
  tree_json,
  other_json,
  other_xml,
  ucinet,
  leda,
  cnf,
  omega_automaton,
  timbuk,
  fst_binary,
  hfst_binary,
  foma_binary,
  zipped,
};

/// "Matrix Market", "a JFLAP file".
std::string_view name_of(TextFormat format);
/// The value of `--format` for a graph that is read in this format; empty for other formats.
std::string_view option_of(TextFormat format);
/// Of all formats that graphs are read in, in the order of the page.
std::vector<std::string> graph_format_options();
/// Errors: InputError naming the known ones.
TextFormat graph_format(const std::string& option);

/// What the first bytes say for certain: a banner, a keyword, the root of XML, keys of JSON.
std::optional<TextFormat> recognised(std::string_view text);
/// The same for a file that is to be a graph: also formats of bare numbers and names, where all
/// lines agree with what the first one announces (METIS, multiline adjacency lists).
std::optional<TextFormat> recognised_graph(std::string_view text);

/// Refuses the text of another format than this one of an automaton. Errors: InputError naming both
/// and what reads or converts the file.
void require_automaton_format(std::string_view text, const std::string& source, TextFormat wanted);
/// "; `--jff` reads it" or "; COMMAND converts it": what to do with a file of this format instead.
/// Empty where there is nothing to do.
std::string advice_for(TextFormat format, const std::string& source);

/// The text in UTF-8 without a byte order mark. Errors: InputError for UTF-16 and UTF-32, which are
/// named.
std::string_view without_byte_order_mark(std::string_view text, const std::string& source);

/// First line of an edge list that is one for certain: its words may be any, and it may have no
/// edge.
inline constexpr std::string_view kEdgeListLine = "# edge list";

}  // namespace logdepth::inline objects
