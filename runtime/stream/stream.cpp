#include "runtime/stream/stream.hpp"

#include <tuple>
#include <variant>

namespace logdepth { inline namespace runtime_stream {
namespace {

using Coordinates = std::vector<std::uint32_t>;

/// Something that connects coordinates: a unit and a value read some and write others, a dimension
/// of the score compares some of the query with others of the key.
struct Link {
  std::uint32_t kind = 0;  ///< which matrices
  Coordinates from, to;
};

class Refinement {
 public:
  explicit Refinement(std::uint32_t width) : class_(width, 0), uses_(width) {}

  void add_group(const Coordinates& coordinates) {
    const std::uint32_t group = next_++;
    for (const std::uint32_t c : coordinates) uses_[c].push_back(group);
  }
  void add_group(const SparseVector& vector) {
    Coordinates coordinates;
    for (const SparseEntry& e : vector) coordinates.push_back(e.index);
    add_group(coordinates);
  }
  /// One link per row of `from`; `to` has as many columns, or rows if `transposed`.
  void add_links(const SparseMatrix& from, const SparseMatrix& to, bool transposed) {
    const std::size_t first = links_.size();
    links_.resize(first + from.rows);
    for (std::size_t i = first; i < links_.size(); ++i) links_[i].kind = next_;
    ++next_;
    for (const MatrixEntry& e : from.entries) links_[first + e.row].from.push_back(e.column);
    for (const MatrixEntry& e : to.entries)
      (transposed ? links_[first + e.row].to : links_[first + e.column].to)
          .push_back(transposed ? e.column : e.row);
  }

  Segments run() {
    std::size_t classes = split();
    for (;;) {
      std::map<std::tuple<std::uint32_t, Coordinates, Coordinates>, std::uint32_t> types;
      for (auto& uses : uses_) uses.clear();
      for (const Link& link : links_) {
        const auto fresh = static_cast<std::uint32_t>(2 * types.size());
        const std::uint32_t type =
            types.try_emplace({link.kind, classes_of(link.from), classes_of(link.to)}, fresh)
                .first->second;
        for (const std::uint32_t c : link.from) uses_[c].push_back(type);
        for (const std::uint32_t c : link.to) uses_[c].push_back(type + 1);
      }
      const std::size_t now = split();
      if (now == classes) return segments();
      classes = now;
    }
  }

 private:
  /// Splits every class by the uses of its members; the number of classes.
  std::size_t split() {
    std::map<std::pair<std::uint32_t, Coordinates>, std::uint32_t> known;
    for (std::size_t c = 0; c < class_.size(); ++c) {
      auto& uses = uses_[c];
      std::sort(uses.begin(), uses.end());
      uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
      const auto fresh = static_cast<std::uint32_t>(known.size());
      class_[c] = known.try_emplace({class_[c], uses}, fresh).first->second;
    }
    return known.size();
  }
  Coordinates classes_of(const Coordinates& coordinates) const {
    Coordinates classes;
    for (const std::uint32_t c : coordinates) classes.push_back(class_[c]);
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    return classes;
  }
  Segments segments() const {
    Segments result;
    for (std::uint32_t c = 0; c < class_.size(); ++c) {
      if (class_[c] == result.coordinates.size()) result.coordinates.emplace_back();
      auto& members = result.coordinates[class_[c]];
      result.place.push_back({class_[c], static_cast<std::uint32_t>(members.size())});
      members.push_back(c);
    }
    return result;
  }

  std::vector<std::uint32_t> class_;  // numbered by first coordinate
  std::vector<Coordinates> uses_;     // per coordinate
  std::vector<Link> links_;
  std::uint32_t next_ = 0;
};

}  // namespace

Segments segments_of(const Model& model) {
  Refinement refinement(model.width);
  for (const Layer& layer : model.layers) {
    refinement.add_group(layer.attention.mask);
    for (const Head& head : layer.attention.heads) {
      refinement.add_links(head.query, head.key, true);
      refinement.add_links(head.value, head.output, false);
    }
    refinement.add_group(layer.feedforward.mask);
    refinement.add_links(layer.feedforward.in, layer.feedforward.out, false);
  }
  refinement.add_links(model.unembedding, {model.unembedding.rows, 0, {}}, true);
  if (const auto* code = std::get_if<CodePosition>(&model.position))
    for (const CodeFill& fill : code->fills) refinement.add_group(fill.at);
  return refinement.run();
}

}}  // namespace logdepth::runtime_stream
