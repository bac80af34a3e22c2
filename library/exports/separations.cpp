#include "library/exports/separations.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "compiler/file/carried_program.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::exports {
namespace {

/// Of hard attention without a proved separation: of the largest score, bits that rounding leaves.
constexpr double kToleranceDouble = 0x1p-40, kToleranceSingle = 0x1p-18;
/// Equal scores may get weights that differ by this share.
constexpr double kTieSpread = 0x1p-12;

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

bool selects_one(const Promise& promise) {
  if (const auto* match = std::get_if<MatchPromise>(&promise)) return match->exactly_one;
  if (const auto* find = std::get_if<FindPromise>(&promise)) return find->exactly_one;
  return std::holds_alternative<RightmostPromise>(promise);
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
      head.selects_one = selects_one(attention.heads[k].promise);
      bound_numbers(attention.heads[k], attention.mask, model.width, unit, head);
      if (!reason_.empty()) continue;
      const auto& fetch = std::get<FetchStatement>(*carried.fitted()->statements(l).attention[k]);
      head.name = fetch.name;
      if (const auto& gap = facts_.layers[l].heads[k].gap)
        head.gap = unscaled(gap->at(size), fetch);
    }
  }
}

namespace {

/// At this temperature all that is not selected weighs less than half a unit together, and equal
/// scores weigh the same but for a share of kTieSpread.
bool separates(const NetworkHead& head, double temperature, double others, double unit) {
  return head.gap > 8 * head.loss &&
         temperature * (head.gap - 2 * head.loss) >= std::log(2 * others / unit) &&
         (head.selects_one || 2 * temperature * head.loss <= kTieSpread);
}

/// The least power of two that may do so.
double least_temperature(const NetworkHead& head, double others, double unit) {
  return std::exp2(std::ceil(std::log2(std::log(2 * others / unit) / (head.gap - 2 * head.loss))));
}

void set_tolerance(NetworkHead& head, bool single) {
  head.relative = !(head.gap > 8 * head.loss);
  head.tolerance = !head.relative ? head.gap / 2 : single ? kToleranceSingle : kToleranceDouble;
}

std::string no_temperature(const Network& network, std::size_t layer, std::size_t head) {
  const NetworkHead& refused = network.layers[layer].heads[head];
  const std::string why =
      !network.unproved.empty() ? network.unproved
      : refused.gap == 0
          ? "no separation of its scores is proved"
          : fmt::format(
                "at {} tokens its scores are proved to be {:.2g} apart, of which {} can lose "
                "{:.2g}",
                network.most_tokens, refused.gap, network.single ? "float32" : "float64",
                refused.loss);
  return fmt::format(
      "{}: no temperature can be found: {}; give one with --temperature, or export "
      "averaging-hard attention with --temperature hard",
      head_place(network, layer, head), why);
}

/// Above it a temperature may make a score, a difference of two, or a query of TransformerLens, which
/// has twice the temperature, no finite number of the format.
double highest_temperature(const Network& network) {
  double largest = 1;
  for (const NetworkLayer& layer : network.layers)
    for (const NetworkHead& head : layer.heads) largest = std::max(largest, head.largest);
  return (network.single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max()) /
         (4 * largest);
}

}  // namespace

void choose_weighing(Network& network, const ExportSettings& settings) {
  const double unit = rounding_unit(network);
  const bool given = settings.attention == ExportAttention::temperature;
  require(!given || (std::isfinite(settings.temperature) && settings.temperature > 0),
          "--temperature: expected auto, hard or a number above 0");
  const double highest = highest_temperature(network);
  if (given && settings.temperature > highest)
    throw InputError(fmt::format(
        "--temperature: expected at most {:.3g}, above which scores of {} would not be finite, "
        "found {}",
        highest, network.single ? "float32" : "float64", settings.temperature));
  const auto others = static_cast<double>(std::max<std::uint64_t>(network.most_tokens, 2) - 1);
  network.separated = true;
  for (std::size_t l = 0; l < network.layers.size(); ++l)
    for (std::size_t k = 0; k < network.layers[l].heads.size(); ++k) {
      NetworkHead& head = network.layers[l].heads[k];
      set_tolerance(head, network.single);
      head.temperature = given           ? settings.temperature
                         : head.compares ? least_temperature(head, others, unit)
                                         : 1;
      if (!head.compares) continue;
      const bool separated =
          network.hard ? !head.relative : separates(head, head.temperature, others, unit);
      if (!separated && !network.hard && !given) throw ExportRefused(no_temperature(network, l, k));
      network.separated = network.separated && separated;
    }
}

}  // namespace logdepth::exports
