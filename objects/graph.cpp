#include "objects/graph.hpp"

#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace objects {
std::optional<Vertex> Graph::vertex(const std::string& name) const {
  const auto entry = index_.find(name);
  if (entry == index_.end()) return std::nullopt;
  return entry->second;
}

Vertex Graph::add_vertex(const std::string& name) {
  if (const auto known = vertex(name)) return *known;
  if (name.empty()) throw InputError("expected a name of a vertex, found an empty one");
  if (!is_plain_name(name))
    throw InputError("expected a name of a vertex in UTF-8 without control characters, found " +
                     in_quotes(name));
  if (size() == max_vertices) {
    throw SizeLimit(fmt::format("the graph has more than {} vertices, the limit; try a part of it",
                                max_vertices));
  }
  const auto added = static_cast<Vertex>(size());
  names_.push_back(name);
  index_.emplace(name, added);
  for (auto& row : successors_) row.push_back(false);
  successors_.emplace_back(size(), false);
  return added;
}

void Graph::add_edge(Vertex from, Vertex to) {
  if (successors_[from][to]) return;
  successors_[from][to] = true;
  ++edge_count_;
}

void Graph::make_undirected() {
  for (Vertex from = 0; from < size(); ++from) {
    for (Vertex to = 0; to < size(); ++to) {
      if (has_edge(from, to)) add_edge(to, from);
    }
  }
}

std::vector<std::int32_t> all_distances(const std::vector<std::uint8_t>& adjacency,
                                        std::size_t vertices) {
  std::vector<std::vector<std::size_t>> successors(vertices);
  for (std::size_t from = 0; from < vertices; ++from)
    for (std::size_t to = 0; to < vertices; ++to)
      if (adjacency[from * vertices + to]) successors[from].push_back(to);
  std::vector<std::int32_t> distances(vertices * vertices, -1);
  std::vector<std::size_t> queue;
  for (std::size_t source = 0; source < vertices; ++source) {
    std::int32_t* row = distances.data() + source * vertices;
    row[source] = 0;
    queue.assign(1, source);
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const std::size_t to : successors[queue[next]])
        if (row[to] < 0) {
          row[to] = row[queue[next]] + 1;
          queue.push_back(to);
        }
  }
  return distances;
}

}}  // namespace logdepth::objects
