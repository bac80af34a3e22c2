#include "compiler/file/measure.hpp"

#include <algorithm>
#include <set>

#include "compiler/file/cell_names.hpp"
#include "compiler/passes/compile.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth { inline namespace compiler_file {
namespace {

class Count {
 public:
  explicit Count(Measures& measures) : m_(measures) {}

  void number(const Rational& value) {
    ++m_.nonzeros;
    m_.numerator_bits = std::max<std::uint64_t>(m_.numerator_bits, value.numerator_bits());
    m_.denominator_bits = std::max<std::uint64_t>(m_.denominator_bits, value.denominator_bits());
  }
  void vector(const SparseVector& v) {
    for (const SparseEntry& e : v) number(e.value);
  }
  void matrix(const SparseMatrix& m) {
    for (const MatrixEntry& e : m.entries) number(e.value);
  }

 private:
  Measures& m_;
};

/// Coordinates that the file ever fills or writes, for files without an index of cells.
std::uint64_t used_coordinates(const Model& model) {
  std::set<std::uint32_t> used = embedded_coordinates(model);
  used.merge(position_coordinates(model));
  for (const Layer& layer : model.layers) {
    for (const Head& head : layer.attention.heads)
      for (const MatrixEntry& e : head.output.entries) used.insert(e.row);
    for (const MatrixEntry& e : layer.feedforward.out.entries) used.insert(e.row);
  }
  const GivenPlace given = given_place(model);
  for (std::uint32_t i = 0; i < given.values; ++i) {
    used.insert(i);
    if (given.mirror > 0) used.insert(i + static_cast<std::uint32_t>(given.mirror));
  }
  return model.norm == Norm::layernorm ? (used.size() + 1) / 2 : used.size();
}

}  // namespace

Measures measure(const Model& model, std::uint64_t n) {
  Measures m;
  m.initial = model.shape.initial;
  m.repeated = model.shape.repeated;
  m.final = model.shape.final;
  m.loops = loops_at(model.unroll, counted_size(model, n));
  m.depth = depth_at(model, n);
  m.width = model.width;
  if (model.cells.empty()) {
    m.cells = used_coordinates(model);
  } else {
    for (const auto& [name, cell] : model.cells) m.cells += cell.coordinates.size();
  }

  Count count(m);
  std::uint32_t dimension = 1;
  for (const Layer& layer : model.layers) {
    m.heads = std::max<std::uint64_t>(m.heads, layer.attention.heads.size());
    m.units += layer.feedforward.in.rows;
    count.vector(layer.attention.mask);
    for (const Head& head : layer.attention.heads) {
      for (const SparseMatrix* matrix : {&head.query, &head.key, &head.value, &head.output})
        count.matrix(*matrix);
      dimension = std::max({dimension, head.query.rows, head.value.rows});
    }
    count.vector(layer.feedforward.mask);
    count.matrix(layer.feedforward.in);
    count.matrix(layer.feedforward.out);
  }
  for (const auto& [kind, vector] : model.embedding) count.vector(vector);
  count.matrix(model.unembedding);
  m.strict_width = strict_width(static_cast<std::uint32_t>(m.cells), model.norm,
                                static_cast<std::uint32_t>(m.heads), dimension);
  return m;
}

}}  // namespace logdepth::compiler_file
