#include <algorithm>
#include <optional>

#include "objects/graph_files.hpp"
#include "runtime/file/gzip_text.hpp"
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

/// The format of none is the one that the content says.
void read_and_write(const std::string& bytes, const std::optional<std::string>& format) {
  Graph graph;
  if (!accepted([&] { graph = read_graph(bytes, "graph", false, format); })) return;
  for (const char* name : {"g.edges", "g.txt", "g.dot", "g.graphml", "g.gr", "g.mtx", "g.json"}) {
    std::string written;
    if (!accepted([&] { written = write_graph(graph, name); })) continue;
    const Graph again = read_graph(written, name);
    hold(again.size() == graph.size() && edges(again) == edges(graph),
         std::string("the graph of ") + name + " is the one that was written");
  }
}

const Registered kGraphs("graph",
                         [](const std::string& bytes) { read_and_write(bytes, std::nullopt); });

/// The formats that are read and not written, and whose content seldom says what it is.
const bool kRegistered = [] {
  for (const char* format : {"multiline", "gexf", "metis", "pajek", "graph6", "sparse6"})
    targets()[std::string("graph_") + format] = [format](const std::string& bytes) {
      read_and_write(bytes, format);
    };
  return true;
}();

const Registered kGzip("gzip", [](const std::string& bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  std::string text;
  if (!accepted([&] { text = unpacked(bytes, "gzip", kMost); })) return;
  hold(unpacked(packed(text), "gzip", kMost) == text, "what is packed is unpacked again");
});

const Registered kPairs("pairs", [](const std::string& bytes) {
  accepted([&] { (void)read_pairs(bytes, "pairs"); });
});

}  // namespace
}  // namespace logdepth::fuzz
