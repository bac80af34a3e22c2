#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "runtime/exact/attention_question.hpp"
#include "runtime/exact/exact_sum.hpp"
#include "runtime/exact/sum_room.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// Positions that are averaged together: a key class, or everything, as far as it has been seen.
struct Members {
  std::uint32_t count = 0, last = 0;
  TupleId key = 0;            ///< of the first of them
  bool several_keys = false;  ///< they may differ in blocks that were not asked for
  std::uint32_t summed = 0;   ///< how many of them are in the sums below
};

/// The average of one value part over a growing set of positions, for many sets at once.
class PartAverages {
 public:
  /// `room`: of all sums of the head.
  PartAverages(const HeadRows<ValueId>::ValuePart& part, ValuePool& pool, SumRoom& room,
               std::size_t sets)
      : part_(part), pool_(pool), room_(room), first_(sets), mixed_(sets, 0) {}

  /// The next position of a set.
  void see(std::size_t set, std::uint32_t position, bool is_first) {
    if (is_first) {
      first_[set] = part_.ids[position];
    } else if (part_.ids[position] != first_[set]) {
      mixed_[set] = 1;
    }
  }
  bool mixed(std::size_t set) const { return mixed_[set] != 0; }
  TupleId common(std::size_t set) const { return first_[set]; }

  /// Adds the value at a position to the sums of a set.
  void sum_up(std::size_t set, std::uint32_t position) {
    if (sums_.empty()) sums_.resize(first_.size());
    auto& sums = sums_[set];
    const auto value = (*part_.tuples)[part_.ids[position]];
    sums.resize(value.size());
    for (std::size_t d = 0; d < value.size(); ++d)
      if (value[d] != ValuePool::kZero) room_.grow(sums[d], [&] { sums[d].add(pool_[value[d]]); });
  }
  /// Adds the sum of a set, `count` positions, to a total.
  void add_to(std::vector<ExactSum>& total, std::size_t set, std::uint32_t count) const {
    if (!mixed(set)) {
      const auto value = (*part_.tuples)[first_[set]];
      for (std::size_t d = 0; d < value.size(); ++d)
        if (value[d] != ValuePool::kZero)
          room_.grow(total[d], [&] { total[d].add(Rational(count), pool_[value[d]]); });
      return;
    }
    for (std::size_t d = 0; d < sums_[set].size(); ++d)
      room_.grow(total[d], [&] {
        total[d].rational += sums_[set][d].rational;
        total[d].irrational = total[d].irrational + sums_[set][d].irrational;
      });
  }
  /// The average of a total, which is left zero.
  TupleId intern(std::vector<ExactSum>& total, std::uint32_t count) {
    const Rational share(1, count);
    tuple_.clear();
    for (ExactSum& sum : total) {
      room_.close(sum);
      tuple_.push_back(sum.is_zero() ? ValuePool::kZero : pool_.intern(sum.value().scaled(share)));
      sum = ExactSum();
    }
    return part_.tuples->intern(tuple_.data());
  }
  std::size_t components() const { return part_.tuples->length(); }

 private:
  const HeadRows<ValueId>::ValuePart& part_;
  ValuePool& pool_;
  SumRoom& room_;
  std::vector<TupleId> first_;
  std::vector<char> mixed_;
  std::vector<std::vector<ExactSum>> sums_;  ///< of no set until one is mixed
  std::vector<ValueId> tuple_;
};

/// Goes through the positions once and answers every ask when all that it sees has been seen.
class Sweep {
 public:
  Sweep(const Question& question, const RowSink& sink)
      : q_(question),
        sink_(sink),
        everything_(question.keys.size()),
        members_(question.keys.size() + 1),
        room_(*question.pool),
        averages_(question.rows->values.size()),
        positions_([this] { return selected(); }) {
    for (const auto& part : q_.rows->values)
      parts_.emplace_back(part, *q_.pool, room_, members_.size());
  }

  void run() {
    const auto tokens = static_cast<std::uint32_t>(q_.rows->tokens());
    std::size_t next = 0;
    for (std::uint32_t position = 0; position < tokens; ++position) {
      see(q_.keys.of_position[position], position);
      see(everything_, position);
      if (!q_.rows->causal) continue;
      if (next == q_.tokens.size() || q_.tokens[next] != position) continue;
      hand_over(next, average(q_.asks[q_.ask_of[next]]));
      ++next;
    }
    if (q_.rows->causal) return;
    // Without a mask all rows of one ask have one answer.
    std::vector<std::vector<std::uint32_t>> rows_of(q_.asks.size());
    for (std::uint32_t i = 0; i < q_.tokens.size(); ++i) rows_of[q_.ask_of[i]].push_back(i);
    for (const auto& rows : rows_of) {
      const std::size_t count = average(q_.asks[q_.ask_of[rows.front()]]);
      for (const std::uint32_t i : rows) hand_over(i, count);
    }
  }

 private:
  void see(std::size_t set, std::uint32_t position) {
    Members& members = members_[set];
    for (PartAverages& part : parts_) part.see(set, position, members.count == 0);
    if (members.count == 0) members.key = q_.rows->keys[position];
    members.several_keys = members.several_keys || q_.rows->keys[position] != members.key;
    ++members.count;
    members.last = position;
  }

  /// The sets that an ask selects: classes, or everything.
  std::span<const std::uint32_t> sets_of(const Ask& ask) {
    if (ask.answer == Question::kEverything) {
      one_ = static_cast<std::uint32_t>(everything_);
      return {&one_, 1};
    }
    if (ask.answer >= Question::kSeveral) return q_.several[ask.answer - Question::kSeveral];
    one_ = ask.answer;
    return {&one_, 1};
  }

  /// Fills averages_; the number of positions selected.
  std::size_t average(const Ask& ask) {
    const auto sets = sets_of(ask);
    std::uint32_t count = 0;
    last_ = 0;
    one_key_ = true;
    for (const std::uint32_t set : sets) {
      const Members& members = members_[set];
      count += members.count;
      last_ = std::max(last_, members.last);
      one_key_ = one_key_ && !members.several_keys && members.key == members_[sets[0]].key;
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      PartAverages& part = parts_[p];
      bool mixed = false;
      for (const std::uint32_t set : sets)
        mixed = mixed || part.mixed(set) || part.common(set) != part.common(sets[0]);
      if (!mixed) {
        averages_[p] = part.common(sets[0]);
        continue;
      }
      total_.resize(part.components());
      for (const std::uint32_t set : sets) {
        if (part.mixed(set)) bring_up_to_date(set);
        part.add_to(total_, set, members_[set].count);
      }
      averages_[p] = part.intern(total_, count);
    }
    ask_ = &ask;
    return count;
  }

  void bring_up_to_date(std::size_t set) {
    Members& members = members_[set];
    if (set == everything_) {
      for (; members.summed < members.count; ++members.summed)
        for (PartAverages& part : parts_) part.sum_up(set, members.summed);
      return;
    }
    for (; members.summed < members.count; ++members.summed)
      for (PartAverages& part : parts_) part.sum_up(set, positions_of(set)[members.summed]);
  }

  void hand_over(std::size_t i, std::size_t count) {
    const std::uint32_t token = q_.tokens[i];
    sink_({token, ask_->visible, count, last_, one_key_, &positions_}, averages_);
  }

  std::vector<std::size_t> selected() {
    std::vector<std::size_t> positions;
    for (const std::uint32_t set : sets_of(*ask_)) {
      if (set == everything_) {
        positions.resize(ask_->visible);
        std::iota(positions.begin(), positions.end(), std::size_t{0});
        return positions;
      }
      const auto& members = positions_of(set);
      positions.insert(positions.end(), members.begin(),
                       std::lower_bound(members.begin(), members.end(), ask_->visible));
    }
    std::sort(positions.begin(), positions.end());
    return positions;
  }

  const std::vector<std::uint32_t>& positions_of(std::size_t key_class) {
    if (positions_of_.empty()) {
      positions_of_.resize(q_.keys.size());
      for (std::uint32_t position = 0; position < q_.rows->tokens(); ++position)
        positions_of_[q_.keys.of_position[position]].push_back(position);
    }
    return positions_of_[key_class];
  }

  const Question& q_;
  const RowSink& sink_;
  std::size_t everything_;  // the set after the classes
  std::vector<Members> members_;
  SumRoom room_;
  std::vector<PartAverages> parts_;
  std::vector<std::vector<std::uint32_t>> positions_of_;
  std::vector<TupleId> averages_;
  std::vector<ExactSum> total_;
  const Ask* ask_ = nullptr;
  std::uint32_t one_ = 0, last_ = 0;
  bool one_key_ = true;
  std::function<std::vector<std::size_t>()> positions_;
};

}  // namespace

void average_answers(const Question& question, const RowSink& sink) {
  Sweep(question, sink).run();
}

}  // namespace logdepth::inline runtime_exact
