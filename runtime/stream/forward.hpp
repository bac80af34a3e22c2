#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/segment_map.hpp"
#include "runtime/stream/stream.hpp"
#include "runtime/stream/sublayer_maps.hpp"

namespace logdepth { inline namespace runtime_stream {

enum class Sublayer { attention, feedforward };

/// A place in the unrolled computation. `step` counts executed layers from 1; `layer` is the index
/// in the file.
struct Location {
  std::size_t step = 0;
  std::size_t layer = 0;
  Sublayer sublayer = Sublayer::attention;
};

template <class Value>
class ForwardObserver {
 public:
  virtual ~ForwardObserver() = default;
  virtual void before(const Location&, const Stream<Value>&) {}
  /// What a head is about to compare; `rows` lives until the head has answered its last row.
  virtual void on_head(const Location&, std::size_t /*head*/, const HeadRows<Value>& /*rows*/) {}
  virtual void on_row(const Location&, std::size_t /*head*/, const SelectedRow&) {}
  virtual void after(const Location&, const Stream<Value>&) {}
};

/// The forward pass of MS25 Def. 2.1-2.3 on a residual stream, written once over the numbers.
///
/// Nothing is computed twice. The stream holds interned tuples, so everything that happens to a
/// token on its own (norm, queries, keys, values, feed-forward, sums) is a function of a few ids
/// and is remembered by them; what is left per token and layer are look-ups, and the attention.
/// Where the columns that a head reads of a short input come again, all of its rows are looked up at once.
template <Arithmetic A>
class Forward {
 public:
  using Value = typename A::Value;
  using Observer = ForwardObserver<Value>;

  /// Keeps references: model and arithmetic must outlive this object. `memory`: how many bytes a
  /// run may hold.
  Forward(const Model& model, A& arithmetic, std::size_t memory)
      : model_(model), a_(arithmetic), memory_(memory) {
    forget();
  }

  /// Drops everything remembered, tuples too. Streams made before cannot be run.
  void forget() {
    pools_ = std::make_shared<SegmentPools<Value>>(segments_of(model_), a_.zero());
    // Two words have few columns in common, the pairs of a graph most.
    pools_->interns_columns = A::kRepeats && !std::holds_alternative<WordInput>(model_.input);
    forget_memos();
  }
  /// What tuples, memos and numbers hold.
  std::size_t bytes() const {
    return pools_->bytes() + pools_->columns.bytes() + sums_->bytes() + readout_->bytes() +
           a_.bytes() + layers_hold_;
  }

  /// A stream of zeros, for run().
  Stream<Value> stream(std::size_t tokens) const { return {pools_, tokens}; }

  /// Runs s initial layers, `loops` times the r repeated ones, then t final ones. Errors: SizeLimit
  /// when the run needs more memory than it may hold, also after it has dropped what it remembers;
  /// the sentence names the sublayer where that was seen.
  Outcome<Stream<Value>> run(Stream<Value> stream, std::size_t loops,
                             const std::vector<Observer*>& observers) {
    if (const std::size_t columns = pools_->columns.bytes();
        columns > 0 && columns + layers_hold_ > std::min(kMostBesideColumns, memory_ / 16))
      forget_memos();
    std::size_t step = 0;
    const auto run_layers = [&](std::size_t first, std::size_t count) -> std::optional<Refusal> {
      for (std::size_t layer = first; layer < first + count; ++layer) {
        ++step;
        for (const Sublayer sublayer : {Sublayer::attention, Sublayer::feedforward}) {
          const Location location{step, layer, sublayer};
          for (Observer* observer : observers) observer->before(location, stream);
          std::optional<Refusal> failure;
          within_limits(location, stream, [&] {
            failure = sublayer == Sublayer::attention ? attend(location, stream, observers)
                                                      : feed_forward(location, stream);
          });
          if (failure) {
            count_bytes(layer);
            return failure;
          }
          for (Observer* observer : observers) observer->after(location, stream);
          within_limits(location, stream, [&] { keep_within_memory(location.layer, stream); });
        }
      }
      return std::nullopt;
    };
    const Shape& shape = model_.shape;
    if (auto failure = run_layers(0, shape.initial)) return *failure;
    for (std::size_t loop = 0; loop < loops; ++loop)
      if (auto failure = run_layers(shape.initial, shape.repeated)) return *failure;
    if (auto failure = run_layers(shape.initial + shape.repeated, shape.final)) return *failure;
    return stream;
  }

  /// unembedding * h for one token; valid until the next call.
  std::span<const Value> logits(const Stream<Value>& stream, std::size_t token) {
    std::span<const Value> found;
    within_limits([&] { return fmt::format("logits of token {}", token); },
                  [&] { found = readout_->logits(stream, token); });
    return found;
  }

 private:
  /// Tokens or rows between two looks at what is held: seldom enough to cost nothing.
  static constexpr std::size_t kBetweenLooks = 16;
  /// What is remembered from input to input where columns are: they come again in others that follow.
  static constexpr std::size_t kMostBesideColumns = std::size_t{1} << 26;

  struct PreparedLayer {
    const Layer& layer;
    MaskedRead<A> attention_read, feedforward_read;
    std::vector<HeadMaps<A>> heads;
    ReluMap<A> relu;
    std::size_t held = 0;  ///< what bytes() was when the layer had last run

    PreparedLayer(const Model& model, const Layer& source, SegmentPools<Value>& pools, A& a)
        : layer(source),
          attention_read(model, source.attention.mask, readers(source.attention), pools, a),
          feedforward_read(model, source.feedforward.mask, {&source.feedforward.in}, pools, a),
          relu(source.feedforward, feedforward_read.layout(), pools, a) {
      heads.reserve(source.attention.heads.size());
      for (const Head& head : source.attention.heads)
        heads.emplace_back(head, attention_read.layout(), pools, a);
    }
    std::size_t bytes() const {
      std::size_t total = attention_read.bytes() + feedforward_read.bytes() + relu.bytes();
      for (const HeadMaps<A>& head : heads) total += head.bytes();
      return total;
    }
    static std::vector<const SparseMatrix*> readers(const Attention& attention) {
      std::vector<const SparseMatrix*> matrices;
      for (const Head& head : attention.heads)
        matrices.insert(matrices.end(), {&head.query, &head.key, &head.value});
      return matrices;
    }
  };

  /// The unembedding reads the stream itself, all of it, without mask and norm.
  struct Readout {
    ReadLayout layout;
    SegmentMap<A> map;
    TuplePool<Value> images;
    std::vector<std::uint32_t> key;

    Readout(const Model& model, SegmentPools<Value>& pools, A& a)
        : layout(everything(pools.segments)),
          map(model.unembedding, layout, pools, a),
          images(model.unembedding.rows, a.zero()),
          key(1 + layout.segments.size(), 0) {}
    std::span<const Value> logits(const Stream<Value>& stream, std::size_t token) {
      for (std::size_t s = 0; s < layout.segments.size(); ++s) key[1 + s] = stream.id(token, s);
      return images[map({key}, images)];
    }
    std::size_t bytes() const { return map.bytes() + images.bytes(); }
    static ReadLayout everything(const Segments& segments) {
      ReadLayout layout;
      for (std::uint32_t s = 0; s < segments.size(); ++s) layout.segments.push_back(s);
      layout.mask.assign(segments.place.size(), Rational(1));
      return layout;
    }
  };

  void forget_memos() {
    layers_.clear();
    layers_hold_ = 0;
    pools_->columns.clear();
    sums_.emplace(*pools_, a_);
    for (const Layer& layer : model_.layers) {
      layers_.push_back(std::make_unique<PreparedLayer>(model_, layer, *pools_, a_));
      count_bytes(layers_.size() - 1);
    }
    readout_.emplace(model_, *pools_, a_);
  }

  /// What a layer remembers grows only while it runs.
  void count_bytes(std::size_t layer) {
    PreparedLayer& prepared = *layers_[layer];
    layers_hold_ -= std::exchange(prepared.held, prepared.bytes());
    layers_hold_ += prepared.held;
  }

  /// A limit that is reached is said with its place, a text made when it is needed, and leaves no sum
  /// half added.
  template <class Place, class Work>
  void within_limits(Place place, Work work) {
    try {
      work();
    } catch (const SizeLimit& limit) {
      forget_memos();
      a_.abandon_sums();
      throw SizeLimit(place() + ": " + limit.what());
    }
  }
  template <class Work>
  void within_limits(const Location& location, const Stream<Value>& stream, Work work) {
    within_limits(
        [&] { return fmt::format("{} of {} tokens", sublayer_text(location), stream.tokens); },
        work);
  }

  void expect_within_memory(std::size_t held) const {
    if (held <= memory_) return;
    throw SizeLimit("the run holds " + bytes_text(held) + "; the limit is " + bytes_text(memory_));
  }
  void keep_within_memory(std::size_t layer, const Stream<Value>& stream) {
    count_bytes(layer);
    if (bytes() + stream.bytes() <= memory_) return;
    forget_memos();
    expect_within_memory(bytes() + stream.bytes());
  }
  /// Within a sublayer nothing is dropped, and what it remembers is not held against it: what does
  /// not fit without that will not fit at its end.
  void look_at_memory(const Stream<Value>& stream, const PreparedLayer& prepared) const {
    std::size_t held = a_.bytes() + pools_->bytes() + stream.bytes();
    for (const HeadMaps<A>& head : prepared.heads) held += head.tuple_bytes();
    expect_within_memory(held);
  }

  static std::string sublayer_text(const Location& location) {
    return fmt::format("layer {}, {}", location.step,
                       location.sublayer == Sublayer::attention ? "attention" : "feed-forward");
  }
  static OutsideField outside_field(const Location& location, std::size_t token,
                                    const std::string& reason) {
    return {fmt::format("{} mask, token {}: {}", sublayer_text(location), token, reason)};
  }

  std::optional<Refusal> attend(const Location& location, Stream<Value>& stream,
                                const std::vector<Observer*>& observers) {
    PreparedLayer& prepared = *layers_[location.layer];
    if (prepared.heads.empty()) return std::nullopt;
    const ReadColumns columns =
        stream.has_columns() ? prepared.attention_read.load_columns(stream) : ReadColumns();
    bool known = true;
    for (HeadMaps<A>& head : prepared.heads)
      if (!head.begin(columns)) known = false;
    for (std::size_t token = 0; token < stream.tokens && !known; ++token) {
      look_for_interruption();
      if (const auto reason = prepared.attention_read.load(stream, token))
        return outside_field(location, token, *reason);
      for (HeadMaps<A>& head : prepared.heads)
        if (!head.is_known()) head.take(prepared.attention_read);
      if (token % kBetweenLooks == 0) look_at_memory(stream, prepared);
    }
    // Every head has read its input, so outputs may be added in place.
    std::size_t answered = 0;
    for (std::size_t k = 0; k < prepared.heads.size(); ++k) {
      HeadMaps<A>& head = prepared.heads[k];
      for (Observer* observer : observers) observer->on_head(location, k, head.rows());
      const auto show = [&](const SelectedRow& selected) {
        look_for_interruption();
        for (Observer* observer : observers) observer->on_row(location, k, selected);
      };
      if (head.is_known()) {
        head.repeat(show);
      } else {
        head.attend([&](const SelectedRow& selected, std::span<const TupleId> averages) {
          show(selected);
          if (columns.empty()) head.write(averages, selected.row, stream, *sums_);
          if (answered++ % kBetweenLooks == 0) look_at_memory(stream, prepared);
        });
      }
      if (!columns.empty()) head.write(stream, *sums_);
    }
    return std::nullopt;
  }

  std::optional<Refusal> feed_forward(const Location& location, Stream<Value>& stream) {
    PreparedLayer& prepared = *layers_[location.layer];
    if (prepared.layer.feedforward.in.rows == 0) return std::nullopt;
    for (std::size_t token = 0; token < stream.tokens; ++token) {
      look_for_interruption();
      if (const auto reason = prepared.feedforward_read.load(stream, token))
        return outside_field(location, token, *reason);
      for (const SegmentDelta& delta : prepared.relu(prepared.feedforward_read))
        stream.set_id(token, delta.segment,
                      (*sums_)(delta.segment, stream.id(token, delta.segment), delta.tuple));
      if (token % kBetweenLooks == 0) look_at_memory(stream, prepared);
    }
    return std::nullopt;
  }

  const Model& model_;
  A& a_;
  std::size_t memory_;
  std::shared_ptr<SegmentPools<Value>> pools_;
  std::optional<SegmentSums<A>> sums_;
  std::vector<std::unique_ptr<PreparedLayer>> layers_;
  std::size_t layers_hold_ = 0;  ///< all that layers remember
  std::optional<Readout> readout_;
};

}}  // namespace logdepth::runtime_stream
