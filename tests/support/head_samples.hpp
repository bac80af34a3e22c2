// Random heads as plain numbers: queries, keys and values token by token. Two ways to draw them:
// number by number, with everything that is hard for doubles, and block by block, with few different
// vectors, which exact attention has as classes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/exact.hpp"
#include "runtime/exact/value_pool.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::laws {

using Vector = std::vector<Real>;

/// What consecutive heads share when they share what was remembered.
struct HeadShape {
  std::vector<std::size_t> structure;    ///< sizes of the blocks that queries and keys consist of
  std::vector<std::size_t> value_parts;  ///< components of each

  std::size_t dimension() const {
    return std::accumulate(structure.begin(), structure.end(), std::size_t{0});
  }
};

struct HeadSample {
  HeadShape shape;
  std::string family;
  bool causal = true;
  std::vector<Vector> queries, keys;        ///< per token
  std::vector<std::vector<Vector>> values;  ///< per part and token

  std::size_t tokens() const { return queries.size(); }
  std::size_t visible(std::size_t row) const { return causal ? row + 1 : tokens(); }
  std::string text() const {
    std::string result = family + (causal ? ", causal\n" : ", unmasked\n");
    const auto append = [&](const Vector& vector) {
      for (const Real& value : vector) result.append(" ").append(value.text());
    };
    for (std::size_t i = 0; i < tokens(); ++i) {
      append(queries[i]);
      result += " |";
      append(keys[i]);
      for (const auto& part : values) {
        result += " |";
        append(part[i]);
      }
      result += "\n";
    }
    return result;
  }
};

class HeadSamples {
 public:
  explicit HeadSamples(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  void move_codes_to(std::int64_t position) { far_ = position; }

  /// Up to three blocks of up to four dimensions, or one pair; or so many small blocks that queries
  /// are asked for all of them together; or more than a word has bits.
  HeadShape shape() {
    HeadShape shape;
    if (one_in(4)) shape.structure = {2};
    if (one_in(8)) shape.structure = {2, 1 + below(2), 2, 1 + below(2), 2};
    if (one_in(60)) shape.structure.assign(60 + below(12), 1);
    for (std::size_t left = shape.structure.empty() ? 1 + below(3) : 0; left > 0; --left) {
      const std::size_t sizes[] = {1, 1, 2, 2, 2, 3, 4};
      shape.structure.push_back(sizes[below(7)]);
    }
    for (std::size_t parts = below(3); parts > 0; --parts)
      shape.value_parts.push_back(1 + below(3));
    return shape;
  }

  /// Number by number: one family for all components.
  HeadSample numbers() {
    HeadSample head;
    head.shape.structure = {below(5)};
    for (std::size_t parts = below(3); parts > 0; --parts)
      head.shape.value_parts.push_back(1 + below(4));
    head.causal = one_in(2);
    const std::size_t dimension = head.shape.dimension();
    const auto [name, number] = family(dimension);
    head.family = name;
    const auto vector = [&] {
      Vector v;
      for (std::size_t d = 0; d < dimension; ++d) v.push_back(number());
      return v;
    };
    for (std::size_t tokens = below(13); tokens > 0; --tokens) {
      head.queries.push_back(near(head.queries, vector()));
      head.keys.push_back(near(head.keys, vector()));
    }
    draw_values(head);
    return head;
  }

  /// Block by block, with few different vectors in each.
  HeadSample planted(const HeadShape& shape, std::size_t tokens) {
    HeadSample head;
    head.shape = shape;
    head.family = "planted";
    head.causal = one_in(2);
    head.queries.resize(tokens);
    head.keys.resize(tokens);
    // Sometimes all tokens ask the same.
    const std::size_t questions = one_in(4) ? 1 : tokens;
    for (const std::size_t size : shape.structure) plant(head, size, questions);
    for (std::size_t i = questions; i < tokens; ++i) head.queries[i] = head.queries[0];
    draw_values(head);
    return head;
  }

 private:
  Real fraction() {
    return Rational(static_cast<std::int64_t>(below(9)) - 4,
                    static_cast<std::int64_t>(below(3)) + 1);
  }
  Real surd() {
    const std::int64_t classes[] = {2, 3, 5, 6, 7};
    return Real::root(Rational(classes[below(5)], static_cast<std::int64_t>(below(2)) + 1))
        .scaled(Rational(static_cast<std::int64_t>(below(5)) - 2, 2));
  }
  Real mixed() { return one_in(3) ? fraction() + surd() : one_in(2) ? surd() : fraction(); }
  Real sign() { return Real(static_cast<std::int64_t>(below(3)) - 1); }
  static Real power(std::int64_t base, std::size_t exponent) {
    Rational result = 1;
    for (std::size_t i = 0; i < exponent; ++i) result *= Rational(base);
    return result;
  }
  static Real phi(std::int64_t p, std::size_t component) {
    const Rational norm = Rational(p) * Rational(p) + Rational(1);
    return Real(component == 0 ? p : 1).divided_by_root(norm);
  }
  std::int64_t code_position(std::size_t range) {
    return far_ + static_cast<std::int64_t>(below(range));
  }

  /// How the components of queries and keys are drawn. Codes fill their vectors in turn.
  std::pair<std::string, std::function<Real()>> family(std::size_t dimension) {
    const std::size_t period = std::max<std::size_t>(dimension, 1);
    switch (below(9)) {
      case 0:
        return {"small fractions", [this] { return fraction(); }};
      case 1:
        return {"signs", [this] { return sign(); }};
      case 2:
        return {"sums of roots", [this] { return mixed(); }};
      case 3:
        return {"phi codes", [this, period, i = std::size_t{0}, p = std::int64_t{0}]() mutable {
                  if (i++ % period == 0) p = code_position(4);
                  return phi(p, (i - 1) % period % 2);
                }};
      case 4:
        return {"circle codes", [this, period, i = std::size_t{0}, p = std::int64_t{0}]() mutable {
                  if (i++ % period == 0) p = code_position(4);
                  return Real(circle_code(static_cast<std::uint64_t>(p))[(i - 1) % period % 2]);
                }};
      case 5:  // almost cancelled, so that a double knows few digits
        return {"remainders of roots", [this] {
                  const auto n = static_cast<std::int64_t>(below(3) * 2 + 2);
                  const std::int64_t scale = std::int64_t{1} << (25 + below(25));
                  const auto near = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)) *
                                                              static_cast<double>(scale));
                  return Real::root(Rational(n)) - Real(Rational(near, scale));
                }};
      case 6:  // beyond the range of double
        return {"huge", [this] {
                  return Real(static_cast<std::int64_t>(below(5)) - 2) * power(10, 100 * below(5));
                }};
      case 7: {  // where scaled integers, their products and their sums leave those of double
        const std::size_t size = below(6), parts = below(3);
        return {"large integers and their fractions", [this, size, parts] {
                  static constexpr int sizes[] = {20, 24, 25, 26, 50, 60};
                  const std::int64_t n = (std::int64_t{1} << (sizes[size] + below(3))) +
                                         static_cast<std::int64_t>(below(3)) - 1;
                  const std::int64_t over =
                      parts == 0 ? 1 : (std::int64_t{1} << (parts == 1 ? 4 : 28 + below(3))) - 1;
                  const Rational value(one_in(2) ? n : -n, over);
                  return one_in(4) ? Real(static_cast<std::int64_t>(below(3)) - 1) : Real(value);
                }};
      }
      default:                                   // below it
        return {"tiny", [this, at = below(2)] {  // the second kind has products that underflow
                  const std::size_t exponent = at == 0 ? 100 * below(5) : 157 + below(6);
                  return Real(static_cast<std::int64_t>(below(9)) - 4)
                      .scaled(power(10, exponent).rational_part().inverse());
                }};
    }
  }

  /// Sometimes a vector that stood before, that vector moved by less than a double resolves, its
  /// positive multiple, its components in another order or made equal, or zero.
  Vector near(const std::vector<Vector>& before, Vector fresh) {
    if (one_in(12)) return Vector(fresh.size());
    if (before.empty() || one_in(3)) return fresh;
    Vector v = before[below(before.size())];
    const std::size_t kind = below(5);
    if (kind == 0 && !v.empty()) {
      Real& one = v[below(v.size())];
      one = one + Real(Rational(static_cast<std::int64_t>(below(3)) - 1,
                                std::int64_t{1} << (50 + below(13))));
    }
    if (kind == 1)
      for (Real& x : v) x = x.scaled(Rational(static_cast<std::int64_t>(below(3)) + 1, 2));
    if (kind == 2) std::reverse(v.begin(), v.end());
    if (kind == 3) v.assign(v.size(), v.empty() ? Real() : v.front());
    return v;
  }

  /// One vector of a palette, of a kind that fits its size.
  Vector palette_vector(std::size_t kind, std::size_t size) {
    Vector v;
    if (size == 2 && kind == 0) {  // codes in one half of the circle, turned
      const auto code = circle_code(static_cast<std::uint64_t>(code_position(6)));
      static const std::vector<std::pair<Rational, Rational>> turns = {
          {1, 0}, {Rational(3, 5), Rational(4, 5)}, {Rational(-5, 13), Rational(12, 13)}, {0, -1}};
      const auto& [x, y] = turns[turn_];
      return {x * code[0] - y * code[1], x * code[1] + y * code[0]};
    }
    if (size == 2 && kind == 1) {  // all around the circle of radius 65
      static constexpr std::int64_t legs[][2] = {{65, 0},  {63, 16}, {60, 25}, {56, 33}, {52, 39},
                                                 {39, 52}, {33, 56}, {25, 60}, {16, 63}, {0, 65}};
      const auto& pair = legs[below(10)];
      return {Real(one_in(2) ? pair[0] : -pair[0]), Real(one_in(2) ? pair[1] : -pair[1])};
    }
    if (size == 2 && kind == 2) {
      const std::int64_t p = code_position(6);
      return {phi(p, 0), phi(p, 1)};
    }
    if (size == 4 && kind < 3) {
      const auto code = two_circle_code(static_cast<std::uint64_t>(code_position(6)));
      return {code.begin(), code.end()};
    }
    for (std::size_t d = 0; d < size; ++d)
      v.push_back(kind == 3 ? mixed() : kind == 4 ? sign() : fraction());
    return v;
  }

  /// Appends a block to the keys and to the first `questions` queries.
  void plant(HeadSample& head, std::size_t size, std::size_t questions) {
    const std::size_t kind = below(6), norms = one_in(2) ? 0 : 1 + below(5);
    const bool zeros = one_in(5);
    turn_ = below(4);
    std::vector<Vector> palette;
    for (std::size_t left = one_in(5) ? 1 : 2 + below(5); left > 0; --left)
      palette.push_back(palette_vector(kind, size));
    const auto any = [&]() -> const Vector& { return palette[below(palette.size())]; };
    const std::int64_t pace = 1 + static_cast<std::int64_t>(below(4));
    for (std::size_t j = 0; j < head.keys.size(); ++j) {
      const auto position = static_cast<std::int64_t>(j);
      const Rational scale = norms == 1   ? Rational(1 + position / pace)
                             : norms == 2 ? Rational(1, 1 + position)
                             : norms == 3 ? Rational(1 + static_cast<std::int64_t>(below(2)))
                             : norms == 4 ? Rational(one_in(8) ? 2 : 1)
                             : norms == 5 ? Rational(1) + Rational(one_in(2), std::int64_t{1} << 50)
                                          : Rational(1);
      const Rational weight = zeros && one_in(3) ? Rational(0) : scale;
      for (const Real& x : any()) head.keys[j].push_back(x.scaled(weight));
    }
    for (std::size_t i = 0; i < questions; ++i) {
      Vector q = any();
      const std::size_t change = below(8);
      if (change == 0 || (head.shape.structure.size() > 3 && one_in(3))) q = Vector(size);
      if (change == 1)
        for (Real& x : q) x = -x;
      if (change == 2) q = palette_vector(kind, size);
      if (change == 3)  // halfway between two keys of one norm
        for (std::size_t d = 0; const Real& x : any()) q[d] = q[d] + x, ++d;
      if (change == 4)
        for (Real& x : q) x = x.scaled(Rational(static_cast<std::int64_t>(1 + below(4)), 3));
      head.queries[i].insert(head.queries[i].end(), q.begin(), q.end());
    }
  }

  void draw_values(HeadSample& head) {
    for (const std::size_t components : head.shape.value_parts) {
      std::vector<Vector> palette;
      for (std::size_t left = 1 + below(4); left > 0; --left) {
        Vector v;
        for (std::size_t d = 0; d < components; ++d) v.push_back(mixed());
        palette.push_back(v);
      }
      auto& part = head.values.emplace_back();
      for (std::size_t i = 0; i < head.tokens(); ++i)
        part.push_back(palette[below(palette.size())]);
    }
  }

  std::mt19937_64 random_;
  std::int64_t far_ = 0;
  std::size_t turn_ = 0;  ///< of the codes of the block that is planted
};

// The meaning of one head: every query beside every visible key, nothing grouped, no doubles, no
// order of visits; and the same head as the ids that the forward pass would hand over.

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
