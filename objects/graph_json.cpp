#include <algorithm>

#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"
#include "objects/json_names.hpp"

namespace logdepth::inline objects {

/// What networkx's node_link_data gives; before version 3.4 it called the edges links.
Graph read_node_link(const std::string& text, const std::string& source) {
  const JsonTape tape = JsonTape::parse(text, source);
  const auto members = json_members(tape, 0, source, {"nodes"});
  Graph graph;
  for (const auto node : json_elements(tape, members.at("nodes"), source)) {
    const auto id = json_members(tape, node, source, {"id"}).at("id");
    const std::string name = json_name(tape, id, source);
    if (graph.vertex(name)) {
      refuse(tape, id, source, "node " + shown(name) + " occurs twice; expected distinct ids");
    }
    add_named_vertex(graph, name, source, tape.line(id));
  }
  const auto edges = members.contains("links") ? members.find("links") : members.find("edges");
  if (edges == members.end()) refuse(tape, 0, source, "expected a key \"edges\" or \"links\"");
  for (const auto edge : json_elements(tape, edges->second, source)) {
    const auto ends = json_members(tape, edge, source, {"source", "target"});
    const auto vertex = [&](const char* end) {
      const std::string name = json_name(tape, ends.at(end), source);
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
