#pragma once

#include <fmt/core.h>
#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/file/model.hpp"
#include "runtime/floats/mpfr_pass.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

/// Exact numbers as numbers of a device, rounded to nearest once.
template <class Real>
class Rounder {
 public:
  explicit Rounder(std::uint32_t bits) : bits_(bits) {
    rounding_.u = std::ldexp(1.0, -static_cast<int>(bits));
    rounding_.smallest = std::is_same_v<Real, float> ? 0x1p-140 : 0x1p-1000;
  }
  const Rounding& rounding() const { return rounding_; }

  /// With a bound on its error, absolute.
  Ball<Real> round(const Rational& value) const {
    Exactly x(bits_);
    const bool exact = mpfr_set_q(x.number, value.to_mpq().get_mpq_t(), MPFR_RNDN) == 0;
    return x.template within<Real>(exact ? 0 : rounding_.u, 0, rounding_);
  }
  Ball<Real> round(const logdepth::Real& value) const {
    if (value.is_rational()) return round(value.rational_part());
    // A sum of roots, 32 bits beyond what is asked for; each term is then off by 2^-(bits + 30).
    Exactly sum(bits_ + 32), term(bits_ + 32);
    mpfr_set_q(sum.number, value.rational_part().to_mpq().get_mpq_t(), MPFR_RNDN);
    double size = std::fabs(mpfr_get_d(sum.number, MPFR_RNDA));
    for (const logdepth::Real::Surd& surd : value.surds()) {
      mpfr_set_q(term.number, surd.radicand.to_mpq().get_mpq_t(), MPFR_RNDN);
      mpfr_sqrt(term.number, term.number, MPFR_RNDN);
      size += mpfr_get_d(term.number, MPFR_RNDA);
      (surd.sign > 0 ? mpfr_add : mpfr_sub)(sum.number, sum.number, term.number, MPFR_RNDN);
    }
    const double terms = static_cast<double>(value.surds().size()) + 1;
    Exactly x(bits_);
    mpfr_set(x.number, sum.number, MPFR_RNDN);
    return x.template within<Real>(rounding_.u, terms * size * std::ldexp(rounding_.u, -28),
                                   rounding_);
  }
  /// sqrt of a square that need not be that of a rational.
  Real root_of(const Rational& square) const {
    Exactly x(bits_ + 32), rounded(bits_);
    mpfr_set_q(x.number, square.to_mpq().get_mpq_t(), MPFR_RNDN);
    mpfr_sqrt(x.number, x.number, MPFR_RNDN);
    mpfr_set(rounded.number, x.number, MPFR_RNDN);
    return rounded.template as<Real>();
  }
  /// sqrt of a number >= 0, and its relative error.
  std::pair<Real, double> root_of(std::uint32_t value) const {
    Exactly x(bits_);
    const bool exact = mpfr_sqrt_ui(x.number, value, MPFR_RNDN) == 0;
    return {x.template as<Real>(), exact ? 0 : 2 * rounding_.u};
  }
  /// A weight, and how far its products are off, relative to themselves.
  std::pair<Real, double> weight(const Rational& value) const {
    const Ball<Real> ball = round(value);
    // Beyond the range of the format no relative bound holds.
    if (!(ball.error <= rounding_.u * magnitude(ball.value) * (1 + 0x1p-40)))
      return {ball.value, INFINITY};
    int exponent = 0;
    const bool power_of_two = std::frexp(magnitude(ball.value), &exponent) == 0.5;
    if (ball.error > 0) return {ball.value, 2 * rounding_.u + 4 * rounding_.u * rounding_.u};
    return {ball.value, power_of_two ? 0 : rounding_.u};
  }

 private:
  struct Exactly {
    mpfr_t number;
    explicit Exactly(std::uint32_t bits) { mpfr_init2(number, bits); }
    Exactly(const Exactly&) = delete;
    Exactly& operator=(const Exactly&) = delete;
    ~Exactly() { mpfr_clear(number); }
    template <class To>
    To as() const {
      if constexpr (std::is_same_v<To, Mpfr>) {
        Mpfr result;
        mpfr_set(result.get(), number, MPFR_RNDN);
        return result;
      } else {
        return static_cast<To>(mpfr_get_d(number, MPFR_RNDN));
      }
    }
    /// As a number of the device that is off by a share of itself and by `more`; beyond the largest
    /// one nothing is known, and one of the smallest is rounded again. Exact only without a share,
    /// as the share of a small number may underflow.
    template <class To>
    Ball<To> within(double share, double more, const Rounding& rounding) const {
      const To rounded = as<To>();
      if (!(magnitude(rounded) < INFINITY)) return {To(0), INFINITY};
      double error = share * magnitude(rounded) + more;
      if constexpr (!std::is_same_v<To, Mpfr>)
        if (mpfr_cmp_d(number, as_double(rounded)) != 0) error += rounding.smallest;
      return {rounded, share == 0 && error == 0 ? 0 : safely_above(error)};
    }
  };
  std::uint32_t bits_;
  Rounding rounding_;
};

/// The model for runs of one size N (model.hpp).
template <class Real>
class PlanMaker {
 public:
  PlanMaker(const Model& model, const PrecisionFacts& facts, const Rounder<Real>& rounder,
            double size, bool distances)
      : model_(model), facts_(facts), rounder_(rounder), size_(size), distances_(distances) {}

  Plan<Real> make() const {
    Plan<Real> plan;
    plan.rounding = rounder_.rounding();
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[i];
      const LayerFacts& facts = facts_.layers[i];
      PlanLayer<Real>& planned = plan.layers.emplace_back();
      planned.attention_mask = mask(layer.attention.mask, facts.attention);
      const Reader reader =
          reader_of(planned.attention_mask, layer.attention.mask, facts.attention);
      for (std::size_t k = 0; k < layer.attention.heads.size(); ++k)
        planned.heads.push_back(head(layer.attention.heads[k], facts.heads[k], reader));
      planned.feedforward_mask = mask(layer.feedforward.mask, facts.feedforward);
      feedforward(layer.feedforward,
                  reader_of(planned.feedforward_mask, layer.feedforward.mask, facts.feedforward),
                  planned);
    }
    return plan;
  }

  /// The unembedding, which reads h itself. A row per logit.
  PlanMatrix<Real> unembedding() const { return every_row(rows_of(model_.unembedding, nullptr)); }

 private:
  using Row = std::vector<std::pair<std::uint32_t, Rational>>;  ///< column, weight
  using Rows = std::vector<Row>;

  /// What a matrix that reads z reads on the device: where a coordinate stands, and its factor.
  struct Reader {
    struct Place {
      std::uint32_t column;
      Rational factor;
    };
    std::map<std::uint32_t, Place> places;  ///< elsewhere z is zero
    bool folded = false;
  };

  static Reader reader_of(const PlanMask<Real>& planned, const SparseVector& mask,
                          const MaskFacts& facts) {
    Reader reader;
    reader.folded = planned.kind == PlanMask<Real>::Kind::folded;
    if (reader.folded) {
      for (const SparseEntry& e : mask) reader.places[e.index] = {e.index, *facts.scale * e.value};
    } else {
      for (std::uint32_t i = 0; i < planned.at.size(); ++i)
        reader.places[planned.at[i]] = {i, Rational(1)};
    }
    return reader;
  }

  PlanMask<Real> mask(const SparseVector& mask, const MaskFacts& facts) const {
    PlanMask<Real> planned;
    planned.width = model_.width;
    const auto keep = [&](std::uint32_t at, const Rational& value) {
      const auto [weight, relative] = rounder_.weight(value);
      planned.at.push_back(at);
      planned.weight.push_back(weight);
      planned.relative.push_back(value.is_zero() ? 0 : relative);
    };
    if (facts.scale) {
      planned.kind = PlanMask<Real>::Kind::folded;
      return planned;
    }
    if (facts.zero || (model_.norm == Norm::rms && mask.size() == 1)) {
      // One number, under layernorm beside its mirror image: its norm is its sign.
      planned.kind = PlanMask<Real>::Kind::sign;
      std::tie(planned.scale, planned.scale_error) =
          rounder_.root_of(model_.width / static_cast<std::uint32_t>(mask.size()));
      if (facts.zero) planned.least = facts.zero->at(size_);
    } else {
      std::tie(planned.scale, planned.scale_error) = rounder_.root_of(model_.width);
      planned.subtract_mean = model_.norm == Norm::layernorm;
      if (planned.subtract_mean) {
        std::vector<Rational> all(model_.width);
        for (const SparseEntry& e : mask) all[e.index] = e.value;
        for (std::uint32_t c = 0; c < model_.width; ++c) keep(c, all[c]);
        return planned;
      }
    }
    for (const SparseEntry& e : mask) keep(e.index, e.value);
    return planned;
  }

  /// The rows of a matrix; with a reader, in terms of what it reads.
  static Rows rows_of(const SparseMatrix& source, const Reader* reader) {
    Rows rows(source.rows);
    for (const MatrixEntry& e : source.entries) {
      if (!reader) {
        rows[e.row].emplace_back(e.column, e.value);
      } else if (const auto place = reader->places.find(e.column); place != reader->places.end()) {
        rows[e.row].emplace_back(place->second.column, e.value * place->second.factor);
      }
    }
    return rows;
  }

  void add_row(PlanMatrix<Real>& matrix, std::uint32_t target, const Row& row) const {
    if (matrix.start.empty()) matrix.start.push_back(0);
    for (const auto& [column, value] : row) {
      const auto [weight, relative] = rounder_.weight(value);
      matrix.column.push_back(column);
      matrix.weight.push_back(weight);
      matrix.relative.push_back(relative);
    }
    matrix.target.push_back(target);
    matrix.start.push_back(static_cast<std::uint32_t>(matrix.column.size()));
  }
  PlanMatrix<Real> every_row(const Rows& rows) const {
    PlanMatrix<Real> planned;
    for (std::uint32_t r = 0; r < rows.size(); ++r) add_row(planned, r, rows[r]);
    return planned;
  }
  PlanMatrix<Real> rows_with_entries(const Rows& rows) const {
    PlanMatrix<Real> planned;
    for (std::uint32_t r = 0; r < rows.size(); ++r)
      if (!rows[r].empty()) add_row(planned, r, rows[r]);
    return planned;
  }

  void feedforward(const FeedForward& source, const Reader& reader,
                   PlanLayer<Real>& planned) const {
    const Rows in = rows_of(source.in, &reader);
    std::vector<std::map<std::uint32_t, Rational>> out(in.size());  // per unit: target, weight
    for (const MatrixEntry& e : source.out.entries) out[e.column][e.row] = e.value;
    if (reader.folded) planned.linear = take_linear(in, out);
    Rows kept_out(model_.width);
    std::uint32_t units = 0;
    for (std::size_t unit = 0; unit < in.size(); ++unit) {
      if (out[unit].empty()) continue;
      for (const auto& [target, weight] : out[unit]) kept_out[target].emplace_back(units, weight);
      add_row(planned.in, units++, in[unit]);
    }
    planned.out = rows_with_entries(kept_out);
  }

  /// Takes what pairs of units add in equal and opposite amounts out of `out`: a linear map of h,
  /// together with what h keeps of itself.
  PlanMatrix<Real> take_linear(const Rows& in,
                               std::vector<std::map<std::uint32_t, Rational>>& out) const {
    std::map<std::uint32_t, std::map<std::uint32_t, Rational>> linear;  // target, column, weight
    std::map<std::string, std::size_t> by_row;
    const auto spelled = [](const Row& row, bool negated) {
      std::string text;
      for (const auto& [column, value] : row)
        text += fmt::format("{}:{} ", column, (negated ? -value : value).text());
      return text;
    };
    for (std::size_t unit = 0; unit < in.size(); ++unit) {
      const auto opposite = by_row.find(spelled(in[unit], true));
      if (opposite == by_row.end()) {
        by_row.emplace(spelled(in[unit], false), unit);
        continue;
      }
      auto& other = out[opposite->second];
      for (auto entry = out[unit].begin(); entry != out[unit].end();) {
        const auto& [target, weight] = *entry;
        const auto match = other.find(target);
        if (match == other.end() || !(match->second == -weight)) {
          ++entry;
          continue;
        }
        const auto [row, fresh] = linear.try_emplace(target);
        if (fresh) row->second[target] = 1;
        for (const auto& [column, value] : in[unit]) row->second[column] += weight * value;
        other.erase(match);
        entry = out[unit].erase(entry);
      }
      by_row.erase(opposite);
    }
    PlanMatrix<Real> planned;
    for (const auto& [target, weights] : linear) {
      Row row;
      for (const auto& [column, weight] : weights)
        if (!weight.is_zero()) row.emplace_back(column, weight);
      add_row(planned, target, row);
    }
    return planned;
  }

  PlanHead<Real> head(const Head& source, const HeadFacts& facts, const Reader& reader) const {
    PlanHead<Real> planned;
    planned.causal = source.causal;
    const Rows query = rows_of(source.query, &reader), key = rows_of(source.key, &reader);
    std::vector<std::uint32_t> order, block_rows;
    std::set<std::uint32_t> in_blocks;
    if (distances_)
      for (const KeyBlock& block : facts.blocks) {
        block_rows.insert(block_rows.end(), block.rows.begin(), block.rows.end());
        in_blocks.insert(block.rows.begin(), block.rows.end());
        planned.block_end.push_back(static_cast<std::uint32_t>(block_rows.size()));
        planned.block_norm.push_back(rounder_.root_of(block.square));
      }
    // Outside the blocks, dimensions where query or key is zero add nothing to the score.
    for (std::uint32_t row = 0; row < query.size(); ++row)
      if (!query[row].empty() && !key[row].empty() && !in_blocks.contains(row))
        order.push_back(row);
    planned.products = static_cast<std::uint32_t>(order.size());
    order.insert(order.end(), block_rows.begin(), block_rows.end());
    planned.compares = !order.empty();
    planned.scaled = distances_ && facts.scaled;
    using Selects = typename PlanHead<Real>::Selects;
    const auto* match = std::get_if<MatchContract>(&source.contract);
    const auto* find = std::get_if<FindContract>(&source.contract);
    if (std::holds_alternative<UniformContract>(source.contract)) planned.selects = Selects::all;
    if (std::holds_alternative<RightmostContract>(source.contract) ||
        (match && match->exactly_one) || (find && find->exactly_one))
      planned.selects = Selects::one;
    planned.matches = find && planned.compares && planned.products == 0;
    // The separation is one of scaled queries.
    if (facts.gap && (distances_ || facts.blocks.empty())) planned.gap = facts.gap->at(size_);
    for (std::uint32_t d = 0; d < order.size(); ++d) {
      add_row(planned.query, d, query[order[d]]);
      add_row(planned.key, d, key[order[d]]);
    }
    planned.value = every_row(rows_of(source.value, &reader));
    planned.output = rows_with_entries(rows_of(source.output, nullptr));
    return planned;
  }

  const Model& model_;
  const PrecisionFacts& facts_;
  const Rounder<Real>& rounder_;
  double size_;
  bool distances_;
};

}}}  // namespace logdepth::runtime_floats::float_pass
