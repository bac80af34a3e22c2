#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace logdepth::inline objects {

/// Edges of a shortest path from each vertex to each, row by row; -1 where there is no path.
/// `adjacency`: [vertices, vertices], not 0 for an edge from row to column.
std::vector<std::int32_t> all_distances(const std::vector<std::uint8_t>& adjacency,
                                        std::size_t vertices);

}  // namespace logdepth::inline objects
