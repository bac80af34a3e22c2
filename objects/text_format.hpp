#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {

/// A line of a file, for messages about what is in it.
struct TextPlace {
  std::string_view source;
  std::size_t line = 0;
  std::string_view text = {};

  InputError error(const std::string& sentence) const {
    return InputError(std::string(source), line, sentence);
  }
  /// With the column of a part of the line, in characters from 1 on; without one where it is no part.
  InputError error(std::string_view part, const std::string& sentence) const;
};

/// Calls `visit(place, fields)` with each line of the text and its fields between blanks; returns the
/// place of the last line.
template <typename Visit>
TextPlace for_each_line(std::string_view text, std::string_view source, Visit visit) {
  TextPlace place{source};
  for (const std::string_view line : lines_of(text)) {
    ++place.line;
    place.text = line;
    visit(place, fields_of(line));
  }
  return place;
}

/// The fields of a line of a table: between TABs where it has one, else between blanks; a comment, from `#`
/// or `%`, has its words. Errors: InputError for a field between TABs that is empty or, unless `blanks`,
/// holds a blank and is no dictionary `{...}`: words between blanks would be others.
std::vector<std::string_view> columns_of(const TextPlace& place, bool blanks = false);

/// As for_each_line, with the fields of columns_of.
template <typename Visit>
TextPlace for_each_row(std::string_view text, std::string_view source, Visit visit) {
  return for_each_line(
      text, source, [&](const TextPlace& place, const auto&) { visit(place, columns_of(place)); });
}

/// A message about what begins at this offset of the text.
InputError error_at(std::string_view text, std::string_view source, std::size_t offset,
                    const std::string& sentence);
/// A message about a part of the text.
inline InputError error_at(std::string_view text, std::string_view source, std::string_view part,
                           const std::string& sentence) {
  return error_at(text, source, static_cast<std::size_t>(part.data() - text.data()), sentence);
}

/// The formats that a text is recognised as by what it begins with, whatever its file is called.
enum class TextFormat {
  // Graphs.
  edge_list,
  adjacency_list,
  gml,
  dot,  ///< also an automaton
  graphml,
  gexf,
  dimacs,
  metis,
  matrix_market,
  graph6,
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
  graph_json,
  other_json,
  other_xml,
  ucinet,
  pajek,
  sparse6,
  leda,
  lgl,
  tgf,
  gdf,
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
/// For a file that is to be a graph: formats of bare numbers and names, where all lines agree with what the
/// first one announces (matrices) or comments have a meaning (TGF, LGL).
std::optional<TextFormat> recognised_by_lines(std::string_view text);

/// Refuses the text of another format than this one of an automaton. Errors: InputError naming both
/// and what reads or converts the file.
void require_automaton_format(std::string_view text, const std::string& source, TextFormat wanted);
/// "; `--jff` reads it" or "; COMMAND converts it": what to do with a file of this format instead.
/// Empty where there is nothing to do.
std::string advice_for(TextFormat format, const std::string& source);

/// The text in UTF-8 without a byte order mark. Errors: InputError for UTF-16 and UTF-32, which are
/// named, and for several lines that end in carriage returns alone.
std::string_view without_byte_order_mark(std::string_view text, const std::string& source);

/// First line of an edge list that is one for certain: its words may be any, and it may have no
/// edge.
inline constexpr std::string_view kEdgeListLine = "# edge list";

/// The character that a text begins with as an entity, "&#233;", "&#xE9;" or "&amp;", and how long that is:
/// the five names of XML, and with `greek` those that stand for epsilon. Length 0 where it begins with none.
std::pair<char32_t, std::size_t> entity_at(std::string_view text, bool greek = false);

/// What tools write into labels beside letters.

/// A spelling of epsilon that is nobody's letter: `<eps>` of OpenFst, `<epsilon>`, `@0@` and
/// `@_EPSILON_SYMBOL_@` of HFST and foma.
bool is_epsilon_symbol(std::string_view label);
/// A word or character that people write for epsilon, and that could be a letter too: eps, epsilon
/// (pyformlang), the Greek letters epsilon and lambda (JFLAP shows one of them).
bool is_epsilon_word(std::string_view label);
/// What a symbol of HFST and foma stands for that is no letter, as "any letter that the automaton
/// does not name" or "a flag"; absent for other labels.
std::optional<std::string> special_symbol(std::string_view label);

}}  // namespace logdepth::objects
