#include "objects/graph_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"

namespace logdepth::inline objects {

namespace {

using Reader = Graph (*)(const std::string&, const std::string&);

/// What follows the last point of the name, in lower case; empty without one.
std::string extension_of(const std::string& source) {
  const std::size_t name = source.find_last_of('/') + 1;  // npos + 1 is 0
  const std::size_t dot = source.find_last_of('.');
  if (dot == std::string::npos || dot < name) return "";
  std::string extension = source.substr(dot + 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Reader reader_of_extension(const std::string& source) {
  const std::string extension = extension_of(source);
  if (extension == "txt" || extension == "edges" || extension == "el" || extension == "edgelist") {
    return read_edge_list;
  }
  if (extension == "adjlist" || extension == "adj") return read_adjacency_list;
  if (extension == "gml") return read_gml;
  if (extension == "dot" || extension == "gv") return read_dot_graph;
  if (extension == "graphml" || extension == "xml") return read_graphml;
  if (extension == "col" || extension == "gr" || extension == "dimacs" || extension == "max") {
    return read_dimacs;
  }
  if (extension == "mtx") return read_matrix_market;
  if (extension == "json") return read_node_link;
  return nullptr;
}

using Writer = std::string (*)(const Graph&);
constexpr std::array<std::pair<std::string_view, Writer>, 8> kGraphWriters = {{
    {"edges", write_edge_list},
    {"txt", write_edge_list},
    {"dot", write_dot_graph},
    {"graphml", write_graphml},
    {"gr", write_dimacs},
    {"col", write_undirected_dimacs},
    {"mtx", write_matrix_market},
    {"json", write_node_link},
}};

/// Whether the text begins as a DOT graph does, after comments: strict? (di)graph name? {
bool begins_as_dot(const std::string& text) {
  std::size_t i = 0;
  std::string word;
  while (i < text.size()) {
    const auto character = static_cast<unsigned char>(text[i]);
    if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
    } else if (text[i] == '#' || text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (std::isalpha(character) != 0) {
      word += static_cast<char>(std::tolower(character));
      ++i;
      const bool ends = i == text.size() || std::isalnum(static_cast<unsigned char>(text[i])) == 0;
      if (!ends) continue;
      if (word == "graph" || word == "digraph") return text.find('{', i) != std::string::npos;
      if (word != "strict") return false;
      word.clear();
    } else if (std::isspace(character) != 0) {
      ++i;
    } else {
      return false;
    }
  }
  return false;
}

/// Whether some line begins the graph of a GML file; before it stand keys of the file and comments.
bool begins_as_gml(const std::string& text) {
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#') continue;
    if (fields[0] == "graph") return fields.size() == 1 || fields[1] == "[";
    if (fields[0] != "Creator" && fields[0] != "Version") return false;
  }
  return false;
}

/// Whether the first line that is no comment announces a DIMACS problem.
bool begins_as_dimacs(const std::string& text) {
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0] == "c") continue;
    return fields[0] == "p" && fields.size() == 4;
  }
  return false;
}

/// Whether every line could be of an edge list, and some line is an edge: a table with other
/// separators would be a list of isolated vertices.
bool looks_as_edge_list(const std::string& text) {
  bool has_edge = false;
  if (text.find('\0') != std::string::npos) return false;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#' || fields[0].front() == '%') continue;
    if (fields.size() > 3 && !is_edge_with_data(fields)) return false;
    has_edge = has_edge || fields.size() > 1;
  }
  return has_edge;
}

Reader reader_of_content(const std::string& text) {
  if (text.starts_with("%%MatrixMarket")) return read_matrix_market;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return read_edge_list;  // which says that there is no vertex
  if (text[first] == '<') return read_graphml;
  if (text[first] == '{' && text.find("\"nodes\"") != std::string::npos) return read_node_link;
  if (begins_as_dot(text)) return read_dot_graph;
  if (begins_as_gml(text)) return read_gml;
  if (begins_as_dimacs(text)) return read_dimacs;
  if (looks_as_edge_list(text)) return read_edge_list;
  return nullptr;
}

std::string without_byte_order_mark(const std::string& text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

}  // namespace

Graph read_graph(const std::string& file, const std::string& source, bool undirected) {
  const std::string text = without_byte_order_mark(file);
  Reader reader = reader_of_extension(source);
  if (reader == nullptr) reader = reader_of_content(text);
  if (reader == nullptr) {
    throw InputError(
        source +
        ": unknown format; expected an edge list (.edges, "
        ".txt), an adjacency list (.adjlist), DOT (.dot), GML (.gml), GraphML "
        "(.graphml), DIMACS (.col, .gr, .max), Matrix Market (.mtx) or node-link JSON (.json)");
  }
  Graph graph = reader(text, source);
  if (graph.size() == 0) {
    throw InputError(source + ": the graph has no vertices; expected at least one");
  }
  if (undirected) graph.make_undirected();
  return graph;
}

std::string write_graph(const Graph& graph, const std::string& path) {
  for (const auto& [extension, write] : kGraphWriters) {
    if (extension_of(path) != extension) continue;
    try {
      return write(graph);
    } catch (const InputError& error) {
      throw InputError(path + ": " + error.what());
    }
  }
  throw InputError(
      path +
      ": expected a name that ends in .edges, .txt, .dot, .graphml, .gr, .col, .mtx or .json");
}

std::vector<std::pair<std::string, std::string>> read_pairs(const std::string& file,
                                                            const std::string& source) {
  const std::string text = without_byte_order_mark(file);
  std::vector<std::pair<std::string, std::string>> pairs;
  std::size_t line_number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++line_number;
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#') continue;
    if (fields.size() != 2) {
      throw InputError(source, line_number,
                       "expected a line 'source target', found " + in_quotes(line));
    }
    pairs.emplace_back(fields[0], fields[1]);
  }
  return pairs;
}

Vertex add_named_vertex(Graph& graph, const std::string& name, const std::string& source,
                        std::size_t line) {
  try {
    return graph.add_vertex(name);
  } catch (const InputError& error) {
    if (line == 0) throw InputError(source + ": " + error.what());
    throw InputError(source, line, error.what());
  } catch (const SizeLimit& limit) {
    throw SizeLimit(source + ": " + limit.what());
  }
}

std::size_t read_count(std::string_view field, const std::string& source, std::size_t line) {
  if (field.empty() || field.find_first_not_of("0123456789") != std::string_view::npos ||
      field.size() > 18) {
    throw InputError(source, line,
                     "expected a number of at most 18 digits, found " + in_quotes(field));
  }
  return std::stoull(std::string(field));
}

std::string comments_of_names(const Graph& graph, const std::string& comment) {
  std::string text;
  bool numbers = true;
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    const std::string& name = graph.names()[vertex];
    numbers = numbers && name == std::to_string(vertex + 1);
    text += fmt::format("{} {} is {}\n", comment, vertex + 1, name);
  }
  return numbers ? "" : text;
}

Graph numbered_vertices(std::string_view field, const std::string& source, std::size_t line) {
  const std::size_t count = read_count(field, source, line);
  if (count > Graph::max_vertices) {
    throw SizeLimit(
        fmt::format("{}: the graph has {} vertices, more than {}, the limit; try a part of it",
                    source, count, Graph::max_vertices));
  }
  Graph graph;
  for (std::size_t vertex = 1; vertex <= count; ++vertex) graph.add_vertex(std::to_string(vertex));
  return graph;
}

Vertex numbered_vertex(const Graph& graph, std::string_view field, const std::string& source,
                       std::size_t line) {
  const std::size_t number = read_count(field, source, line);
  if (number == 0 || number > graph.size()) {
    throw InputError(
        source, line,
        fmt::format("expected a vertex from 1 to {}, found {}", graph.size(), in_quotes(field)));
  }
  return static_cast<Vertex>(number - 1);
}

bool is_edge_with_data(const std::vector<std::string_view>& fields) {
  return fields.size() >= 3 && fields[2].front() == '{' && fields.back().back() == '}';
}

bool is_decimal(std::string_view field) {
  std::size_t i = 0;
  const auto skip_sign = [&] {
    if (i < field.size() && (field[i] == '+' || field[i] == '-')) ++i;
  };
  const auto skip_digits = [&] {
    const std::size_t begin = i;
    while (i < field.size() && field[i] >= '0' && field[i] <= '9') ++i;
    return i - begin;
  };
  skip_sign();
  std::size_t digits = skip_digits();
  if (i < field.size() && field[i] == '.') {
    ++i;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (i < field.size() && (field[i] == 'e' || field[i] == 'E')) {
    ++i;
    skip_sign();
    if (skip_digits() == 0) return false;
  }
  return i == field.size();
}

}  // namespace logdepth::inline objects
