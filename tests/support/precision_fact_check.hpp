#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/file/precision_facts.hpp"
#include "runtime/stream/forward.hpp"

namespace logdepth::laws {

/// Compares every precision fact of a weights file with the numbers of exact runs, exactly.
class PrecisionFactCheck : public ForwardObserver<ValueId> {
 public:
  PrecisionFactCheck(const Model& model, const PrecisionFacts& facts, const ValuePool& pool)
      : model_(model), facts_(facts), pool_(pool) {}

  /// The N of the next run.
  void next_size(const Rational& size) { size_ = size; }
  /// The first fact that did not hold, as a sentence; empty: all held.
  const std::string& broken() const { return broken_; }
  /// Facts that no number has been compared with, as in "layer 2, head 0: gap".
  std::vector<std::string> unseen() const {
    std::vector<std::string> missing;
    for (const std::string& fact : stated())
      if (!seen_.contains(fact)) missing.push_back(fact);
    return missing;
  }
  /// How often each kind of fact was compared with a number.
  const std::map<std::string, std::size_t>& compared() const { return compared_; }

  void before(const Location& location, const Stream<ValueId>& stream) override {
    const Layer& layer = model_.layers[location.layer];
    const bool attention = location.sublayer == Sublayer::attention;
    const SparseVector& mask = attention ? layer.attention.mask : layer.feedforward.mask;
    const LayerFacts& facts = facts_.layers[location.layer];
    const MaskFacts& known = attention ? facts.attention : facts.feedforward;
    at_ = "layer " + std::to_string(location.layer) +
          (attention ? ", attention: " : ", feed-forward: ");
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      std::vector<Real> masked;
      for (const SparseEntry& e : mask)
        masked.push_back(pool_[stream.at(token, e.index)].scaled(e.value));
      if (known.scale) check_scale(*known.scale, masked);
      if (known.zero) check_zero(*known.zero, masked);
    }
  }

  void on_head(const Location& location, std::size_t head, const HeadRows<ValueId>& rows) override {
    const HeadFacts& known = facts_.layers[location.layer].heads[head];
    at_ = head_name(location.layer, head);
    queries_.clear();
    keys_.clear();
    for (std::size_t token = 0; token < rows.tokens(); ++token) {
      keys_.push_back(numbers(rows.key(token)));
      queries_.push_back(numbers(rows.query(token)));
      for (const KeyBlock& block : known.blocks) {
        see("block");
        expect(square(keys_.back(), block.rows) == Real(block.square),
               "the keys of a block have another norm");
      }
    }
    if (!known.scaled) return;
    for (std::vector<Real>& query : queries_)
      for (const KeyBlock& block : known.blocks) scale(query, block, known);
  }

  void on_row(const Location& location, std::size_t head, const SelectedRow& row) override {
    const HeadFacts& known = facts_.layers[location.layer].heads[head];
    if (!known.gap && !known.scaled) return;
    at_ = head_name(location.layer, head);
    std::map<std::vector<Real>, Real, Before> by_key;
    std::vector<Real> scores;
    for (std::size_t j = 0; j < row.visible; ++j) {
      const auto [entry, fresh] = by_key.try_emplace(keys_[j]);
      if (fresh) entry->second = product(queries_[row.row], keys_[j]);
      scores.push_back(entry->second);
    }
    const Real best = *std::max_element(scores.begin(), scores.end());
    if (known.scaled) {
      see("scaled");
      std::vector<std::size_t> selected;
      for (std::size_t j = 0; j < row.visible; ++j)
        if (scores[j] == best) selected.push_back(j);
      expect(selected == (*row.positions)(), "scaled queries select something else");
    }
    if (!known.gap) return;
    const Real law = bound(*known.gap);
    for (const auto& [key, score] : by_key) {
      if (score == best) continue;
      see("gap");
      expect(best - score >= law, "a score is too near to the largest");
    }
  }

 private:
  struct Before {
    bool operator()(const std::vector<Real>& a, const std::vector<Real>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  static std::string head_name(std::size_t layer, std::size_t head) {
    return "layer " + std::to_string(layer) + ", head " + std::to_string(head) + ": ";
  }

  void see(const std::string& kind) {
    seen_.insert(at_ + kind);
    ++compared_[kind];
  }
  void expect(bool holds, const std::string& sentence) {
    if (!holds && broken_.empty()) broken_ = at_ + sentence;
  }

  Rational bound(const SeparationLaw& law) const {
    Rational value = law.coefficient;
    for (std::uint32_t i = 0; i < law.exponent; ++i) value = value / size_;
    return value;
  }
  std::vector<Real> numbers(std::span<const ValueId> ids) const {
    std::vector<Real> values;
    for (const ValueId id : ids) values.push_back(pool_[id]);
    return values;
  }
  static Real product(const std::vector<Real>& a, const std::vector<Real>& b) {
    Real sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
    return sum;
  }
  static Real square(const std::vector<Real>& vector, const std::vector<std::uint32_t>& rows) {
    Real sum;
    for (const std::uint32_t row : rows) sum = sum + vector[row] * vector[row];
    return sum;
  }

  /// The block of the query gets the norm of the keys'. The root of an irrational norm is left out,
  /// which a gap would notice: no head of such queries has one.
  void scale(std::vector<Real>& query, const KeyBlock& block, const HeadFacts& known) {
    const Real own = square(query, block.rows);
    expect(own.sign() > 0, "a query to be scaled is zero");
    expect(own.is_rational() || !known.gap, "a query of irrational norm has a gap");
    if (own.sign() <= 0 || !own.is_rational()) return;
    const Rational factor = own.rational_part() / block.square;
    for (const std::uint32_t row : block.rows) query[row] = query[row].divided_by_root(factor);
  }

  void check_scale(const Rational& scale, const std::vector<Real>& masked) {
    see("scale");
    Real squares, sum;
    for (const Real& x : masked) {
      squares = squares + x * x;
      sum = sum + x;
    }
    // norm(x) = sqrt(m) x / ||x||, of a mean of zero under layernorm.
    expect(squares.scaled(scale * scale) == Real(static_cast<std::int64_t>(model_.width)),
           "the norm has another scale");
    expect(model_.norm == Norm::rms || sum.is_zero(), "the mean is not zero");
  }

  void check_zero(const SeparationLaw& law, const std::vector<Real>& masked) {
    for (const Real& x : masked) {
      if (x.is_zero()) continue;
      see("zero");
      expect((x.sign() < 0 ? -x : x) >= Real(bound(law)), "a number is too near to zero");
    }
  }

  std::set<std::string> stated() const {
    std::set<std::string> all;
    for (std::size_t l = 0; l < facts_.layers.size(); ++l) {
      const LayerFacts& layer = facts_.layers[l];
      const std::string name = "layer " + std::to_string(l);
      for (const bool attention : {true, false}) {
        const MaskFacts& mask = attention ? layer.attention : layer.feedforward;
        const std::string sublayer = name + (attention ? ", attention: " : ", feed-forward: ");
        if (mask.scale) all.insert(sublayer + "scale");
        if (mask.zero) all.insert(sublayer + "zero");
      }
      for (std::size_t k = 0; k < layer.heads.size(); ++k) {
        if (!layer.heads[k].blocks.empty()) all.insert(head_name(l, k) + "block");
        if (layer.heads[k].scaled) all.insert(head_name(l, k) + "scaled");
        if (layer.heads[k].gap) all.insert(head_name(l, k) + "gap");
      }
    }
    return all;
  }

  const Model& model_;
  const PrecisionFacts& facts_;
  const ValuePool& pool_;
  Rational size_ = 1;
  std::string at_, broken_;
  std::set<std::string> seen_;
  std::map<std::string, std::size_t> compared_;
  std::vector<std::vector<Real>> queries_, keys_;
};

}  // namespace logdepth::laws
