#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
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
        causal_(head.causal),
        vectors_(std::make_unique<TuplePool<Value>>(head.query.rows, a.zero())),
        query_(head.query, layout, pools, a),
        key_(head.key, layout, pools, a) {
    find_parts(head, layout);
    std::set<std::size_t> read(query_.parts().begin(), query_.parts().end());
    read.insert(key_.parts().begin(), key_.parts().end());
    for (const Part& part : parts_) read.insert(part.map.parts().begin(), part.map.parts().end());
    read_.assign(read.begin(), read.end());
    column_key_.resize(1 + read_.size());
    forget_columns();
  }

  /// Begins an input: whether it is one that came before, so that its rows are there and repeat() answers
  /// them. `read`: its columns, if any; `number`: of its rows, if they are new.
  bool begin(ReadColumns read, std::uint64_t number) {
    now_ = &unnumbered_;
    if (!read.empty()) {
      column_key_[0] = read[0];
      for (std::size_t i = 0; i < read_.size(); ++i) column_key_[1 + i] = read[1 + read_[i]];
      std::uint32_t& known = (*inputs_)[column_key_.data()];
      if (known == Memo::kUnknown) {
        known = static_cast<std::uint32_t>(known_.size());
        known_.push_back(no_rows());
      }
      now_ = &known_[known];
      if (now_->complete) return true;
      *now_ = no_rows();
      now_->rows.number = number;
      return false;
    }
    HeadRows<Value>& rows = now_->rows;
    rows.queries.clear();
    rows.keys.clear();
    for (auto& part : rows.values) part.ids.clear();
    return false;
  }
  bool is_known() const { return now_->complete; }
  /// Takes the queries, keys and values of the next token.
  void take(const MaskedRead<A>& read) {
    HeadRows<Value>& rows = now_->rows;
    rows.queries.push_back(query_(read, *vectors_));
    rows.keys.push_back(key_(read, *vectors_));
    for (std::size_t p = 0; p < parts_.size(); ++p)
      rows.values[p].ids.push_back(parts_[p].map(read, *parts_[p].tuples));
  }
  void forget_columns() {
    inputs_.emplace(column_key_.size());
    known_.clear();
    known_bytes_ = 0;
    unnumbered_ = no_rows();
    now_ = &unnumbered_;
  }
  /// What is remembered of columns.
  std::size_t column_bytes() const { return inputs_->bytes() + known_bytes_; }
  std::size_t bytes() const {
    std::size_t total =
        tuple_bytes() + query_.bytes() + key_.bytes() + memory_.bytes() + column_bytes();
    for (const Part& part : parts_)
      total += part.map.bytes() + part.deltas.capacity() * sizeof(TupleId);
    return total;
  }
  /// Of these, what the queries, keys and values of an input take, which cannot be dropped while
  /// the head attends.
  std::size_t tuple_bytes() const {
    const HeadRows<Value>& rows = now_->rows;
    std::size_t total =
        vectors_->bytes() + (rows.queries.capacity() + rows.keys.capacity()) * sizeof(TupleId);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      total += parts_[p].tuples->bytes() + rows.values[p].ids.capacity() * sizeof(TupleId);
    return total;
  }
  HeadRows<Value>& rows() { return now_->rows; }

  /// Adds output * average to a token of the stream.
  void write(std::span<const TupleId> averages, std::size_t token, Stream<Value>& stream,
             SegmentSums<A>& sums) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (averages[p] == TuplePool<Value>::kZero) continue;
      Part& part = parts_[p];
      const TupleId* deltas = outputs_of(part, averages[p]);
      for (std::size_t w = 0; w < part.written.size(); ++w) {
        const TupleId h = stream.id(token, part.written[w]);
        stream.set_id(token, part.written[w], sums(part.written[w], h, deltas[w]));
      }
    }
  }

  /// Answers all rows, as A::attend; numbered ones are remembered.
  template <class Sink>
  void attend(Sink sink) {
    if (now_ == &unnumbered_) return a_.attend(now_->rows, memory_, sink);
    if constexpr (A::kRepeats) {
      averages_.assign(parts_.size(), std::vector<TupleId>(now_->rows.tokens()));
      const auto before = a_.statistics();
      a_.attend(now_->rows, memory_,
                [&](const SelectedRow& selected, std::span<const TupleId> averages) {
                  note(selected, averages);
                  sink(selected, averages);
                });
      now_->counted = a_.statistics() - before;
      for (std::size_t p = 0; p < parts_.size(); ++p)
        for (std::size_t w = 0; w < parts_[p].written.size(); ++w) {
          column_.clear();
          for (const TupleId average : averages_[p])
            column_.push_back(outputs_of(parts_[p], average)[w]);
          now_->deltas.push_back(pools_.columns.number(column_));
        }
      if (now_->too_large()) return;
      now_->complete = true;
      known_bytes_ += now_->bytes();
    }
  }
  /// Of known rows: what was selected, once more.
  template <class Sink>
  void repeat(Sink sink) {
    if constexpr (A::kRepeats) a_.count(now_->counted);
    const Answered* answered = nullptr;
    const std::function<std::vector<std::size_t>()> positions = [&] {
      return now_->selected(*answered);
    };
    for (const Answered& next : now_->answers) {
      answered = &next;
      SelectedRow row = next.row;
      row.positions = &positions;
      sink(row);
    }
  }
  /// Of numbered rows: adds output * average to all tokens.
  void write(Stream<Value>& stream, SegmentSums<A>& sums) const {
    auto delta = now_->deltas.begin();
    for (const Part& part : parts_)
      for (const std::uint32_t segment : part.written) sums.add_column(stream, segment, *delta++);
  }

 private:
  struct Answered {
    SelectedRow row;
    std::size_t positions;  ///< where they begin, if they are kept
  };
  /// An input, as far as the head sees it.
  struct Known {
    HeadRows<Value> rows;
    std::vector<Answered> answers;         ///< in the order in which they came
    std::vector<std::uint32_t> positions;  ///< of selections that are neither of one key nor of all
    std::vector<ColumnNumber> deltas;      ///< per part and written segment
    typename A::Statistics counted{};      ///< by attention
    bool complete = false;

    /// Selections that would take more than the rows are not kept: they are made again.
    bool too_large() const { return positions.size() > 64 * rows.tokens(); }
    std::vector<std::size_t> selected(const Answered& answered) const {
      const SelectedRow& row = answered.row;
      std::vector<std::size_t> found;
      if (!row.one_key && row.count < row.visible) {
        const auto begin = positions.begin() + static_cast<std::ptrdiff_t>(answered.positions);
        found.assign(begin, begin + static_cast<std::ptrdiff_t>(row.count));
        return found;
      }
      for (std::size_t j = 0; j < row.visible; ++j)
        if (!row.one_key || rows.keys[j] == rows.keys[row.last]) found.push_back(j);
      return found;
    }
    std::size_t bytes() const {
      return sizeof *this + answers.capacity() * sizeof(Answered) +
             (positions.capacity() + deltas.capacity() + rows.tokens() * (2 + rows.values.size())) *
                 sizeof(std::uint32_t);
    }
  };
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

  void note(const SelectedRow& selected, std::span<const TupleId> averages) {
    Answered answered{selected, now_->positions.size()};
    answered.row.positions = nullptr;
    // Others are found by their key.
    if (!selected.one_key && selected.count < selected.visible && !now_->too_large()) {
      const auto positions = (*selected.positions)();
      now_->positions.insert(now_->positions.end(), positions.begin(), positions.end());
    }
    now_->answers.push_back(answered);
    for (std::size_t p = 0; p < parts_.size(); ++p) averages_[p][selected.row] = averages[p];
  }

  Known no_rows() const {
    Known known;
    known.rows.causal = causal_;
    known.rows.vectors = vectors_.get();
    for (const Part& part : parts_) known.rows.values.push_back({part.tuples.get(), {}});
    return known;
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
  bool causal_;
  std::unique_ptr<TuplePool<Value>> vectors_;  // queries and keys
  SegmentMap<A> query_, key_;
  std::vector<Part> parts_;
  typename A::HeadMemory memory_;
  std::vector<std::size_t> read_;  // places in the layout
  std::vector<ColumnNumber> column_key_;
  std::optional<Memo> inputs_;  // by columns: the place in known_
  std::deque<Known> known_;
  std::size_t known_bytes_ = 0;
  Known unnumbered_;
  Known* now_ = nullptr;  // the input that has begun
  // Scratch of note() and outputs_of().
  std::vector<std::vector<TupleId>> averages_;
  std::vector<TupleId> column_;
  std::vector<std::vector<TermSum<A>>> sums_;
  std::vector<Value> tuple_;
};

}  // namespace logdepth::inline runtime_stream
