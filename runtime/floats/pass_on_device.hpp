#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/floats/attend_head.hpp"
#include "runtime/floats/attention_rows.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/floats/token_steps.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {
inline namespace LOGDEPTH_SIDE {

/// The forward pass, written once. A backend has
///   Array<T>                      a vector of T on the device, made from a std::vector or a size
///   pointer(array)                its raw pointer
///   each(count, step)             step(0), ..., step(count - 1), in any order
///   largest(pointer, count)       of doubles >= 0
///   count(pointer, count, value)  of bytes
///   fetch(array, vector)          copies it to the host
///   kInLanes                      whether vectors of tokens are faster than tokens
template <class Backend, class Real>
class PassOnDevice final : public Pass<Real> {
 public:
  PassOnDevice(Backend backend, const Plan<Real>& plan, const Choice& choice)
      : backend_(std::move(backend)), choice_(choice), rounding_(plan.rounding) {
    for (const PlanLayer<Real>& layer : plan.layers) layers_.emplace_back(layer);
  }

  void load(std::size_t tokens, const std::vector<Real>& values,
            const std::vector<double>& errors) override {
    tokens_ = tokens;
    counts_ = {};
    h_ = Store(values, errors);
  }

  void attention(std::size_t index) override {
    const DeviceLayer& layer = layers_[index];
    counts_.promises.clear();
    if (layer.heads.empty()) return;
    const Store read = read_mask(layer.attention_mask);
    const Numbers<Real> z = view_of(layer.attention_mask, read);
    std::vector<Store> averages;
    for (const DeviceHead& head : layer.heads) averages.push_back(attend(head, z));
    for (std::size_t k = 0; k < layer.heads.size(); ++k)
      each_token(tokens_, AddProduct<Real>{layer.heads[k].output.view(), averages[k].view(tokens_),
                                           h_.view(tokens_), rounding_});
  }

  void feedforward(std::size_t index) override {
    const DeviceLayer& layer = layers_[index];
    const std::size_t rows = layer.in.rows + layer.linear.rows;
    if (rows == 0) return;
    const Store read = read_mask(layer.feedforward_mask);
    // As many tokens at a time as leave the units in a fixed room.
    std::size_t tile = kUnitRoom / rows;
    tile = tile < 1 ? 1 : tile > tokens_ ? tokens_ : tile;
    const Store scratch(rows * tile);
    for (std::size_t first = 0; first < tokens_; first += tile)
      each_token(tokens_ - first < tile ? tokens_ - first : tile,
                 FeedForwardStep<Real>{layer.in.view(), layer.out.view(), layer.linear.view(),
                                       view_of(layer.feedforward_mask, read), scratch.view(tile),
                                       h_.view(tokens_), first, rounding_});
  }

  void store(std::vector<Real>& values, std::vector<double>& errors) const override {
    backend_.fetch(h_.value, values);
    backend_.fetch(h_.error, errors);
  }
  const Counts& counts() const override { return counts_; }

 private:
  using Selects = typename PlanHead<Real>::Selects;
  template <class T>
  using Array = typename Backend::template Array<T>;

  /// The arrays are written through raw pointers by steps, also where the store itself is const.
  struct Store {
    mutable Array<Real> value;
    mutable Array<double> error;

    Store() = default;
    explicit Store(std::size_t size)
        : value(Backend::template zeros<Real>(size)),
          error(Backend::template zeros<double>(size)) {}
    Store(const std::vector<Real>& values, const std::vector<double>& errors)
        : value(values.begin(), values.end()), error(errors.begin(), errors.end()) {}
    Numbers<Real> view(std::size_t stride) const {
      return {Backend::pointer(value), Backend::pointer(error), stride};
    }
  };
  struct DeviceMatrix {
    mutable Array<std::uint32_t> target, start, column;
    mutable Array<Real> weight;
    mutable Array<double> relative;
    std::uint32_t rows;

    explicit DeviceMatrix(const PlanMatrix<Real>& m)
        : target(m.target.begin(), m.target.end()),
          start(m.start.begin(), m.start.end()),
          column(m.column.begin(), m.column.end()),
          weight(m.weight.begin(), m.weight.end()),
          relative(m.relative.begin(), m.relative.end()),
          rows(m.rows()) {}
    MatrixView<Real> view() const {
      return {Backend::pointer(target), Backend::pointer(start),    Backend::pointer(column),
              Backend::pointer(weight), Backend::pointer(relative), rows};
    }
  };
  struct DeviceMask {
    mutable Array<std::uint32_t> at;
    mutable Array<Real> weight;
    mutable Array<double> relative;
    PlanMask<Real> rest;  ///< without the arrays

    explicit DeviceMask(const PlanMask<Real>& m)
        : at(m.at.begin(), m.at.end()),
          weight(m.weight.begin(), m.weight.end()),
          relative(m.relative.begin(), m.relative.end()),
          rest(m) {}
    MaskView<Real> view() const {
      return {rest.kind,
              Backend::pointer(at),
              Backend::pointer(weight),
              Backend::pointer(relative),
              static_cast<std::uint32_t>(rest.at.size()),
              rest.scale,
              rest.scale_error,
              rest.least,
              rest.subtract_mean,
              rest.width};
    }
  };
  struct DeviceHead {
    PlanHead<Real> rest;  ///< matrices are not used
    mutable Array<std::uint32_t> block_end;
    mutable Array<Real> block_norm;
    DeviceMatrix query, key, value, output;

    explicit DeviceHead(const PlanHead<Real>& h)
        : rest(h),
          block_end(h.block_end.begin(), h.block_end.end()),
          block_norm(h.block_norm.begin(), h.block_norm.end()),
          query(h.query),
          key(h.key),
          value(h.value),
          output(h.output) {}
  };
  struct DeviceLayer {
    DeviceMask attention_mask, feedforward_mask;
    std::vector<DeviceHead> heads;
    DeviceMatrix in, out, linear;

    explicit DeviceLayer(const PlanLayer<Real>& l)
        : attention_mask(l.attention_mask),
          feedforward_mask(l.feedforward_mask),
          heads(l.heads.begin(), l.heads.end()),
          in(l.in),
          out(l.out),
          linear(l.linear) {}
  };

  /// What the matrices behind a mask read: z, or h itself.
  Numbers<Real> view_of(const DeviceMask& mask, const Store& read) const {
    return mask.rest.kind == PlanMask<Real>::Kind::folded ? h_.view(tokens_) : read.view(tokens_);
  }

  /// Linear maps, which take several tokens at a time where that is faster.
  template <class Step>
  void each_token(std::size_t count, const Step& step) const {
    if constexpr (Backend::kInLanes) {
      backend_.each(InLanes<Step>::parts(count), InLanes<Step>{step, count});
    } else {
      backend_.each(count, step);
    }
  }

  Store read_mask(const DeviceMask& mask) {
    if (mask.rest.kind == PlanMask<Real>::Kind::folded) return {};
    const Store z(mask.rest.at.size() * tokens_);
    const bool sign = mask.rest.kind == PlanMask<Real>::Kind::sign;
    Array<std::uint8_t> decided = Backend::template zeros<std::uint8_t>(sign ? tokens_ : 0);
    backend_.each(tokens_,
                  ReadMask<Real>{mask.view(), h_.view(tokens_), z.view(tokens_), rounding_,
                                 choice_.rule == Choice::Rule::snapped, choice_.tolerance,
                                 choice_.rule == Choice::Rule::bounded, Backend::pointer(decided)});
    if (sign) {
      counts_.tests += tokens_;
      counts_.open_tests += backend_.count(Backend::pointer(decided), tokens_, 0);
    }
    return z;
  }

  Store project(const DeviceMatrix& matrix, const Numbers<Real>& z) {
    const Store out(matrix.rows * tokens_);
    each_token(tokens_, Project<Real>{matrix.view(), z, out.view(tokens_), rounding_});
    return out;
  }

  Store attend(const DeviceHead& head, const Numbers<Real>& z) {
    const Store value = project(head.value, z);
    const Store average(head.value.rows * tokens_);
    ContractCounts& promises = counts_.promises.emplace_back();
    if (!head.rest.compares) {
      // All scores are equal: every visible position is selected.
      const std::uint64_t one = head.rest.causal || tokens_ == 1 ? 1 : 0;
      if (head.rest.selects == Selects::all) promises.kept = tokens_;
      if (head.rest.selects == Selects::one) promises = {one, tokens_ - one, 0, 0};
      if (head.rest.selects == Selects::anything) promises.unread = tokens_;
      backend_.each(head.value.rows, AverageAll<Real>{value.view(tokens_), average.view(tokens_),
                                                      tokens_, head.rest.causal, rounding_});
      return average;
    }
    compare(head, project(head.query, z), project(head.key, z), value, average);
    return average;
  }

  void compare(const DeviceHead& head, const Store& query, const Store& key, const Store& value,
               const Store& average) {
    const std::uint32_t dimensions = head.key.rows;
    Array<double> sizes = Backend::template zeros<double>(key.error.size());
    backend_.each(key.error.size(), Magnitude<Real>{key.view(tokens_), Backend::pointer(sizes)});
    std::vector<double> largest_error, largest_size;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      largest_error.push_back(backend_.largest(Backend::pointer(key.error) + d * tokens_, tokens_));
      largest_size.push_back(backend_.largest(Backend::pointer(sizes) + d * tokens_, tokens_));
    }
    Array<double> key_error(largest_error.begin(), largest_error.end());
    Array<double> key_size(largest_size.begin(), largest_size.end());
    const std::size_t blocks = head.rest.block_end.size();
    Array<Real> weight = Backend::template zeros<Real>(blocks * tokens_);
    Array<RowBounds> bounds = Backend::template zeros<RowBounds>(tokens_);
    const HeadView<Real> view{head.rest.causal,
                              head.rest.products,
                              dimensions - head.rest.products,
                              static_cast<std::uint32_t>(blocks),
                              Backend::pointer(head.block_end),
                              Backend::pointer(head.block_norm),
                              Backend::pointer(key_error),
                              Backend::pointer(key_size),
                              head.rest.scaled && choice_.temperature == 0,
                              head.rest.gap,
                              head.rest.selects,
                              head.rest.matches,
                              query.view(tokens_),
                              key.view(tokens_),
                              Backend::pointer(weight),
                              Backend::pointer(bounds)};
    Array<std::uint8_t> states = Backend::template zeros<std::uint8_t>(tokens_);
    Array<std::uint8_t> promised = Backend::template zeros<std::uint8_t>(tokens_);
    const auto answer = [&](auto score_of) {
      using Score = typename decltype(score_of)::type;
      AttendHead<Backend, Real>(backend_, view, value.view(tokens_), average.view(tokens_),
                                head.value.rows, tokens_, choice_, rounding_,
                                reinterpret_cast<RowState*>(Backend::pointer(states)),
                                reinterpret_cast<RowContract*>(Backend::pointer(promised)))
          .template answer<Score>(query.value, query.error, key.value);
    };
    choose(view, answer);
    const auto rows = [&](RowState state) {
      return backend_.count(Backend::pointer(states), tokens_, static_cast<std::uint8_t>(state));
    };
    counts_.single += rows(RowState::single);
    counts_.ties += rows(RowState::tie);
    counts_.alike += rows(RowState::alike);
    counts_.ambiguous += rows(RowState::ambiguous);
    const auto of = [&](RowContract contract) {
      return backend_.count(Backend::pointer(promised), tokens_,
                            static_cast<std::uint8_t>(contract));
    };
    ContractCounts& promises = counts_.promises.back();
    promises.kept = of(RowContract::kept);
    promises.broken = of(RowContract::broken);
    (head.rest.selects == Selects::anything ? promises.unread : promises.open) =
        of(RowContract::open);
  }

  template <class Score>
  struct Of {
    using type = Score;
  };
  /// The loop for the dimensions at hand, if it is one of those that the compiler unrolled.
  template <class Answer>
  static void choose(const HeadView<Real>& head, const Answer& answer) {
    if constexpr (std::is_floating_point_v<Real>) {
      const auto shape = std::pair{head.products, head.metric};
      if (head.scaled && shape == std::pair{0u, 2u})
        return answer(Of<ScoreOfKey<Real, 0, 2, false>>{});
      if (head.scaled && shape == std::pair{0u, 4u})
        return answer(Of<ScoreOfKey<Real, 0, 4, false>>{});
      if (shape == std::pair{1u, 0u}) return answer(Of<ScoreOfKey<Real, 1, 0, false>>{});
      if (shape == std::pair{2u, 0u}) return answer(Of<ScoreOfKey<Real, 2, 0, false>>{});
      if (shape == std::pair{4u, 0u}) return answer(Of<ScoreOfKey<Real, 4, 0, false>>{});
      if (shape == std::pair{0u, 4u}) return answer(Of<ScoreOfKey<Real, 0, 4, true>>{});
      if (shape == std::pair{1u, 4u}) return answer(Of<ScoreOfKey<Real, 1, 4, true>>{});
    }
    answer(Of<ScoreOfAnyKey<Real>>{});
  }

  static constexpr std::size_t kUnitRoom = std::size_t{1} << 22;

  Backend backend_;
  Choice choice_;
  Rounding rounding_;
  std::vector<DeviceLayer> layers_;
  std::size_t tokens_ = 0;
  Store h_;
  Counts counts_;
};

}}}}  // namespace logdepth::runtime_floats::float_pass::LOGDEPTH_SIDE
