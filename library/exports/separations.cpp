#include "library/exports/separations.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "compiler/file/carried_program.hpp"
#include "runtime/file/derived.hpp"

namespace logdepth::exports {
namespace {

struct RowNorms {
  std::vector<double> norms;
  std::size_t longest = 0;  ///< entries
};
RowNorms norms_of(const SparseMatrix& matrix) {
  RowNorms rows{std::vector<double>(matrix.rows), 0};
  std::vector<std::size_t> entries(matrix.rows);
  for (const MatrixEntry& e : matrix.entries) {
    const double value = e.value.approximate();
    rows.norms[e.row] += value * value;
    rows.longest = std::max(rows.longest, ++entries[e.row]);
  }
  for (double& square : rows.norms) square = std::sqrt(square);
  return rows;
}

/// |z| is sqrt(width) or 0, so a row of a matrix reads at most its norm times that.
void bound_numbers(const Head& head, const SparseVector& mask, std::uint32_t width, double unit,
                   HeadSeparation& separation) {
  const RowNorms query = norms_of(head.query), key = norms_of(head.key);
  double longest = 0, product = 0;
  for (std::size_t d = 0; d < query.norms.size(); ++d) {
    longest = std::max(longest, query.norms[d]);
    product += query.norms[d] * key.norms[d];
  }
  const double score = width * product;
  separation.largest = std::max(std::sqrt(width) * longest, score);
  const auto roundings =
      static_cast<double>(query.longest + key.longest + query.norms.size() + mask.size() + 12);
  separation.loss = 1.01 * roundings * unit * score;
}

/// Proved for queries that are scaled to the norm of the key. They have it, but for the query that
/// goes back: (x - b, 1) / |(x, 1)| is no shorter than 1 / (b + 2), the least singular value of a
/// shear by b.
double unscaled(double gap, const FetchStatement& fetch) {
  const auto* pointed = std::get_if<SelectPointed>(&fetch.selector);
  return pointed && pointed->back > 0 ? gap / (pointed->back + 2) : gap;
}

bool selects_one(const Contract& contract) {
  if (const auto* match = std::get_if<MatchContract>(&contract)) return match->exactly_one;
  if (const auto* find = std::get_if<FindContract>(&contract)) return find->exactly_one;
  return std::holds_alternative<RightmostContract>(contract);
}

bool compares(const Head& head) {
  return !head.query.entries.empty() && !head.key.entries.empty();
}

}  // namespace

Separations::Separations(const Model& model, double size, double unit) : facts_(no_facts(model)) {
  const CarriedProgram proved(model, Trust::recompiled);
  const CarriedProgram carried(model, Trust::plausible);  // the same program, layer by layer
  if (proved.trust() == Trust::recompiled && carried.fitted()) {
    facts_ = proved.facts();
  } else {
    reason_ = proved.reason();
  }
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Attention& attention = model.layers[l].attention;
    auto& heads = heads_.emplace_back();
    for (std::size_t k = 0; k < attention.heads.size(); ++k) {
      HeadSeparation& head = heads.emplace_back();
      head.compares = compares(attention.heads[k]);
      head.selects_one = selects_one(attention.heads[k].contract);
      bound_numbers(attention.heads[k], attention.mask, model.width, unit, head);
      if (!reason_.empty()) continue;
      const auto& fetch = std::get<FetchStatement>(*carried.fitted()->statements(l).attention[k]);
      head.name = fetch.name;
      if (const auto& gap = facts_.layers[l].heads[k].gap)
        head.gap = unscaled(gap->at(size), fetch);
    }
  }
}

}  // namespace logdepth::exports
