#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/masked_read.hpp"
#include "runtime/stream/memo.hpp"
#include "runtime/stream/segment_map.hpp"
#include "runtime/stream/stream.hpp"
#include "runtime/stream/term_sum.hpp"

namespace logdepth::inline runtime_stream {

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
      const std::uint32_t known = result_of(group, read);
      for (std::size_t w = 0; w < group.written.size(); ++w) {
        const TupleId tuple = group.results[known + w];
        if (tuple != TuplePool<Value>::kZero) deltas_.push_back({group.written[w], tuple});
      }
    }
    return deltas_;
  }

  /// Begins an input that has columns: whether all of it is known. If not, all tokens are to be taken.
  bool begin(ReadColumns read) {
    bool known = true;
    for (Group& group : groups_) {
      group.column_key[0] = read[0];
      for (std::size_t i = 0; i < group.parts.size(); ++i)
        group.column_key[1 + i] = read[1 + group.parts[i]];
      group.column = (*group.inputs)[group.column_key.data()];
      known = known && group.column != Memo::kUnknown;
      group.deltas.assign(group.written.size(), {});
    }
    return known;
  }
  /// Takes the next token.
  void take(const MaskedRead<A>& read) {
    for (Group& group : groups_) {
      if (group.column != Memo::kUnknown) continue;
      const std::uint32_t result = result_of(group, read);
      for (std::size_t w = 0; w < group.written.size(); ++w)
        group.deltas[w].push_back(group.results[result + w]);
    }
  }
  /// Adds what the block adds to all tokens.
  void write(Stream<Value>& stream, SegmentSums<A>& sums) {
    for (Group& group : groups_) {
      if (group.column == Memo::kUnknown) {
        group.column = static_cast<std::uint32_t>(group.columns.size());
        for (const auto& delta : group.deltas)
          group.columns.push_back(pools_.columns.number(delta));
        (*group.inputs)[group.column_key.data()] = group.column;
      }
      for (std::size_t w = 0; w < group.written.size(); ++w)
        sums.add_column(stream, group.written[w], group.columns[group.column + w]);
    }
  }
  void forget_columns() {
    for (Group& group : groups_) {
      group.inputs.emplace(group.key.size());
      group.columns.clear();
    }
  }

  std::size_t bytes() const {
    std::size_t total = column_bytes();
    for (const Group& group : groups_)
      total += group.memo.bytes() + group.results.capacity() * sizeof(TupleId);
    return total;
  }
  /// What is remembered of columns.
  std::size_t column_bytes() const {
    std::size_t total = 0;
    for (const Group& group : groups_)
      total += group.inputs->bytes() + group.columns.capacity() * sizeof(ColumnNumber);
    return total;
  }

 private:
  struct Input {
    std::size_t column;  ///< of the group
    Rational weight, on_tuple;
    Rational folded;  ///< on_tuple times the factor number folded
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
    std::vector<std::uint32_t> key;
    Memo memo;
    std::vector<TupleId> results;  ///< rows of written.size() tuples
    std::vector<ColumnNumber> column_key;
    std::optional<Memo> inputs;         ///< by columns: where their results begin in `columns`
    std::vector<ColumnNumber> columns;  ///< rows of written.size()
    std::uint32_t column = 0;           ///< of the input that has begun
    std::vector<std::vector<TupleId>> deltas;  ///< of it, per written segment, where that is new
    std::uint32_t seen = 0, folded = 0;        ///< factor numbers; 0 is none

    Group(std::vector<std::size_t> read, const ReadLayout& layout, const SegmentPools<Value>& pools)
        : parts(std::move(read)),
          key(1 + parts.size()),
          memo(key.size()),
          column_key(key.size()),
          inputs(key.size()) {
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
      units[unit].inputs.push_back({column, weight, on_tuple, {}});
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

  /// Where the results of one token begin.
  std::uint32_t result_of(Group& group, const MaskedRead<A>& read) {
    const ReadKey key = read.key();
    group.key[0] = key.ids[0];
    for (std::size_t i = 0; i < group.parts.size(); ++i)
      group.key[1 + i] = key.ids[1 + group.parts[i]];
    std::uint32_t& known = group.memo[group.key.data()];
    if (known == Memo::kUnknown) known = compute(group, read);
    return known;
  }

  std::uint32_t compute(Group& group, const MaskedRead<A>& read) {
    const bool is_z = read.key().is_z();
    inputs_.clear();
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      const auto values = pools_.tuples[group.segments[i]][group.key[1 + i]];
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
    const bool folded = !is_z && fold(group, read);
    for (const std::size_t number : candidates_) {
      const Unit& unit = group.units[number];
      for (const Input& input : unit.inputs) {
        const Value x = inputs_[input.column];
        if (a_.is_zero(x)) continue;
        sum_.add(a_, is_z ? input.weight : folded ? input.folded : input.on_tuple, x);
      }
      const bool active = sum_.sign(a_) > 0;  // ReLU; the factor is positive
      Value activation = sum_.close(a_);
      if (!active) continue;
      if (!is_z && !folded) activation = a_.product(read.factor(read.key()), activation);
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

  /// Multiplies a rational factor into the weights, once it has come twice in a row.
  bool fold(Group& group, const MaskedRead<A>& read) {
    const std::uint32_t number = read.key().ids[0];
    if (number == group.folded) return true;
    const bool again = number == group.seen;
    group.seen = number;
    const Value factor = read.factor(read.key());
    if (!again || !a_.rational_product(Rational(1), factor)) return false;
    for (Unit& unit : group.units)
      for (Input& input : unit.inputs) input.folded = *a_.rational_product(input.on_tuple, factor);
    group.folded = number;
    return true;
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

}  // namespace logdepth::inline runtime_stream
