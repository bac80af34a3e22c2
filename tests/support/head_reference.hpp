#pragma once

// The meaning of one head: every query beside every visible key, nothing grouped, no doubles, no
// order of visits; and the same head as the ids that the forward pass would hand over.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/exact/attention_rules.hpp"
#include "runtime/exact/value_pool.hpp"
#include "tests/support/head_samples.hpp"

namespace logdepth::laws {

/// Heads of one shape, one after the other, as interned tuples; what is remembered stays.
class InternedHead {
 public:
  explicit InternedHead(const HeadShape& shape) : vectors_(shape.dimension(), ValuePool::kZero) {
    rows.vectors = &vectors_;
    for (const std::size_t components : shape.value_parts) {
      parts_.push_back(std::make_unique<TuplePool<ValueId>>(components, ValuePool::kZero));
      rows.values.push_back({parts_.back().get(), {}});
    }
  }
  InternedHead(const InternedHead&) = delete;
  InternedHead& operator=(const InternedHead&) = delete;

  void take(const HeadSample& head) {
    rows.causal = head.causal;
    rows.queries = ids(head.queries, vectors_);
    rows.keys = ids(head.keys, vectors_);
    for (std::size_t p = 0; p < parts_.size(); ++p)
      rows.values[p].ids = ids(head.values[p], *parts_[p]);
  }

  ValuePool pool;
  HeadMemory memory;
  HeadRows<ValueId> rows;

 private:
  std::vector<TupleId> ids(const std::vector<Vector>& vectors, TuplePool<ValueId>& tuples) {
    std::vector<TupleId> result;
    for (const Vector& vector : vectors) {
      std::vector<ValueId> tuple;
      for (const Real& value : vector) tuple.push_back(pool.intern(value));
      tuple.resize(std::max<std::size_t>(tuple.size(), 1));  // never a null pointer
      result.push_back(tuples.intern(tuple.data()));
    }
    return result;
  }

  TuplePool<ValueId> vectors_;
  std::vector<std::unique_ptr<TuplePool<ValueId>>> parts_;
};

struct HeadAnswer {
  std::vector<std::size_t> selected;
  std::vector<Vector> averages;  ///< per value part
};

/// MS25 Def. 2.2 word for word: all positions of largest score, their values averaged.
inline HeadAnswer reference(const HeadSample& head, std::size_t row) {
  Vector scores;
  for (std::size_t j = 0; j < head.visible(row); ++j) {
    Real score;
    for (std::size_t d = 0; d < head.queries[row].size(); ++d)
      score = score + head.queries[row][d] * head.keys[j][d];
    scores.push_back(score);
  }
  Real largest = scores.front();
  for (const Real& score : scores)
    if ((score - largest).sign() > 0) largest = score;
  HeadAnswer answer;
  for (std::size_t j = 0; j < scores.size(); ++j)
    if ((scores[j] - largest).is_zero()) answer.selected.push_back(j);
  const Rational share(1, static_cast<std::int64_t>(answer.selected.size()));
  for (const auto& part : head.values) {
    Vector average(part.front().size());
    for (std::size_t d = 0; d < average.size(); ++d) {
      for (const std::size_t j : answer.selected) average[d] = average[d] + part[j][d];
      average[d] = average[d].scaled(share);
    }
    answer.averages.push_back(average);
  }
  return answer;
}

struct HeadTally {
  std::size_t rows = 0, ties = 0, several_keys = 0;
};

/// Whether `attend` hands the reference's answer for every row to the sink, once.
inline void expect_reference_answers(const HeadSample& head, const InternedHead& interned,
                                     const std::function<void(const RowSink&)>& attend,
                                     HeadTally& tally) {
  std::vector<int> answered(head.tokens(), 0);
  attend([&](const SelectedRow& row, std::span<const TupleId> averages) {
    ASSERT_LT(row.row, answered.size());
    ++answered[row.row];
    const HeadAnswer expected = reference(head, row.row);
    EXPECT_EQ(row.visible, head.visible(row.row));
    EXPECT_EQ((*row.positions)(), expected.selected) << "row " << row.row;
    EXPECT_EQ(row.count, expected.selected.size());
    EXPECT_EQ(row.last, expected.selected.back());
    bool one_key = true;
    for (const std::size_t j : expected.selected)
      one_key = one_key && head.keys[j] == head.keys[expected.selected.front()];
    EXPECT_EQ(row.one_key, one_key) << "row " << row.row;
    ASSERT_EQ(averages.size(), expected.averages.size());
    for (std::size_t part = 0; part < averages.size(); ++part) {
      Vector got;
      for (const ValueId id : (*interned.rows.values[part].tuples)[averages[part]])
        got.push_back(interned.pool[id]);
      EXPECT_EQ(got, expected.averages[part]) << "row " << row.row << ", part " << part;
    }
    ++tally.rows;
    tally.ties += row.count > 1;
    tally.several_keys += !one_key;
  });
  for (std::size_t row = 0; row < answered.size(); ++row)
    EXPECT_EQ(answered[row], 1) << "answers for row " << row;
}

}  // namespace logdepth::laws
