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
#include "runtime/stream/segment_map.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_stream {

/// A tuple that is to be added to a segment.
struct SegmentDelta {
  std::uint32_t segment = 0;
  TupleId tuple = 0;
};

/// z -> out * ReLU(in * z). Units that read the same segments are one group, and the sum of what
/// they write is computed once for every distinct input: the pairs of a product table are few,
/// however long the word. Within a group only units are visited that some term pushes up.
template <Arithmetic A>
class ReluMap {
 public:
  using Value = typename A::Value;

  /// Keeps references to everything.
  ReluMap(const FeedForward& block, const ReadLayout& layout, SegmentPools<Value>& pools, A& a)
      : pools_(pools), a_(a) {
    const std::size_t units = block.in.rows;
    std::vector<std::set<std::size_t>> reads(units);  // parts of the layout
    for (const MatrixEntry& e : block.in.entries)
      if (const auto part = part_of(layout, e.column)) reads[e.row].insert(*part);
    std::map<std::vector<std::size_t>, std::size_t> known;
    std::vector<std::size_t> group_of(units), unit_of(units);
    for (std::size_t unit = 0; unit < units; ++unit) {
      const std::vector<std::size_t> parts(reads[unit].begin(), reads[unit].end());
      const auto [entry, fresh] = known.try_emplace(parts, groups_.size());
      if (fresh) groups_.emplace_back(parts, layout, pools);
      group_of[unit] = entry->second;
      unit_of[unit] = groups_[entry->second].units.size();
      groups_[entry->second].units.emplace_back();
    }
    for (const MatrixEntry& e : block.in.entries)
      if (const auto part = part_of(layout, e.column))
        groups_[group_of[e.row]].add_input(unit_of[e.row], *part,
                                           pools.segments.place[e.column].offset, e.value,
                                           e.value * layout.mask[e.column]);
    for (const MatrixEntry& e : block.out.entries)
      groups_[group_of[e.column]].add_output(unit_of[e.column], pools.segments.place[e.row],
                                             e.value);
    // What clears a segment depends on that segment alone: applied first it leaves zero, and not a
    // sum of old and new that no other token has.
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return std::pair(a.unread(), a.parts.size()) < std::pair(b.unread(), b.parts.size());
    });
    std::erase_if(groups_, [](const Group& group) { return group.parts.empty(); });  // ReLU(0) = 0
  }

  /// What the block adds, group by group.
  std::span<const SegmentDelta> operator()(const MaskedRead<A>& read) {
    deltas_.clear();
    for (Group& group : groups_) {
      std::uint32_t& known = group.memo[read.key().ids];
      if (known == Memo::kUnknown) known = compute(group, read);
      for (std::size_t w = 0; w < group.written.size(); ++w) {
        const TupleId tuple = group.results[known + w];
        if (tuple != TuplePool<Value>::kZero) deltas_.push_back({group.written[w], tuple});
      }
    }
    return deltas_;
  }

  std::size_t bytes() const {
    std::size_t total = 0;
    for (const Group& group : groups_)
      total += group.memo.bytes() + group.results.capacity() * sizeof(TupleId);
    return total;
  }

 private:
  struct Input {
    std::size_t column;  ///< of the group
    Rational weight, on_tuple;
  };
  struct Output {
    std::size_t written;
    std::uint32_t offset;
    Rational weight;
  };
  struct Unit {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
  };
  struct Push {
    std::size_t unit;
    int sign, sign_on_tuple;
  };
  struct Group {
    std::vector<std::size_t> parts;       ///< of the layout
    std::vector<std::uint32_t> segments;  ///< of the parts
    std::vector<std::size_t> first_column;
    std::vector<Unit> units;
    std::vector<std::vector<Push>> pushes;  ///< per column of the group
    std::vector<std::uint32_t> written;     ///< segments
    PartMemo memo;                          ///< where the results begin
    std::vector<TupleId> results;           ///< rows of written.size() tuples

    Group(std::vector<std::size_t> read, const ReadLayout& layout, const SegmentPools<Value>& pools)
        : parts(std::move(read)), memo(parts) {
      std::size_t columns = 0;
      for (const std::size_t part : parts) {
        segments.push_back(layout.segments[part]);
        first_column.push_back(columns);
        columns += pools.segments.coordinates[segments.back()].size();
      }
      pushes.resize(columns);
    }
    void add_input(std::size_t unit, std::size_t part, std::uint32_t offset, const Rational& weight,
                   const Rational& on_tuple) {
      const auto place = static_cast<std::size_t>(
          std::lower_bound(parts.begin(), parts.end(), part) - parts.begin());
      const std::size_t column = first_column[place] + offset;
      units[unit].inputs.push_back({column, weight, on_tuple});
      pushes[column].push_back({unit, weight.sign(), on_tuple.sign()});
    }
    /// How many segments it changes that it does not read.
    std::size_t unread() const {
      return static_cast<std::size_t>(
          std::count_if(written.begin(), written.end(), [&](std::uint32_t segment) {
            return std::find(segments.begin(), segments.end(), segment) == segments.end();
          }));
    }
    void add_output(std::size_t unit, Segments::Place at, const Rational& weight) {
      auto found = std::find(written.begin(), written.end(), at.segment);
      if (found == written.end()) found = written.insert(found, at.segment);
      units[unit].outputs.push_back(
          {static_cast<std::size_t>(found - written.begin()), at.offset, weight});
    }
  };

  std::optional<std::size_t> part_of(const ReadLayout& layout, std::uint32_t coordinate) const {
    return layout.part_of(pools_.segments.place[coordinate].segment);
  }

  std::uint32_t compute(Group& group, const MaskedRead<A>& read) {
    const bool is_z = read.key().is_z();
    inputs_.clear();
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      const auto values = pools_.tuples[group.segments[i]][group.memo.id(i)];
      inputs_.insert(inputs_.end(), values.begin(), values.end());
    }
    candidates_.clear();
    seen_.assign(group.units.size(), 0);
    for (std::size_t column = 0; column < inputs_.size(); ++column) {
      const int sign = a_.sign(inputs_[column]);
      if (sign == 0) continue;
      for (const Push& push : group.pushes[column])
        if ((is_z ? push.sign : push.sign_on_tuple) == sign && !seen_[push.unit]) {
          seen_[push.unit] = 1;
          candidates_.push_back(push.unit);
        }
    }
    sums_.resize(group.written.size());
    for (std::size_t w = 0; w < group.written.size(); ++w)
      sums_[w].resize(pools_.segments.coordinates[group.written[w]].size());
    for (const std::size_t number : candidates_) {
      const Unit& unit = group.units[number];
      for (const Input& input : unit.inputs) {
        const Value x = inputs_[input.column];
        if (a_.is_zero(x)) continue;
        sum_.add(a_, is_z ? input.weight : input.on_tuple, x);
      }
      const bool active = sum_.sign(a_) > 0;  // ReLU; the factor is positive
      Value activation = sum_.close(a_);
      if (!active) continue;
      if (!is_z) activation = a_.product(read.factor(read.key()), activation);
      for (const Output& output : unit.outputs)
        sums_[output.written][output.offset].add(a_, output.weight, activation);
    }
    const auto result = static_cast<std::uint32_t>(group.results.size());
    for (std::size_t w = 0; w < group.written.size(); ++w) {
      tuple_.clear();
      for (TermSum<A>& component : sums_[w]) tuple_.push_back(component.close(a_));
      group.results.push_back(pools_.tuples[group.written[w]].intern(tuple_.data()));
    }
    return result;
  }

  SegmentPools<Value>& pools_;
  A& a_;
  std::vector<Group> groups_;
  std::vector<SegmentDelta> deltas_;
  // Scratch of compute().
  std::vector<Value> inputs_, tuple_;
  std::vector<std::size_t> candidates_;
  std::vector<char> seen_;
  TermSum<A> sum_;
  std::vector<std::vector<TermSum<A>>> sums_;
};

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
    inputs_.emplace(std::vector<std::size_t>(read.begin(), read.end()));
    unnumbered_ = no_rows();
  }

  /// Begins an input: whether it is one that came before, so that its rows are there and repeat() answers
  /// them. `read`: its columns, if any.
  bool begin(ReadColumns read) {
    now_ = &unnumbered_;
    if (!read.empty()) {
      std::uint32_t& known = (*inputs_)[read];
      if (known == Memo::kUnknown) {
        known = static_cast<std::uint32_t>(known_.size());
        known_.push_back(no_rows());
      }
      now_ = &known_[known];
      if (now_->complete) return true;
      *now_ = no_rows();
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
  std::size_t bytes() const {
    std::size_t total =
        tuple_bytes() + query_.bytes() + key_.bytes() + inputs_->bytes() + known_bytes_;
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
    if (now_ == &unnumbered_) return a_.attend(now_->rows, sink);
    if constexpr (A::kRepeats) {
      averages_.assign(parts_.size(), std::vector<TupleId>(now_->rows.tokens()));
      const auto before = a_.statistics();
      a_.attend(now_->rows, [&](const SelectedRow& selected, std::span<const TupleId> averages) {
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
  std::optional<PartMemo> inputs_;  // by columns: the place in known_
  std::deque<Known> known_;
  std::size_t known_bytes_ = 0;
  Known unnumbered_;
  Known* now_ = &unnumbered_;  // the input that has begun
  // Scratch of note() and outputs_of().
  std::vector<std::vector<TupleId>> averages_;
  std::vector<TupleId> column_;
  std::vector<std::vector<TermSum<A>>> sums_;
  std::vector<Value> tuple_;
};

}}  // namespace logdepth::runtime_stream
