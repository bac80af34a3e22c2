#include <algorithm>

#include "objects/graph_files.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace logdepth::fuzz {
namespace {

/// Formats may number the vertices anew, and those of numbers alone have no names.
std::size_t edges(const Graph& graph) {
  std::size_t count = 0;
  for (Vertex a = 0; a < graph.size(); ++a)
    for (Vertex b = 0; b < graph.size(); ++b) count += graph.has_edge(a, b);
  return count;
}

const Registered kGraphs("graph", [](const std::string& bytes) {
  Graph graph;
  if (!accepted([&] { graph = read_graph(bytes, "graph"); })) return;
  for (const char* name : {"g.edges", "g.txt", "g.dot", "g.graphml", "g.gr", "g.mtx", "g.json"}) {
    std::string written;
    if (!accepted([&] { written = write_graph(graph, name); })) continue;
    const Graph again = read_graph(written, name);
    hold(again.size() == graph.size() && edges(again) == edges(graph),
         std::string("the graph of ") + name + " is the one that was written");
  }
});

const Registered kPairs("pairs", [](const std::string& bytes) {
  accepted([&] { (void)read_pairs(bytes, "pairs"); });
});

}  // namespace
}  // namespace logdepth::fuzz
