// The partition of the coordinates into segments: its property in its own words, and that no
// partition with this property is coarser.

#include "runtime/stream/segments.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/model_samples.hpp"
#include "tests/support/random_transformers.hpp"

namespace logdepth::segments_tests {
namespace {

using Classes = std::vector<std::uint32_t>;  // per coordinate, a number of its class
using Coordinates = std::set<std::uint32_t>;

/// A unit, a value, a dimension of a score or a logit: the coordinates on its two sides.
struct Link {
  int kind;  ///< which matrices it belongs to
  Coordinates from, to;
};

std::vector<Coordinates> by_row(const SparseMatrix& matrix) {
  std::vector<Coordinates> rows(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) rows[e.row].insert(e.column);
  return rows;
}
std::vector<Coordinates> by_column(const SparseMatrix& matrix) {
  std::vector<Coordinates> columns(matrix.columns);
  for (const MatrixEntry& e : matrix.entries) columns[e.column].insert(e.row);
  return columns;
}

struct Uses {
  std::vector<Coordinates> groups;  ///< masks, and coordinates of position codes
  std::vector<Link> links;

  explicit Uses(const Model& model) {
    int kind = 0;
    const auto link = [&](const std::vector<Coordinates>& from,
                          const std::vector<Coordinates>& to) {
      ASSERT_EQ(from.size(), to.size());
      for (std::size_t i = 0; i < from.size(); ++i) links.push_back({kind, from[i], to[i]});
      ++kind;
    };
    const auto group = [&](const SparseVector& vector) {
      Coordinates coordinates;
      for (const SparseEntry& e : vector) coordinates.insert(e.index);
      groups.push_back(coordinates);
    };
    for (const Layer& layer : model.layers) {
      group(layer.attention.mask);
      group(layer.feedforward.mask);
      for (const Head& head : layer.attention.heads) {
        link(by_row(head.query), by_row(head.key));
        link(by_row(head.value), by_column(head.output));
      }
      link(by_row(layer.feedforward.in), by_column(layer.feedforward.out));
    }
    link(by_row(model.unembedding), std::vector<Coordinates>(model.unembedding.rows));
    if (const auto* code = std::get_if<CodePosition>(&model.position))
      for (const CodeFill& fill : code->fills) groups.emplace_back(fill.at.begin(), fill.at.end());
  }

  /// Whether coordinates of one class are treated alike.
  bool alike(const Classes& classes) const {
    const auto classes_of = [&](const Coordinates& coordinates) {
      Coordinates result;
      for (const std::uint32_t c : coordinates) result.insert(classes[c]);
      return result;
    };
    std::vector<std::set<std::tuple<int, int, Coordinates, Coordinates>>> uses(classes.size());
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const std::uint32_t c : groups[g]) uses[c].insert({-1, static_cast<int>(g), {}, {}});
    for (const Link& link : links) {
      const Coordinates from = classes_of(link.from), to = classes_of(link.to);
      for (const std::uint32_t c : link.from) uses[c].insert({link.kind, 0, from, to});
      for (const std::uint32_t c : link.to) uses[c].insert({link.kind, 1, from, to});
    }
    for (std::size_t c = 0; c < classes.size(); ++c)
      for (std::size_t d = 0; d < c; ++d)
        if (classes[c] == classes[d] && uses[c] != uses[d]) return false;
    return true;
  }
};

/// Every partition of `width` coordinates, once.
void for_every_partition(std::size_t width, const std::function<void(const Classes&)>& visit) {
  Classes classes;
  const std::function<void(std::uint32_t)> extend = [&](std::uint32_t used) {
    if (classes.size() == width) return visit(classes);
    for (std::uint32_t next = 0; next <= used; ++next) {
      classes.push_back(next);
      extend(next == used ? used + 1 : used);
      classes.pop_back();
    }
  };
  extend(0);
}

Classes classes_of(const Segments& segments) {
  Classes classes;
  for (const Segments::Place place : segments.place) classes.push_back(place.segment);
  return classes;
}

void expect_partition(const Segments& segments, std::size_t width) {
  ASSERT_EQ(segments.place.size(), width);
  std::size_t members = 0;
  for (std::uint32_t s = 0; s < segments.size(); ++s) {
    EXPECT_FALSE(segments.coordinates[s].empty());
    members += segments.coordinates[s].size();
    for (std::uint32_t i = 0; i < segments.coordinates[s].size(); ++i) {
      const std::uint32_t c = segments.coordinates[s][i];
      ASSERT_LT(c, width);
      EXPECT_EQ(segments.place[c].segment, s);
      EXPECT_EQ(segments.place[c].offset, i);
      if (i > 0) {
        EXPECT_LT(segments.coordinates[s][i - 1], c);
      }
    }
  }
  EXPECT_EQ(members, width);
}

TEST(Segments, AreTheCoarsestPartitionThatTreatsItsMembersAlike) {
  RandomTransformers random(laws::seed());
  ModelMaker maker(laws::seed());
  std::size_t partitions = 0, rivals = 0, coarse = 0;
  for (int i = 0; i < 3000; ++i) {
    const Model model = i % 4 == 0 ? maker.model() : random.model();
    const Segments segments = segments_of(model);
    const Uses uses(model);
    expect_partition(segments, model.width);
    const Classes found = classes_of(segments);
    EXPECT_TRUE(uses.alike(found));
    coarse += segments.size() < model.width;
    if (model.width <= 6)
      for_every_partition(model.width, [&](const Classes& other) {
        ++partitions;
        if (!uses.alike(other)) return;
        ++rivals;
        for (std::size_t c = 0; c < model.width; ++c)
          for (std::size_t d = 0; d < c; ++d)
            if (other[c] == other[d]) {
              EXPECT_EQ(found[c], found[d]) << "coordinates " << c << " and " << d;
            }
      });
    if (HasFailure()) FAIL() << "model " << i << "\n" << write_weights(model);
  }
  EXPECT_GT(coarse, 1000u);
  EXPECT_GT(rivals, 4000u);
  EXPECT_GT(partitions, 4 * rivals);
}

// One coordinate of a block of codes that is used once more stands alone, and so does what is
// compared with it; the others stay together.
TEST(Segments, AreSplitByWhatIsReadAndByWhatItIsComparedWith) {
  Model m;
  m.name = "split";
  m.width = 7;
  m.input = CellsInput{};
  m.unroll.kind = Unroll::Kind::fixed;
  m.output = CellsOutput{};
  m.unembedding = {0, 7, {}};
  m.position = FirstFlagPosition{};
  m.shape = {1, 0, 0};
  Layer layer;
  layer.block = Block::initial;
  for (std::uint32_t c = 0; c < 6; ++c) layer.attention.mask.push_back({c, 1});
  const SparseMatrix query{3, 7, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}};
  const SparseMatrix key{3, 7, {{0, 3, 1}, {1, 4, 1}, {2, 5, 1}}};
  layer.attention.heads = {{true, query, key, {0, 7, {}}, {7, 0, {}}, UniformContract{}}};
  layer.feedforward = {{}, {0, 7, {}}, {7, 0, {}}};
  m.layers = {layer};
  ASSERT_EQ(first_violation(m), "");
  EXPECT_EQ(classes_of(segments_of(m)), (Classes{0, 0, 0, 1, 1, 1, 2}));
  m.layers[0].feedforward.in = {1, 7, {{0, 1, 1}}};
  m.layers[0].feedforward.out = {7, 1, {}};
  ASSERT_EQ(first_violation(m), "");
  EXPECT_EQ(classes_of(segments_of(m)), (Classes{0, 1, 0, 2, 3, 2, 4}));
}

}  // namespace
}  // namespace logdepth::segments_tests
