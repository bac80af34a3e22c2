#include "objects/graph_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
namespace {

/// What follows the last point of the name, in lower case; empty without one.
std::string extension_of(std::string source) {
  if (source.ends_with(".gz")) source.resize(source.size() - 3);
  const std::size_t name = source.find_last_of('/') + 1;  // npos + 1 is 0
  const std::size_t dot = source.find_last_of('.');
  if (dot == std::string::npos || dot < name) return "";
  return lower_case(source.substr(dot + 1));
}

/// The formats that a name of this ending has, the usual one first; empty without a known ending.
/// In `.txt` there is an edge list or whatever the content says.
std::vector<TextFormat> formats_of_extension(const std::string& extension) {
  using enum TextFormat;
  static const std::map<std::string, std::vector<TextFormat>> formats = {
      {"edges", {edge_list}},
      {"el", {edge_list}},
      {"edgelist", {edge_list}},
      {"adjlist", {adjacency_list}},
      {"adj", {adjacency_list}},
      {"gml", {gml}},
      {"dot", {dot}},
      {"gv", {dot}},
      {"graphml", {graphml}},
      {"gexf", {gexf}},
      {"xml", {graphml, gexf}},
      {"col", {dimacs}},
      {"gr", {dimacs}},
      {"dimacs", {dimacs}},
      {"max", {dimacs}},
      {"metis", {metis}},
      {"mtx", {matrix_market}},
      {"g6", {graph6}},
      {"graph6", {graph6}},
      {"d6", {graph6}},
      {"json", {node_link}},
  };
  const auto found = formats.find(extension);
  return found == formats.end() ? std::vector<TextFormat>{} : found->second;
}

using Reader = Graph (*)(const std::string& text, const std::string& source);
constexpr std::array<std::pair<TextFormat, Reader>, 10> kGraphReaders = {{
    {TextFormat::adjacency_list, read_adjacency_list},
    {TextFormat::gml, read_gml},
    {TextFormat::dot, read_dot_graph},
    {TextFormat::graphml, read_graphml},
    {TextFormat::gexf, read_gexf},
    {TextFormat::dimacs, read_dimacs},
    {TextFormat::metis, read_metis},
    {TextFormat::matrix_market, read_matrix_market},
    {TextFormat::graph6, read_graph6},
    {TextFormat::node_link, read_node_link},
}};

/// `certain`: the content or somebody says that it is this format.
Graph read_as(TextFormat format, const std::string& text, const std::string& source, bool certain) {
  if (format == TextFormat::edge_list) return read_edge_list(text, source, certain);
  for (const auto& [read_format, read] : kGraphReaders)
    if (read_format == format) return read(text, source);
  throw InputError(fmt::format("{}: the content is {}; expected a graph{}", source, name_of(format),
                               advice_for(format, source)));
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

/// Whether every line could be of an edge list, and some line is an edge: a table with other
/// separators would be a list of isolated vertices.
bool looks_as_edge_list(const std::string& text) {
  bool has_edge = false;
  if (text.find('\0') != std::string::npos) return false;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '#' || fields[0].front() == '%') continue;
    if (fields.size() > (is_konect(text) ? 4u : 3u) && !is_edge_with_data(fields)) return false;
    has_edge = has_edge || fields.size() > 1;
  }
  return has_edge;
}

/// Whether the first line that is no comment of METIS has numbers alone.
bool begins_with_numbers(const std::string& text) {
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line);
    if (fields.empty() || fields[0].front() == '%') continue;
    return std::ranges::all_of(fields, [](auto field) { return whole_number(field).has_value(); });
  }
  return false;
}

/// Whether the whole text is METIS with an edge: lists of other formats do not have the sums.
bool fits_metis(std::string_view text) {
  try {
    return read_metis(std::string(text), "").edge_count() > 0;
  } catch (const std::runtime_error&) {  // InputError or SizeLimit
    return false;
  }
}

/// JSON and XML of an unknown kind are refused by the reader of the format that the name implies.
bool agree(const std::vector<TextFormat>& named, TextFormat content) {
  if (std::ranges::find(named, content) != named.end()) return true;
  const TextFormat usual = named.front();
  return (content == TextFormat::other_json && usual == TextFormat::node_link) ||
         (content == TextFormat::other_xml &&
          (usual == TextFormat::graphml || usual == TextFormat::gexf));
}

Graph read_by_name_and_content(const std::string& text, const std::string& source) {
  const std::vector<TextFormat> named = formats_of_extension(extension_of(source));
  const auto content = recognised_graph(text);
  if (content && !named.empty() && !agree(named, *content)) {
    if (option_of(*content).empty())
      throw InputError(
          fmt::format("{}: the name implies {} and the content is {}; expected a graph{}", source,
                      name_of(named.front()), name_of(*content), advice_for(*content, source)));
    throw InputError(
        fmt::format("{}: the name implies {} and the content is {}; expected one format, "
                    "or --format {} or --format {}",
                    source, name_of(named.front()), name_of(*content), option_of(named.front()),
                    option_of(*content)));
  }
  if (content && std::ranges::find(named, *content) != named.end())
    return read_as(*content, text, source, true);
  if (!named.empty()) return read_as(named.front(), text, source, false);
  if (content) return read_as(*content, text, source, true);
  if (extension_of(source) == "graph" && begins_with_numbers(text)) {
    try {
      return read_metis(text, source);
    } catch (const InputError& error) {
      throw InputError(std::string(error.what()) +
                       "; a file .graph that begins with numbers is read as METIS, and "
                       "--format edges reads an edge list");
    }
  }
  // An empty file is a list without vertices, which the caller says.
  const bool empty = text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (empty || extension_of(source) == "txt" || looks_as_edge_list(text))
    return read_edge_list(text, source);
  throw InputError(source +
                   ": unknown format; expected an edge list (.edges, .txt), an adjacency list "
                   "(.adjlist), DOT (.dot), GML (.gml), GraphML (.graphml), GEXF (.gexf), DIMACS "
                   "(.col, .gr, .max), METIS (.metis), Matrix Market (.mtx), graph6 (.g6) "
                   "or node-link JSON (.json)");
}

}  // namespace

std::optional<TextFormat> recognised_graph(std::string_view text) {
  if (const auto format = recognised(text)) return format;
  return fits_metis(text) ? TextFormat::metis : recognised_by_lines(text);
}

Graph read_graph(const std::string& file, const std::string& source, bool undirected,
                 const std::optional<std::string>& format) {
  const std::string text(without_byte_order_mark(file, source));
  Graph graph = format ? read_as(graph_format(*format), text, source, true)
                       : read_by_name_and_content(text, source);
  if (graph.size() == 0) {
    throw InputError(source + ": the graph has no vertices; expected at least one");
  }
  if (undirected) graph.make_undirected();
  return graph;
}

std::string write_graph(const Graph& graph, const std::string& path) {
  for (const auto& [extension, write] : kGraphWriters) {
    if (path.ends_with(".gz") || extension_of(path) != extension) continue;
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
  const std::string_view text = without_byte_order_mark(file, source);
  std::vector<std::pair<std::string, std::string>> pairs;
  for_each_line(text, source, [&](const TextPlace& place, const auto&) {
    const auto fields = columns_of(place, true);
    if (fields.empty() || fields[0].front() == '#') return;
    if (fields.size() != 2)
      throw place.error(fields[fields.size() == 1 ? 0 : 2],
                        "expected a line 'source target', found " + in_quotes(place.text));
    pairs.emplace_back(fields[0], fields[1]);
  });
  return pairs;
}

Vertex add_named_vertex(Graph& graph, const std::string& name, std::string_view source,
                        const std::function<void(const std::string&)>& refuse) {
  try {
    return graph.add_vertex(name);
  } catch (const InputError& error) {
    refuse(error.what());
    throw;
  } catch (const SizeLimit& limit) {
    throw SizeLimit(fmt::format("{}: {}", source, limit.what()));
  }
}

Vertex add_named_vertex(Graph& graph, std::string_view name, const TextPlace& place) {
  if (holds_unseen(name))
    throw place.error(name,
                      "expected a name without white space beyond ASCII and characters without "
                      "a width, found " +
                          in_quotes(name));
  return add_named_vertex(graph, std::string(name), place.source,
                          [&](const std::string& sentence) { throw place.error(name, sentence); });
}

std::size_t read_count(std::string_view field, const TextPlace& place) {
  if (field.empty() || field.find_first_not_of("0123456789") != std::string_view::npos ||
      field.size() > 18) {
    throw place.error(field, "expected a number of at most 18 digits, found " + in_quotes(field));
  }
  const std::uint64_t count = std::stoull(std::string(field));
  if (!std::in_range<std::size_t>(count))
    throw SizeLimit(place.error(field, "this machine cannot count so many").what());
  return static_cast<std::size_t>(count);
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

Graph graph_of_size(std::uint64_t vertices, std::uint64_t first, std::string_view source) {
  if (vertices > Graph::max_vertices)
    throw SizeLimit(
        fmt::format("{}: the graph has {} vertices, more than {}, the limit; try a part of it",
                    source, vertices, Graph::max_vertices));
  Graph graph;
  for (std::uint64_t i = 0; i < vertices; ++i) graph.add_vertex(std::to_string(first + i));
  return graph;
}

Graph numbered_vertices(std::string_view field, const TextPlace& place) {
  return graph_of_size(read_count(field, place), 1, place.source);
}

Vertex numbered_vertex(const Graph& graph, std::string_view field, const TextPlace& place) {
  const std::size_t number = read_count(field, place);
  if (number == 0 || number > graph.size()) {
    throw place.error(field, fmt::format("expected a vertex from 1 to {}, found {}", graph.size(),
                                         in_quotes(field)));
  }
  return static_cast<Vertex>(number - 1);
}

bool is_konect(std::string_view text) {
  return text.starts_with("% sym ") || text.starts_with("% asym ") || text.starts_with("% bip ");
}

bool is_edge_with_data(const std::vector<std::string_view>& fields) {
  return fields.size() >= 3 && fields[2].front() == '{' && fields.back().back() == '}';
}

bool is_decimal(std::string_view field, std::string_view exponents) {
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
  if (i < field.size() && exponents.find(field[i]) != std::string_view::npos) {
    ++i;
    skip_sign();
    if (skip_digits() == 0) return false;
  }
  return i == field.size();
}

}}  // namespace logdepth::objects
