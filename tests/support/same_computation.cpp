#include "tests/support/same_computation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/overload.hpp"
#include "tests/support/weight_rows.hpp"

namespace logdepth::support {
namespace {

using Matrix = Bilinear;
using Vector = Coordinates;

/// Coordinates that something writes: the input, the embedding, positions, a sublayer.
std::set<std::uint32_t> written(const Model& model) {
  std::set<std::uint32_t> live;
  const auto add = [&](const SparseVector& vector) {
    for (const SparseEntry& e : vector) live.insert(e.index);
  };
  const auto add_rows = [&](const SparseMatrix& matrix) {
    for (const MatrixEntry& e : matrix.entries) live.insert(e.row);
  };
  const auto add_given = [&](std::size_t count, bool mirrored) {
    for (std::uint32_t k = 0; k < count; ++k) {
      live.insert(k);
      if (mirrored) live.insert(k + model.width / 2);
    }
  };
  for (const auto& [kind, vector] : model.embedding) add(vector);
  std::visit(Overload{[&](const FirstFlagPosition& p) {
                        add(p.first);
                        add(p.rest);
                      },
                      [&](const CodePosition& p) {
                        for (const CodeFill& fill : p.fills)
                          live.insert(fill.at.begin(), fill.at.end());
                        add(p.parity);
                      },
                      [&](const TablePosition& p) {
                        for (const SparseVector& row : p.rows) add(row);
                      }},
             model.position);
  if (const auto* cells = std::get_if<CellsInput>(&model.input))
    add_given(cells->names.size(), cells->mirrored);
  if (const auto* graph = std::get_if<GraphInput>(&model.input);
      graph && graph->layout == GraphInput::Layout::rows)
    add_given(graph->size.value_or(0), graph->mirrored);
  for (const Layer& layer : model.layers) {
    for (const Head& head : layer.attention.heads) add_rows(head.output);
    add_rows(layer.feedforward.out);
  }
  return live;
}

/// A sublayer as what it computes: everything that does not change it has one form.
class Canonical {
 public:
  explicit Canonical(const Model& model) : model_(model), live_(written(model)) {}

  Vector mask(const SparseVector& sparse) const {
    Vector mask = factors(sparse);
    if (model_.norm == Norm::rms)
      std::erase_if(mask, [&](const auto& entry) { return !live_.contains(entry.first); });
    take_size(mask);
    return mask;
  }

  /// The matrix, where it reads something.
  Matrix reads(const SparseMatrix& matrix, const Vector& mask) const {
    Matrix result;
    for (const MatrixEntry& e : matrix.entries)
      if (model_.norm == Norm::layernorm || mask.contains(e.column))
        result[{e.row, e.column}] = e.value;
    return result;
  }

  struct HeadForm {
    bool causal = true;
    Matrix score;  ///< asking, asked coordinate; times one positive factor
    Matrix value;  ///< written, read coordinate
    bool operator==(const HeadForm&) const = default;
    auto operator<=>(const HeadForm& other) const {
      return std::tie(causal, score, value) <=> std::tie(other.causal, other.score, other.value);
    }
  };
  HeadForm head(const Head& head, const Vector& mask) const {
    HeadForm form{head.causal, product(transposed(reads(head.query, mask)), reads(head.key, mask)),
                  product(entries(head.output), reads(head.value, mask))};
    take_size(form.score);
    return form;
  }

  /// Per unit, its row with one positive factor taken out, what it adds.
  std::map<Vector, Vector> units(const FeedForward& block, const Vector& mask) const {
    std::map<std::uint32_t, Vector> rows, columns;
    for (const auto& [place, value] : reads(block.in, mask))
      rows[place.first][place.second] = value;
    for (const MatrixEntry& e : block.out.entries) columns[e.column][e.row] = e.value;
    std::map<Vector, Vector> sums;
    for (auto& [unit, row] : rows) {
      const Rational factor = take_size(row);
      for (const auto& [coordinate, value] : columns[unit]) sums[row][coordinate] += value * factor;
    }
    for (auto& [row, sum] : sums)
      std::erase_if(sum, [](const auto& entry) { return entry.second.is_zero(); });
    std::erase_if(sums, [](const auto& entry) { return entry.second.empty(); });
    return sums;
  }

  Matrix logits() const {
    Matrix result;
    for (const MatrixEntry& e : model_.unembedding.entries)
      if (live_.contains(e.column)) result[{e.row, e.column}] = e.value;
    return result;
  }

 private:
  static Matrix entries(const SparseMatrix& matrix) {
    Matrix result;
    for (const MatrixEntry& e : matrix.entries) result[{e.row, e.column}] = e.value;
    return result;
  }
  static Matrix transposed(const Matrix& matrix) {
    Matrix result;
    for (const auto& [place, value] : matrix) result[{place.second, place.first}] = value;
    return result;
  }
  static Matrix product(const Matrix& a, const Matrix& b) {
    Matrix result;
    for (const auto& [left, x] : a)
      for (auto it = b.lower_bound({left.second, 0});
           it != b.end() && it->first.first == left.second; ++it)
        result[{left.first, it->first.second}] += x * it->second;
    std::erase_if(result, [](const auto& entry) { return entry.second.is_zero(); });
    return result;
  }

  const Model& model_;
  std::set<std::uint32_t> live_;
};

/// Who keeps `kept` keeps `claimed`.
bool implies(const Contract& kept, const Contract& claimed) {
  if (kept == claimed) return true;
  const auto* match = std::get_if<MatchContract>(&claimed);
  if (match && !match->exactly_one) return std::holds_alternative<MatchContract>(kept);
  const auto *finds = std::get_if<FindContract>(&kept), *find = std::get_if<FindContract>(&claimed);
  return finds && find && finds->terms == find->terms && finds->prefer == find->prefer &&
         !find->exactly_one;
}

}  // namespace

std::optional<std::string> same_computation(const Model& original, const Model& changed) {
  Model a = original, b = changed;
  if (a.layers.size() != b.layers.size() || a.shape != b.shape || !(a.unroll == b.unroll) ||
      !(a.position == b.position) || a.embedding != b.embedding || !(a.input == b.input) ||
      !(a.output == b.output) || a.norm != b.norm || a.width != b.width)
    return std::nullopt;
  const Canonical left(a), right(b);
  std::string reason;
  const auto because = [&](const std::string& one) {
    if (reason.find(one) == std::string::npos) reason += (reason.empty() ? "" : "; ") + one;
  };
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    const Layer &x = a.layers[i], &y = b.layers[i];
    if (x == y) continue;
    const Vector attention = left.mask(x.attention.mask);
    if (attention != right.mask(y.attention.mask) ||
        x.attention.heads.size() != y.attention.heads.size())
      return std::nullopt;
    if (x.attention.mask != y.attention.mask) because("a mask times a positive factor");
    for (std::size_t k = 0; k < x.attention.heads.size(); ++k) {
      const Head &p = x.attention.heads[k], &q = y.attention.heads[k];
      if (p == q) continue;
      if (!(left.head(p, attention) == right.head(q, attention)) ||
          !implies(p.contract, q.contract))
        return std::nullopt;
      because(p.contract == q.contract
                  ? "the scores of a head times a positive factor, or what is 0"
                  : "a promise that the kept one implies");
    }
    const Vector feedforward = left.mask(x.feedforward.mask);
    if (feedforward != right.mask(y.feedforward.mask) ||
        left.units(x.feedforward, feedforward) != right.units(y.feedforward, feedforward))
      return std::nullopt;
    if (!(x.feedforward == y.feedforward)) because("units that compute the same");
  }
  if (left.logits() != right.logits()) return std::nullopt;
  if (!(a.unembedding == b.unembedding)) because("logits of what is 0");
  return reason.empty() ? "the same weights" : reason;
}

}  // namespace logdepth::support
