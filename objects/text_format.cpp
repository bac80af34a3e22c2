#include "objects/text_format.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <set>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// Characters, which are bytes that continue none.
std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Where the first semicolon is that is not quoted.
std::size_t advice_of(std::string_view sentence) {
  bool quoted = false;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const bool begins =
        i == 0 || std::string_view(" (").find(sentence[i - 1]) != std::string_view::npos;
    if (sentence[i] == '\'')
      quoted = quoted ? false : begins;
    else if (sentence[i] == ';' && !quoted)
      return i;
  }
  return sentence.size();
}

}  // namespace

/// The sentence of a message with a column in it: at its end, or before the advice after a semicolon.
std::string with_column(const std::string& sentence, std::size_t column) {
  const std::size_t end = advice_of(sentence);
  return sentence.substr(0, end) + fmt::format(", at column {}", column) + sentence.substr(end);
}

InputError TextPlace::error(std::string_view part, const std::string& sentence) const {
  const std::less_equal<const char*> before;
  const bool inside = before(text.data(), part.data()) &&
                      before(part.data(), text.data() + text.size()) && part.data() != nullptr;
  if (!inside) return error(sentence);
  const std::string_view left = text.substr(0, static_cast<std::size_t>(part.data() - text.data()));
  return error(with_column(sentence, characters_of(left) + 1));
}

std::vector<std::string_view> columns_of(const TextPlace& place, bool blanks) {
  const std::string_view line = place.text;
  const std::size_t begin = line.find_first_not_of(" \t");
  const bool words = begin == std::string_view::npos || line[begin] == '#' || line[begin] == '%';
  if (words || line.find('\t') == std::string_view::npos) return fields_of(line);
  std::vector<std::string_view> columns;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    std::string_view column = line.substr(at, end - at);
    const auto inside = fields_of(column);
    if (inside.empty())
      throw place.error(column,
                        std::string("expected a word in every column between TABs, found ") +
                            (column.empty() ? "an empty one" : "a blank"));
    column = column.substr(static_cast<std::size_t>(inside.front().data() - column.data()));
    column = column.substr(0, column.find_last_not_of(' ') + 1);
    if (inside.size() > 1 && !blanks && column.front() != '{')
      throw place.error(
          column, "expected columns between TABs without blanks, found " + in_quotes(column) +
                      "; 'tr \" \" _' makes it a word, and 'tr \"\\t\" \" \"' makes blanks and "
                      "TABs the same");
    columns.push_back(column);
    at = end + 1;
  }
  return columns;
}

InputError error_at(std::string_view text, std::string_view source, std::size_t offset,
                    const std::string& sentence) {
  const std::string_view left = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::ranges::count(left, '\n')) + 1;
  const std::size_t begin = left.rfind('\n') + 1;  // 0 without one
  return InputError(std::string(source), line,
                    with_column(sentence, characters_of(left.substr(begin)) + 1));
}

namespace {

struct FormatRecord {
  TextFormat format;
  std::string_view option;  ///< of --format, of graphs that are read
  std::string_view name;
  std::string_view advice;  ///< FILE stands for the file
};

constexpr std::array kFormats = {
    FormatRecord{TextFormat::edge_list, "edges", "an edge list", "--graph reads it"},
    FormatRecord{TextFormat::adjacency_list, "adjlist", "an adjacency list", "--graph reads it"},
    FormatRecord{TextFormat::gml, "gml", "GML", "--graph reads it"},
    FormatRecord{TextFormat::dot, "dot", "Graphviz DOT", "--graph and --dot read it"},
    FormatRecord{TextFormat::graphml, "graphml", "GraphML", "--graph reads it"},
    FormatRecord{TextFormat::gexf, "gexf", "GEXF", "--graph reads it"},
    FormatRecord{TextFormat::dimacs, "dimacs", "DIMACS", "--graph reads it"},
    FormatRecord{TextFormat::metis, "metis", "METIS", "--graph reads it"},
    FormatRecord{TextFormat::matrix_market, "matrix-market", "Matrix Market", "--graph reads it"},
    FormatRecord{TextFormat::graph6, "graph6", "graph6", "--graph reads it"},
    FormatRecord{TextFormat::node_link, "node-link", "node-link JSON", "--graph reads it"},
    FormatRecord{TextFormat::jflap, "", "a JFLAP file", "--jff reads it"},
    FormatRecord{TextFormat::mata, "", "a Mata file", "--mata reads it"},
    FormatRecord{TextFormat::automaton_dictionary, "", "a JSON dictionary of an automaton",
                 "--json-automaton reads it"},
    FormatRecord{TextFormat::fst, "", "an OpenFst text", "--fst reads it"},
    FormatRecord{TextFormat::adjacency_matrix, "", "an adjacency matrix",
                 "'python3 -c \"import numpy, networkx as nx; nx.write_graphml(nx.from_numpy_array("
                 "numpy.loadtxt(\\\"FILE\\\"), create_using=nx.DiGraph), "
                 "\\\"graph.graphml\\\")\"' converts it"},
    FormatRecord{TextFormat::adjacency_json, "", "adjacency JSON",
                 "'python3 -c \"import json, networkx as nx; "
                 "print(json.dumps(nx.node_link_data(nx.adjacency_graph(json.load(open("
                 "\\\"FILE\\\"))))))\" > graph.json' converts it"},
    FormatRecord{TextFormat::cytoscape_json, "", "Cytoscape JSON",
                 "'python3 -c \"import json, networkx as nx; "
                 "print(json.dumps(nx.node_link_data(nx.cytoscape_graph(json.load(open("
                 "\\\"FILE\\\"))))))\" > graph.json' converts it"},
    FormatRecord{TextFormat::tree_json, "", "tree JSON",
                 "'python3 -c \"import json, networkx as nx; "
                 "print(json.dumps(nx.node_link_data(nx.tree_graph(json.load(open("
                 "\\\"FILE\\\"))))))\" > graph.json' converts it"},
    FormatRecord{TextFormat::graph_json, "", "JSON Graph Format", ""},
    FormatRecord{TextFormat::other_json, "", "JSON of another kind", ""},
    FormatRecord{TextFormat::other_xml, "", "XML of another kind", ""},
    FormatRecord{TextFormat::ucinet, "", "UCINET DL",
                 "'python3 -c \"import igraph; igraph.Graph.Read_DL(\\\"FILE\\\").write_graphml("
                 "\\\"graph.graphml\\\")\"' converts it"},
    FormatRecord{TextFormat::pajek, "", "Pajek",
                 "'python3 -c \"import networkx as nx; nx.write_graphml(nx.DiGraph(nx.read_pajek("
                 "\\\"FILE\\\")), \\\"graph.graphml\\\")\"' converts it"},
    FormatRecord{TextFormat::sparse6, "", "sparse6",
                 "'python3 -c \"import networkx as nx; nx.write_graphml(nx.Graph(nx.read_sparse6("
                 "\\\"FILE\\\")), \\\"graph.graphml\\\")\"' converts it"},
    FormatRecord{TextFormat::leda, "", "LEDA",
                 "'python3 -c \"import networkx as nx; nx.write_graphml(nx.read_leda("
                 "\\\"FILE\\\"), \\\"graph.graphml\\\")\"' converts it"},
    FormatRecord{TextFormat::lgl, "", "LGL",
                 "'python3 -c \"import igraph; igraph.Graph.Read_Lgl(\\\"FILE\\\", directed=False)"
                 ".write_graphml(\\\"graph.graphml\\\")\"' converts it"},
    FormatRecord{TextFormat::tgf, "", "TGF, the trivial graph format",
                 "'awk \"/^#/ {edges = 1; next} {print \\$1, (edges ? \\$2 : \\\"\\\")}\" FILE > "
                 "graph.edges' converts it"},
    FormatRecord{TextFormat::gdf, "", "GDF, which Gephi reads and saves as GEXF", ""},
    FormatRecord{TextFormat::cnf, "", "DIMACS CNF, a formula", ""},
    FormatRecord{TextFormat::omega_automaton, "", "HOA, an automaton of infinite words", ""},
    FormatRecord{TextFormat::timbuk, "", "Timbuk, a tree automaton", ""},
    FormatRecord{TextFormat::fst_binary, "", "a binary file of OpenFst",
                 "'fstprint FILE > automaton.fst' converts it"},
    FormatRecord{TextFormat::hfst_binary, "", "a binary file of HFST",
                 "'hfst-fst2txt FILE -o automaton.fst' converts it"},
    FormatRecord{TextFormat::foma_binary, "", "a binary file of foma",
                 "'foma -e \"load stack FILE\" -e \"write att automaton.fst\" -s' converts it"},
    FormatRecord{TextFormat::zipped, "", "a zip archive", "'unzip FILE' unpacks it"},
};

const FormatRecord& record_of(TextFormat format) {
  return *std::ranges::find(kFormats, format, &FormatRecord::format);
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t after_space(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

/// Where the DOT text goes on behind white space and comments.
std::size_t after_dot_comments(std::string_view text, std::size_t at) {
  while (true) {
    at = after_space(text, at);
    if (at >= text.size()) return text.size();
    if (text.substr(at).starts_with("/*")) {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (text[at] == '#' || text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      return at;
    }
  }
}

/// Whether the text begins as a DOT graph does: strict? (di)graph name? {
bool begins_as_dot(std::string_view text) {
  std::size_t at = 0;
  const auto word = [&] {
    at = after_dot_comments(text, at);
    const std::size_t begin = at;
    while (at < text.size() && is_word_character(text[at])) ++at;
    return lower_case(text.substr(begin, at - begin));
  };
  std::string keyword = word();
  if (keyword == "strict") keyword = word();
  if (keyword != "graph" && keyword != "digraph") return false;
  at = after_dot_comments(text, at);
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
    ++at;
  } else {
    while (at < text.size() && (is_word_character(text[at]) || text[at] == '.' || text[at] == '-'))
      ++at;
  }
  at = after_dot_comments(text, std::min(at, text.size()));
  return at < text.size() && text[at] == '{';
}

/// Whether the graph of a GML file begins behind keys of the file and comments.
bool begins_as_gml(std::string_view text) {
  bool in_graph = false;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#') continue;
    if (in_graph) return fields[0].front() == '[';
    if (fields[0] == "graph[") return true;
    if (fields[0] == "graph" && fields.size() > 1) return fields[1].front() == '[';
    in_graph = fields[0] == "graph";
    if (!in_graph && lower_case(fields[0]) != "creator" && lower_case(fields[0]) != "version")
      return false;
  }
  return false;
}

/// The first line that is no comment, where one letter before words begins those.
std::optional<TextFormat> dimacs_of(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0] == "c") continue;
    if (fields[0] != "p" || fields.size() < 4) return std::nullopt;
    if (!std::all_of(fields.begin() + 2, fields.end(), whole_number)) return std::nullopt;
    return fields[1] == "cnf" ? TextFormat::cnf : TextFormat::dimacs;
  }
  return std::nullopt;
}

bool begins_as_pajek(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '%') continue;
    const std::string word = lower_case(fields[0]);
    return word == "*network" || word == "*vertices";
  }
  return false;
}

bool begins_as_ucinet(std::string_view text) {
  const std::string begin = lower_case(text.substr(0, 200));
  return begin.size() > 2 && begin.starts_with("dl") &&
         std::isspace(static_cast<unsigned char>(begin[2])) != 0 &&
         begin.find('=') != std::string::npos;
}

/// The root element behind declarations and comments; empty where there is none.
std::string root_of_xml(std::string_view text) {
  std::size_t at = text.find('<');
  while (at != std::string_view::npos && at + 1 < text.size()) {
    if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at + 4);
    } else if (text[at + 1] != '?' && text[at + 1] != '!') {
      std::size_t end = at + 1;
      while (end < text.size() && (is_word_character(text[end]) || text[end] == ':')) ++end;
      const std::string_view name = text.substr(at + 1, end - at - 1);
      const std::size_t prefix = name.find(':');
      return std::string(prefix == std::string_view::npos ? name : name.substr(prefix + 1));
    }
    if (at != std::string_view::npos) at = text.find('<', at + 1);
  }
  return "";
}

/// The keys of the object that the JSON text begins with, as far as it is one.
std::set<std::string> keys_of_json(std::string_view text) {
  std::set<std::string> keys;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth-- == 1) return keys;
    if (c != '"') continue;
    const std::size_t begin = at + 1;
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
    if (at >= text.size()) return keys;
    const std::size_t behind = after_space(text, at + 1);
    if (depth == 1 && behind < text.size() && text[behind] == ':')
      keys.emplace(text.substr(begin, at - begin));
  }
  return keys;
}

TextFormat json_of(std::string_view text) {
  const std::set<std::string> keys = keys_of_json(text);
  if (keys.contains("input_symbols") || keys.contains("initial_state") ||
      keys.contains("final_states") || (keys.contains("states") && keys.contains("transitions")))
    return TextFormat::automaton_dictionary;
  if (keys.contains("nodes") && keys.contains("adjacency")) return TextFormat::adjacency_json;
  if (keys.contains("nodes")) return TextFormat::node_link;
  if (keys.contains("elements")) return TextFormat::cytoscape_json;
  if (keys.contains("children") && keys.contains("id")) return TextFormat::tree_json;
  if (keys.contains("graphs") ||
      (keys.contains("graph") && !keys.contains("edges") && !keys.contains("links")))
    return TextFormat::graph_json;
  return TextFormat::other_json;
}

/// Whether what follows a bracket could be JSON, and not the name of a vertex.
bool begins_as_json(std::string_view text) {
  const std::size_t next = after_space(text, 1);
  if (next >= text.size()) return false;
  if (text[0] == '{') return text[next] == '"' || (text[next] == '}' && next + 1 == text.size());
  return text[0] == '[' && std::string_view("{[\"").find(text[next]) != std::string_view::npos;
}

/// What lines of TGF and LGL would be as edges: in TGF the one comment is '#' alone between vertices and
/// edges; LGL has vertices behind '#', some of them among the neighbours below, which may have weights.
std::optional<TextFormat> comments_as_structure(std::string_view text) {
  std::set<std::string_view> vertices, neighbours;
  std::size_t comments = 0, lines = 0, lines_before = 0;
  bool alone = false, lgl = true;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty()) continue;
    if (fields[0].front() == '#') {
      alone = line == "#";
      lgl = lgl && fields[0] == "#" && fields.size() == 2;
      if (lgl) vertices.insert(fields[1]);
      if (comments++ == 0) lines_before = lines;
      continue;
    }
    lgl = lgl && comments > 0 && fields.size() <= 2;
    if (lgl && fields.size() == 2)
      lgl = fields[1].find_first_not_of("0123456789+-.eE") == std::string_view::npos;
    if (lgl) neighbours.insert(fields[0]);
    ++lines;
  }
  if (comments == 1 && alone && lines_before > 0) return TextFormat::tgf;
  const bool shared = std::ranges::any_of(
      vertices, [&](std::string_view vertex) { return neighbours.contains(vertex); });
  return lgl && comments > 1 && shared ? std::optional(TextFormat::lgl) : std::nullopt;
}

/// Whether n lines, at least three, have n times 0 or 1.
bool fits_matrix(std::string_view text) {
  std::size_t rows = 0, columns = 0;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty()) continue;
    if (rows++ == 0) columns = fields.size();
    if (columns < 3 || fields.size() != columns || rows > columns) return false;
    for (const std::string_view field : fields)
      if (field != "0" && field != "1") return false;
  }
  return columns >= 3 && rows == columns;
}

}  // namespace

std::string_view name_of(TextFormat format) {
  return record_of(format).name;
}

std::string_view option_of(TextFormat format) {
  return record_of(format).option;
}

std::vector<std::string> graph_format_options() {
  std::vector<std::string> options;
  for (const FormatRecord& record : kFormats)
    if (!record.option.empty()) options.emplace_back(record.option);
  return options;
}

TextFormat graph_format(const std::string& option) {
  for (const FormatRecord& record : kFormats)
    if (!option.empty() && record.option == option) return record.format;
  throw InputError("--format: expected one of " + joined(graph_format_options()) + ", found " +
                   in_quotes(option));
}

std::optional<TextFormat> recognised(std::string_view text) {
  if (text.starts_with("\xD6\xFD\xB2\x7E")) return TextFormat::fst_binary;
  if (text.starts_with(std::string_view("HFST\0", 5))) return TextFormat::hfst_binary;
  if (text.starts_with("##foma-net")) return TextFormat::foma_binary;
  if (text.starts_with("PK\x03\x04")) return TextFormat::zipped;
  if (lower_case(text.substr(0, 14)) == "%%matrixmarket") return TextFormat::matrix_market;
  if (text.starts_with(kEdgeListLine)) return TextFormat::edge_list;
  if (text.starts_with(">>graph6<<") || text.starts_with(">>digraph6<<")) return TextFormat::graph6;
  if (text.starts_with(">>sparse6<<")) return TextFormat::sparse6;
  const std::string_view rest = text.substr(after_space(text, 0));
  if (rest.empty()) return std::nullopt;
  if (rest.front() == '<' && rest.size() > 1 &&
      (std::isalpha(static_cast<unsigned char>(rest[1])) != 0 || rest[1] == '?' ||
       rest[1] == '!')) {
    const std::string root = root_of_xml(rest);
    if (root == "graphml") return TextFormat::graphml;
    if (root == "gexf") return TextFormat::gexf;
    if (root == "structure") return TextFormat::jflap;
    const bool document = rest.find("/>") != std::string_view::npos ||
                          rest.find("</") != std::string_view::npos || rest[1] == '?';
    if (document) return TextFormat::other_xml;
  }
  if (begins_as_json(rest)) return json_of(rest);
  if (rest.starts_with("@NFA") || rest.starts_with("@DFA") || rest.starts_with("@AFA"))
    return TextFormat::mata;
  if (rest.starts_with("LEDA.GRAPH")) return TextFormat::leda;
  if (rest.starts_with("nodedef>")) return TextFormat::gdf;
  if (rest.starts_with("HOA:")) return TextFormat::omega_automaton;
  if (rest.starts_with("Ops ") && rest.find("Automaton") != std::string_view::npos)
    return TextFormat::timbuk;
  if (begins_as_ucinet(rest)) return TextFormat::ucinet;
  if (begins_as_dot(rest)) return TextFormat::dot;
  if (begins_as_gml(rest)) return TextFormat::gml;
  if (begins_as_pajek(rest)) return TextFormat::pajek;
  return dimacs_of(rest);
}

std::optional<TextFormat> recognised_by_lines(std::string_view text) {
  if (const auto format = comments_as_structure(text)) return format;
  if (fits_matrix(text)) return TextFormat::adjacency_matrix;
  return std::nullopt;
}

std::string advice_for(TextFormat format, const std::string& source) {
  std::string advice(record_of(format).advice);
  if (advice.empty()) return "";
  for (std::size_t at = advice.find("FILE"); at != std::string::npos;
       at = advice.find("FILE", at)) {
    const std::string word = shell_word(printable(source));
    advice.replace(at, 4, word);
    at += word.size();
  }
  return "; " + advice;
}

void require_automaton_format(std::string_view text, const std::string& source, TextFormat wanted) {
  const auto format = recognised(text);
  if (!format || *format == wanted) return;
  // The reader has its own sentence for JSON and XML that could be of its kind.
  if (wanted == TextFormat::automaton_dictionary && *format == TextFormat::other_json) return;
  if (wanted == TextFormat::jflap && *format == TextFormat::other_xml) return;
  throw InputError(fmt::format("{}: the content is {}; expected {}{}", source, name_of(*format),
                               name_of(wanted), advice_for(*format, source)));
}

std::string_view without_byte_order_mark(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) return text.substr(3);
  const char* encoding = nullptr;
  if (text.starts_with(std::string_view("\xFF\xFE\0\0", 4)) ||
      text.starts_with(std::string_view("\0\0\xFE\xFF", 4)))
    encoding = "UTF-32";
  else if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    encoding = "UTF-16";
  const std::size_t end = text.find_first_of("\r\n");
  if (encoding == nullptr && end < text.size() && text.find('\n') == std::string_view::npos &&
      text.find_first_not_of(" \t\r", end) != std::string_view::npos)
    throw InputError(
        fmt::format("{}: lines end in carriage returns alone; expected line feeds; 'tr \"\\r\" "
                    "\"\\n\" < {}' converts it",
                    source, shell_word(printable(source))));
  if (encoding == nullptr) return text;
  throw InputError(
      fmt::format("{}: the text is {}; expected UTF-8; 'iconv -f {} -t UTF-8 {}' "
                  "converts it",
                  source, encoding, encoding, shell_word(printable(source))));
}

std::pair<char32_t, std::size_t> entity_at(std::string_view text, bool greek) {
  using Named = std::pair<std::string_view, char32_t>;
  constexpr std::array names = {
      Named{"amp", '&'},      Named{"quot", '"'},      Named{"lt", '<'},     Named{"gt", '>'},
      Named{"apos", '\''},    Named{"epsilon", 0x3B5}, Named{"epsi", 0x3B5}, Named{"epsiv", 0x3F5},
      Named{"lambda", 0x3BB}, Named{"empty", 0x2205}};
  constexpr std::size_t longest = 12;
  const std::size_t end =
      text.starts_with('&') ? text.substr(0, longest).find(';') : std::string_view::npos;
  if (end == std::string_view::npos || end < 3) return {0, 0};
  const std::string_view name = text.substr(1, end - 1);
  for (std::size_t i = 0; i < (greek ? names.size() : 5); ++i)
    if (names[i].first == name) return {names[i].second, end + 1};
  const bool hexadecimal = name[1] == 'x' || name[1] == 'X';
  const char* const last = name.data() + name.size();
  std::uint32_t character = 0;
  const auto [next, error] =
      std::from_chars(name.data() + (hexadecimal ? 2 : 1), last, character, hexadecimal ? 16 : 10);
  const bool known = name[0] == '#' && error == std::errc() && next == last && character > 0 &&
                     character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF);
  return known ? std::pair(char32_t{character}, end + 1) : std::pair(char32_t{0}, std::size_t{0});
}

bool is_epsilon_symbol(std::string_view label) {
  constexpr std::array<std::string_view, 4> symbols = {"<eps>", "<epsilon>", "@0@",
                                                       "@_EPSILON_SYMBOL_@"};
  return std::ranges::find(symbols, label) != symbols.end();
}

bool is_epsilon_word(std::string_view label) {
  constexpr std::array<std::string_view, 6> words = {"eps",      "epsilon",  "\xCE\xB5",
                                                     "\xCF\xB5", "\xC9\x9B", "\xCE\xBB"};
  return std::ranges::find(words, label) != words.end();
}

std::optional<std::string> special_symbol(std::string_view label) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> symbols = {{
      {"@_UNKNOWN_SYMBOL_@", "any letter that the automaton does not name"},
      {"@_IDENTITY_SYMBOL_@", "any letter that the automaton does not name"},
      {"@_DEFAULT_SYMBOL_@", "any letter that no other arc of the state has"},
      {"@_SPACE_@", "a blank, which is no letter here"},
      {"@_TAB_@", "a tab, which is no letter here"},
      {"@_COLON_@", "a colon"},
  }};
  for (const auto& [symbol, meaning] : symbols)
    if (label == symbol) return meaning;
  const bool flag = label.size() > 4 && label.front() == '@' && label.back() == '@' &&
                    std::string_view("PNRDCUE").find(label[1]) != std::string_view::npos &&
                    label[2] == '.';
  return flag ? std::optional<std::string>("a flag, which restricts paths") : std::nullopt;
}

}}  // namespace logdepth::objects
