#include <string>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"
#include "objects/xml_elements.hpp"

namespace logdepth::inline objects {

namespace {

/// Vertices are called by their id; labels, weights and times are not used.
class GexfReader {
 public:
  GexfReader(const std::string& text, const std::string& source)
      : source_(source), file_(text, source, "a GEXF file") {}

  Graph read() {
    const pugi::xml_node root = file_.only_child(file_.document(), "gexf");
    if (!root) file_.fail(0, "expected a <gexf> element");
    const pugi::xml_node graph = file_.only_child(root, "graph");
    if (!graph) file_.fail(root, "expected a <graph> element");
    const std::string type = file_.attribute(graph, "defaultedgetype");
    for (const pugi::xml_node node : file_.only_child(graph, "nodes").children("node"))
      read_node(node);
    for (const pugi::xml_node edge : file_.only_child(graph, "edges").children("edge"))
      read_edge(edge, type.empty() ? "undirected" : type);
    return std::move(graph_);
  }

 private:
  void read_node(const pugi::xml_node& node) {
    if (const pugi::xml_node inner = node.child("nodes"))
      file_.fail(inner, "expected no <nodes> inside a <node>");
    const std::string id = file_.attribute(node, "id");
    if (id.empty()) file_.fail(node, "expected an attribute id of <node>");
    if (graph_.vertex(id))
      file_.fail(node, "node " + in_quotes(id) + " occurs twice; expected distinct ids");
    add_named_vertex(graph_, id, source_,
                     [&](const std::string& sentence) { file_.fail(node, sentence); });
  }

  Vertex end_of(const pugi::xml_node& edge, const char* end) const {
    const std::string id = file_.attribute(edge, end);
    const auto vertex = graph_.vertex(id);
    if (!vertex)
      file_.fail(edge, std::string("expected ") + end +
                           " of <edge> to be the id of a node, found " + in_quotes(id));
    return *vertex;
  }

  void read_edge(const pugi::xml_node& edge, std::string type) {
    const std::string own = file_.attribute(edge, "type");
    if (!own.empty()) type = own;
    if (type != "directed" && type != "undirected" && type != "mutual")
      file_.fail(edge, "expected directed, undirected or mutual as the type of an edge, found " +
                           in_quotes(type));
    const Vertex from = end_of(edge, "source"), to = end_of(edge, "target");
    graph_.add_edge(from, to);
    if (type != "directed") graph_.add_edge(to, from);
  }

  const std::string& source_;
  XmlFile file_;
  Graph graph_;
};

}  // namespace

Graph read_gexf(const std::string& text, const std::string& source) {
  return GexfReader(text, source).read();
}

}  // namespace logdepth::inline objects
