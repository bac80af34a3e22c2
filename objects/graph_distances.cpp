#include "objects/graph_distances.hpp"

namespace logdepth::inline objects {

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

}  // namespace logdepth::inline objects
