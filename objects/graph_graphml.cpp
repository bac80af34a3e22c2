#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <exception>
#include <pugixml.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "objects/graph_formats.hpp"
#include "objects/xml_elements.hpp"

namespace logdepth::inline objects {

namespace {

/// What Boost's reader does not tell or takes without a word: the names of the vertices, lines of
/// errors, ends of edges that are no nodes, nested graphs. Its XML parser recurses on elements.
class GraphmlOutline {
 public:
  GraphmlOutline(const std::string& text, const std::string& source)
      : source_(source), file_(text, source, "a GraphML file") {
    pugi::xml_node document = file_.document();
    DepthLimit limit;
    if (!document.traverse(limit)) {
      fail(limit.beyond, fmt::format("expected elements nested at most {} deep", DepthLimit::max));
    }
    const pugi::xml_node root = document.child("graphml");
    if (!root) fail(0, "expected a <graphml> element");
    if (const auto second = root.next_sibling("graphml")) {
      fail(second, "expected one <graphml> element");
    }
    const pugi::xml_node element = root.child("graph");
    if (!element) fail(root, "expected a <graph> element");
    if (const auto second = element.next_sibling("graph")) fail(second, "expected one <graph>");
    const std::string direction = file_.attribute(element, "edgedefault");
    if (direction != "directed" && direction != "undirected") {
      fail(element, "expected edgedefault=\"directed\" or \"undirected\" of <graph>, found " +
                        in_quotes(direction));
    }
    for (const pugi::xml_node node : element.children("node")) read_node(node);
    bool is_first = true;
    for (const pugi::xml_node child : element.children()) {
      const std::string kind = child.name();
      if (kind == "hyperedge") fail(child, "expected no <hyperedge>: edges have two ends");
      if (kind == "edge") read_edge(child, direction == "directed", std::exchange(is_first, false));
    }
  }

  bool directed() const { return directed_; }
  /// Vertices in the order of their nodes, as Boost numbers them too.
  Graph take_vertices() && { return std::move(vertices_); }

 private:
  struct DepthLimit : pugi::xml_tree_walker {
    static constexpr int max = 100;
    std::ptrdiff_t beyond = 0;
    bool for_each(pugi::xml_node& node) override {
      beyond = node.offset_debug();
      return depth() < max;
    }
  };

  [[noreturn]] void fail(std::ptrdiff_t offset, const std::string& sentence) const {
    file_.fail(offset, sentence);
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& sentence) const {
    file_.fail(node, sentence);
  }

  void read_node(const pugi::xml_node& node) {
    if (node.child("graph")) fail(node, "expected no <graph> inside a <node>");
    const std::string id = file_.attribute(node, "id");
    if (id.empty()) fail(node, "expected an attribute id of <node>");
    if (vertices_.vertex(id)) {
      fail(node, "node " + in_quotes(id) + " occurs twice; expected distinct ids");
    }
    add_named_vertex(vertices_, id, source_,
                     [&](const std::string& sentence) { file_.fail(node, sentence); });
  }

  void read_edge(const pugi::xml_node& edge, bool directed, bool is_first) {
    for (const char* end : {"source", "target"}) {
      const std::string id = file_.attribute(edge, end);
      if (!vertices_.vertex(id)) {
        fail(edge, std::string("expected ") + end + " of <edge> to be the id of a node, found " +
                       in_quotes(id));
      }
    }
    const std::string direction = file_.attribute(edge, "directed");
    if (!direction.empty() && direction != "true" && direction != "false") {
      fail(edge,
           "expected directed=\"true\" or \"false\" of <edge>, found " + in_quotes(direction));
    }
    if (!direction.empty()) directed = direction == "true";
    if (!is_first && directed != directed_) {
      fail(edge, "expected edges all directed or all undirected, found both");
    }
    directed_ = directed;
  }

  const std::string& source_;
  XmlFile file_;
  Graph vertices_;
  bool directed_ = true;  ///< of the edges, where there are any
};

/// Receives what Boost reads. Attributes are not used, so their values are not parsed either.
class GraphmlReceiver : public boost::mutate_graph {
 public:
  GraphmlReceiver(Graph graph, bool directed) : graph_(std::move(graph)), directed_(directed) {}

  bool is_directed() const override { return directed_; }
  boost::any do_add_vertex() override { return added_++; }
  std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
    edges_.emplace_back(boost::any_cast<Vertex>(source), boost::any_cast<Vertex>(target));
    return {boost::any(), true};
  }
  void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
  void set_vertex_property(const std::string&, boost::any, const std::string&,
                           const std::string&) override {}
  void set_edge_property(const std::string&, boost::any, const std::string&,
                         const std::string&) override {}

  Graph finish(const std::string& source) && {
    if (added_ != graph_.size()) {
      throw InputError(
          fmt::format("{}: expected {} nodes with distinct plain ids, but Boost's reader sees {}",
                      source, graph_.size(), added_));
    }
    for (const auto& [from, to] : edges_) graph_.add_edge(from, to);
    if (!directed_) graph_.make_undirected();
    return std::move(graph_);
  }

 private:
  Graph graph_;
  bool directed_;
  Vertex added_ = 0;
  std::vector<std::pair<Vertex, Vertex>> edges_;
};

}  // namespace

Graph read_graphml(const std::string& text, const std::string& source) {
  GraphmlOutline outline(text, source);
  const bool directed = outline.directed();
  GraphmlReceiver receiver(std::move(outline).take_vertices(), directed);
  std::istringstream in(text);
  try {
    boost::read_graphml(in, receiver, 0);
  } catch (const std::exception& error) {
    throw InputError(source + ": expected a GraphML file: " + printable(error.what(), 120));
  }
  return std::move(receiver).finish(source);
}

std::string write_graphml(const Graph& graph) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("graphml");
  root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
  pugi::xml_node element = root.append_child("graph");
  element.append_attribute("edgedefault") = "directed";
  for (const std::string& name : graph.names()) {
    element.append_child("node").append_attribute("id") = name.c_str();
  }
  for_each_edge(graph, [&](Vertex from, Vertex to) {
    pugi::xml_node edge = element.append_child("edge");
    edge.append_attribute("source") = graph.names()[from].c_str();
    edge.append_attribute("target") = graph.names()[to].c_str();
  });
  std::ostringstream text;
  document.save(text, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(text).str();
}

}  // namespace logdepth::inline objects
