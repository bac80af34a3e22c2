#include <algorithm>

#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"
#include "objects/json_names.hpp"

namespace logdepth::inline objects {

namespace {

/// As Python's repr has a string.
std::string python_text(std::string_view text) {
  const bool double_quotes =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char mark = double_quotes ? '"' : '\'';
  std::string quoted(1, mark);
  for (const char c : text) {
    if (c == mark || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + mark;
}

/// A name, or a list of names, which networkx writes for a tuple and which is called as Python calls
/// it: (0, 'a').
std::string node_name(const JsonTape& tape, JsonTape::Node node, const std::string& source) {
  if (tape.kind(node) != JsonTape::Kind::array) return json_name(tape, node, source);
  std::string name;
  std::size_t elements = 0;
  for (const auto element : json_elements(tape, node, source)) {
    name += elements++ == 0 ? "(" : ", ";
    name += tape.kind(element) == JsonTape::Kind::string ? python_text(tape.text(element))
                                                         : node_name(tape, element, source);
  }
  if (elements == 0) return "()";
  return name + (elements == 1 ? ",)" : ")");
}

}  // namespace

/// What networkx's node_link_data gives; before version 3.4 it called the edges links.
Graph read_node_link(const std::string& text, const std::string& source) {
  const JsonTape tape = JsonTape::parse(text, source);
  const auto members = json_members(tape, 0, source, {"nodes"});
  Graph graph;
  for (const auto node : json_elements(tape, members.at("nodes"), source)) {
    const auto id = json_members(tape, node, source, {"id"}).at("id");
    const std::string name = node_name(tape, id, source);
    if (graph.vertex(name)) {
      refuse(tape, id, source, "node " + shown(name) + " occurs twice; expected distinct ids");
    }
    add_named_vertex(graph, name, source, [&](const std::string& sentence) {
      throw InputError(source, tape.line(id), sentence);
    });
  }
  if (members.contains("links") && members.contains("edges"))
    refuse(tape, members.at("edges"), source, "expected edges or links, found both");
  const auto edges = members.contains("links") ? members.find("links") : members.find("edges");
  if (edges == members.end()) refuse(tape, 0, source, "expected a key \"edges\" or \"links\"");
  for (const auto edge : json_elements(tape, edges->second, source)) {
    const auto ends = json_members(tape, edge, source, {"source", "target"});
    const auto vertex = [&](const char* end) {
      const std::string name = node_name(tape, ends.at(end), source);
      const auto known = graph.vertex(name);
      if (!known)
        refuse(tape, ends.at(end), source, "expected the id of a node, found " + shown(name));
      return *known;
    };
    graph.add_edge(vertex("source"), vertex("target"));
  }
  const auto directed = members.find("directed");
  if (directed == members.end()) {
    graph.make_undirected();
  } else if (tape.kind(directed->second) != JsonTape::Kind::boolean) {
    refuse(tape, directed->second, source, "expected true or false");
  } else if (!tape.boolean(directed->second)) {
    graph.make_undirected();
  }
  return graph;
}

std::string write_node_link(const Graph& graph) {
  std::string nodes, edges;
  const auto quoted = [&](Vertex vertex) {
    std::string text;
    append_quoted(graph.names()[vertex], text);
    return text;
  };
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    nodes += (nodes.empty() ? "\n" : ",\n") + ("  {\"id\": " + quoted(vertex) + "}");
  }
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    edges += (edges.empty() ? "\n" : ",\n") +
             ("  {\"source\": " + quoted(from) + ", \"target\": " + quoted(to) + "}");
  });
  return "{\n \"directed\": true,\n \"multigraph\": false,\n \"graph\": {},\n \"nodes\": [" +
         nodes + "\n ],\n \"edges\": [" + edges + (edges.empty() ? "" : "\n ") + "]\n}\n";
}

}  // namespace logdepth::inline objects
