#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/masked_read.hpp"
#include "runtime/stream/segment_map.hpp"
#include "runtime/stream/stream.hpp"
#include "runtime/stream/term_sum.hpp"

namespace logdepth::inline runtime_stream {

/// One head between its mask and its sublayer's output: z to queries, keys and value parts of all
/// tokens, and averages of value parts to what they add to the segments.
template <Arithmetic A>
class HeadMaps {
 public:
  using Value = typename A::Value;

  /// Keeps references to everything.
  HeadMaps(const Head& head, const ReadLayout& layout, SegmentPools<Value>& pools, A& a)
      : pools_(pools),
        a_(a),
        vectors_(std::make_unique<TuplePool<Value>>(head.query.rows, a.zero())),
        query_(head.query, layout, pools, a),
        key_(head.key, layout, pools, a) {
    rows_.causal = head.causal;
    rows_.vectors = vectors_.get();
    find_parts(head, layout);
  }

  /// Takes the queries, keys and values of the next token.
  void take(const MaskedRead<A>& read) {
    rows_.queries.push_back(query_(read, *vectors_));
    rows_.keys.push_back(key_(read, *vectors_));
    for (std::size_t p = 0; p < parts_.size(); ++p)
      rows_.values[p].ids.push_back(parts_[p].map(read, *parts_[p].tuples));
  }
  /// Forgets all tokens.
  void restart() {
    rows_.queries.clear();
    rows_.keys.clear();
    for (auto& part : rows_.values) part.ids.clear();
  }
  std::size_t bytes() const {
    std::size_t total = tuple_bytes() + query_.bytes() + key_.bytes() + memory_.bytes();
    for (const Part& part : parts_)
      total += part.map.bytes() + part.deltas.capacity() * sizeof(TupleId);
    return total;
  }
  /// Of these, what the queries, keys and values of an input take, which cannot be dropped while
  /// the head attends.
  std::size_t tuple_bytes() const {
    std::size_t total =
        vectors_->bytes() + (rows_.queries.capacity() + rows_.keys.capacity()) * sizeof(TupleId);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      total += parts_[p].tuples->bytes() + rows_.values[p].ids.capacity() * sizeof(TupleId);
    return total;
  }
  HeadRows<Value>& rows() { return rows_; }
  typename A::HeadMemory& memory() { return memory_; }

  /// Adds output * average to a token of the stream.
  void write(std::span<const TupleId> averages, std::size_t token, Stream<Value>& stream,
             SegmentSums<A>& sums) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (averages[p] == TuplePool<Value>::kZero) continue;
      Part& part = parts_[p];
      const TupleId* deltas = outputs_of(part, averages[p]);
      for (std::size_t w = 0; w < part.written.size(); ++w) {
        TupleId& h = stream.id(token, part.written[w]);
        h = sums(part.written[w], h, deltas[w]);
      }
    }
  }

 private:
  struct Output {
    std::size_t written, component;
    std::uint32_t offset;
    Rational weight;
  };
  struct Part {
    std::unique_ptr<TuplePool<Value>> tuples;
    SegmentMap<A> map;
    std::vector<std::uint32_t> written;  ///< segments
    std::vector<Output> outputs;
    /// Per tuple, what it adds to the written segments; kUnknown until asked for.
    std::vector<TupleId> deltas;
  };

  /// Components of the values by the segments that they come from and go to; a component that
  /// comes from nowhere or goes nowhere is left out.
  void find_parts(const Head& head, const ReadLayout& layout) {
    using Segments = std::set<std::uint32_t>;
    std::vector<std::pair<Segments, Segments>> ends(head.value.rows);
    for (const MatrixEntry& e : head.value.entries)
      ends[e.row].first.insert(pools_.segments.place[e.column].segment);
    for (const MatrixEntry& e : head.output.entries)
      ends[e.column].second.insert(pools_.segments.place[e.row].segment);
    std::map<std::pair<Segments, Segments>, std::vector<std::uint32_t>> groups;
    for (std::uint32_t row = 0; row < ends.size(); ++row)
      if (!ends[row].first.empty() && !ends[row].second.empty()) groups[ends[row]].push_back(row);
    for (const auto& [group, rows] : groups) {
      parts_.push_back({std::make_unique<TuplePool<Value>>(rows.size(), a_.zero()),
                        SegmentMap<A>(head.value, rows, layout, pools_, a_),
                        {group.second.begin(), group.second.end()},
                        {},
                        {}});
      Part& part = parts_.back();
      rows_.values.push_back({part.tuples.get(), {}});
      for (const MatrixEntry& e : head.output.entries) {
        const auto row = std::find(rows.begin(), rows.end(), e.column);
        if (row == rows.end()) continue;
        const Segments::value_type segment = pools_.segments.place[e.row].segment;
        const auto written = std::find(part.written.begin(), part.written.end(), segment);
        part.outputs.push_back({static_cast<std::size_t>(written - part.written.begin()),
                                static_cast<std::size_t>(row - rows.begin()),
                                pools_.segments.place[e.row].offset, e.value});
      }
    }
  }

  const TupleId* outputs_of(Part& part, TupleId average) {
    const std::size_t width = part.written.size();
    if (part.deltas.size() < (average + 1) * width)
      part.deltas.resize(part.tuples->size() * width, Memo::kUnknown);
    TupleId* deltas = part.deltas.data() + average * width;
    if (deltas[0] == Memo::kUnknown) {
      sums_.resize(width);
      for (std::size_t w = 0; w < width; ++w)
        sums_[w].resize(pools_.segments.coordinates[part.written[w]].size());
      const auto values = (*part.tuples)[average];
      for (const Output& output : part.outputs) {
        const Value x = values[output.component];
        if (!a_.is_zero(x)) sums_[output.written][output.offset].add(a_, output.weight, x);
      }
      for (std::size_t w = 0; w < width; ++w) {
        tuple_.clear();
        for (TermSum<A>& component : sums_[w]) tuple_.push_back(component.close(a_));
        deltas[w] = pools_.tuples[part.written[w]].intern(tuple_.data());
      }
    }
    return deltas;
  }

  SegmentPools<Value>& pools_;
  A& a_;
  std::unique_ptr<TuplePool<Value>> vectors_;  // queries and keys
  SegmentMap<A> query_, key_;
  std::vector<Part> parts_;
  HeadRows<Value> rows_;
  typename A::HeadMemory memory_;
  // Scratch of outputs_of().
  std::vector<std::vector<TermSum<A>>> sums_;
  std::vector<Value> tuple_;
};

}  // namespace logdepth::inline runtime_stream
