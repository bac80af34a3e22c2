#include "objects/graph.hpp"

#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline objects {

namespace {

void check_vertex_name(const std::string& name) {
  if (name.empty()) throw InputError("expected a name of a vertex, found an empty one");
  for (std::size_t position = 0; position < name.size();) {
    const std::size_t length = utf8_length(std::string_view(name).substr(position));
    const auto lead = static_cast<unsigned char>(name[position]);
    if (length == 0 || lead < 0x20 || lead == 0x7F) {
      throw InputError("expected a name of a vertex in UTF-8 without control characters, found " +
                       in_quotes(name));
    }
    position += length;
  }
}

}  // namespace

std::optional<Vertex> Graph::vertex(const std::string& name) const {
  const auto entry = index_.find(name);
  if (entry == index_.end()) return std::nullopt;
  return entry->second;
}

Vertex Graph::add_vertex(const std::string& name) {
  if (const auto known = vertex(name)) return *known;
  check_vertex_name(name);
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

}  // namespace logdepth::inline objects
