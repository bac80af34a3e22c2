// Interning: equal things have equal ids, different ones different ids, and an id means the same
// for good, however much is interned after it.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/value_pool.hpp"
#include "runtime/stream/stream.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::interned_tuples_tests { namespace {

using Tuple = std::vector<std::uint32_t>;

class Tuples {
 public:
  explicit Tuples(std::uint64_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  /// Of numbers below `bound`, so that many come again.
  Tuple draw(std::size_t length, std::uint32_t bound) {
    Tuple tuple;
    for (std::size_t i = 0; i < length; ++i) tuple.push_back(below(bound));
    return tuple;
  }

 private:
  std::mt19937_64 random_;
};

TEST(InternedTuples, HaveEqualIdsExactlyWhenTheyAreEqual) {
  Tuples random(laws::seed());
  for (const std::size_t length : {1, 2, 3, 7}) {
    TuplePool<std::uint32_t> pool(length);
    std::map<Tuple, TupleId> ids = {{Tuple(length, 0), TuplePool<std::uint32_t>::kZero}};
    std::vector<Tuple> tuples = {Tuple(length, 0)};
    for (int i = 0; i < 20000; ++i) {
      // Also in the order in which they came first, which is what a pool looks for.
      Tuple tuple = random.draw(length, length == 1 ? 3000 : length == 2 ? 60 : 12);
      const std::size_t again = i % 3 == 0 ? 1 + random.below(8) : 0;
      std::size_t next = random.below(static_cast<std::uint32_t>(tuples.size()));
      for (std::size_t k = 0; k <= again; ++k) {
        if (again > 0 && next < tuples.size()) tuple = tuples[next++];
        const TupleId id = pool.intern(tuple.data());
        const auto [known, fresh] = ids.try_emplace(tuple, id);
        ASSERT_EQ(known->second, id);
        if (fresh) {
          ASSERT_EQ(id, tuples.size()) << "ids are numbered in the order of their tuples";
          tuples.push_back(tuple);
        }
      }
    }
    ASSERT_EQ(pool.size(), tuples.size());
    EXPECT_GT(pool.size(), 1000u);
    EXPECT_EQ(pool.length(), length);
    for (TupleId id = 0; id < tuples.size(); ++id)
      ASSERT_EQ(Tuple(pool[id].begin(), pool[id].end()), tuples[id]);
  }
}

TEST(InternedTuples, OfNoLengthAreAllTheZeroTuple) {
  TuplePool<std::uint32_t> pool(0);
  const std::uint32_t any = 5;
  EXPECT_EQ(pool.intern(&any), TuplePool<std::uint32_t>::kZero);
  EXPECT_EQ(pool.intern(nullptr), TuplePool<std::uint32_t>::kZero);
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_TRUE(pool[0].empty());
}

TEST(InternedTuples, BeginWithTheZeroThatWasGiven) {
  TuplePool<std::uint32_t> pool(2, 7);
  const Tuple sevens = {7, 7}, zeros = {0, 0};
  EXPECT_EQ(pool.intern(zeros.data()), 1u);
  EXPECT_EQ(pool.intern(sevens.data()), TuplePool<std::uint32_t>::kZero);
  EXPECT_EQ(pool[0][1], 7u);
}

// Values of two words, of which the first words or the second words may be equal.
TEST(InternedTuples, ComparesAllBytesOfAValue) {
  TuplePool<std::uint64_t> pool(2);
  std::map<std::pair<std::uint64_t, std::uint64_t>, TupleId> ids;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const std::uint64_t tuple[2] = {(i & 7) << 32 | (i >> 3 & 7), (i >> 6 & 7) << 32 | i >> 9};
    const TupleId id = pool.intern(tuple);
    EXPECT_TRUE(ids.try_emplace({tuple[0], tuple[1]}, id).second);
    EXPECT_EQ(id, i);
  }
  for (const auto& [pair, id] : ids) {
    const std::uint64_t tuple[2] = {pair.first, pair.second};
    EXPECT_EQ(pool.intern(tuple), id);
  }
}

TEST(InternedTuples, AMemoKeepsOneResultPerKey) {
  Tuples random(laws::seed() + 1);
  Memo memo(3);
  std::map<Tuple, std::uint32_t> results;
  for (int i = 0; i < 20000; ++i) {
    const Tuple key = random.draw(3, 15);
    std::uint32_t& result = memo[key.data()];
    const auto known = results.find(key);
    ASSERT_EQ(result, known == results.end() ? Memo::kUnknown : known->second);
    // Some stay unknown, some are changed.
    if (random.below(4) != 0) results[key] = result = random.below(1000);
  }
  EXPECT_GE(memo.size(), results.size());
  EXPECT_GT(results.size(), 2000u);
  Memo of_nothing(0);
  EXPECT_EQ(of_nothing[nullptr], Memo::kUnknown);
  of_nothing[nullptr] = 3;
  EXPECT_EQ(of_nothing[nullptr], 3u);
}

TEST(InternedTuples, NumbersHaveEqualIdsExactlyWhenTheyAreEqual) {
  Tuples random(laws::seed() + 2);
  ValuePool pool;
  std::vector<Real> numbers = {Real(0), Real(1)};
  const auto number = [&](std::uint32_t i) {
    const Real rational(Rational(static_cast<std::int64_t>(i % 41) - 20, 1 + i % 3));
    return i % 7 == 0 ? rational : rational + Real::root(Rational(1 + i / 7 % 60));
  };
  std::map<std::string, ValueId> ids = {{"0", 0}, {"1", 1}};
  for (int i = 0; i < 20000; ++i) {
    const Real value = number(random.below(40000));
    const ValueId id = pool.intern(value);
    const auto [known, fresh] = ids.try_emplace(value.text(), id);
    ASSERT_EQ(known->second, id) << value.text();
    if (fresh) {
      ASSERT_EQ(id, numbers.size());
      numbers.push_back(value);
    }
  }
  EXPECT_GT(pool.size(), 3000u);
  ASSERT_EQ(pool.size(), numbers.size());
  for (ValueId id = 0; id < numbers.size(); ++id) {
    EXPECT_EQ(pool[id], numbers[id]);
    EXPECT_EQ(pool.sign(id), numbers[id].sign());
  }
}

TEST(InternedTuples, StreamsShareTuplesAndNotTheirChanges) {
  Segments segments;
  segments.place = {{0, 0}, {1, 0}, {0, 1}};
  segments.coordinates = {{0, 2}, {1}};
  const auto pools = std::make_shared<SegmentPools<std::uint32_t>>(segments, 0u);
  Stream<std::uint32_t> stream(pools, 2);
  EXPECT_EQ(stream.width, 3u);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(stream.at(1, c), 0u);
  stream.set_row(0, Tuple{5, 6, 7});
  Stream<std::uint32_t> copy = stream;
  copy.set_row(0, Tuple{5, 8, 9});
  copy.set_row(1, Tuple{5, 6, 7});
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(stream.at(0, c), 5 + c);
    EXPECT_EQ(stream.at(1, c), 0u);
    EXPECT_EQ(copy.at(0, c), (Tuple{5, 8, 9})[c]);
    EXPECT_EQ(copy.at(1, c), 5 + c);
  }
  for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(copy.id(1, s), stream.id(0, s));
  EXPECT_EQ(copy.id(0, 1), pools->tuples[1].intern(Tuple{8}.data()));
}

TEST(InternedTuples, ColumnsOfAStreamAreEqualWhenTheirNumbersAre) {
  Segments segments;
  segments.place = {{0, 0}, {1, 0}};
  segments.coordinates = {{0}, {1}};
  const auto pools = std::make_shared<SegmentPools<std::uint32_t>>(segments, 0u);
  Stream<std::uint32_t> stream(pools, 2), longer(pools, 3);
  EXPECT_FALSE(stream.has_columns());
  pools->interns_columns = true;
  ASSERT_TRUE(stream.has_columns());
  EXPECT_EQ(stream.column(0), stream.column(1));
  EXPECT_NE(stream.column(0), longer.column(0));  // of zeros, but another length
  EXPECT_TRUE(pools->columns.is_zero(longer.column(0)));
  const ColumnNumber zeros = stream.column(0);
  stream.set_id(1, 0, 7);
  const ColumnNumber changed = stream.column(0);
  EXPECT_NE(changed, zeros);
  EXPECT_FALSE(pools->columns.is_zero(changed));
  stream.set_column(1, changed);
  EXPECT_EQ(stream.id(1, 1), 7u);
  stream.set_id(1, 0, 0);
  EXPECT_EQ(stream.column(0), zeros);
  // After the numbers are dropped a stream does not say an old one.
  pools->columns.clear();
  const ColumnNumber first = stream.column(1);
  stream.set_column(0, first);
  EXPECT_EQ(stream.id(1, 0), 7u);
}

}}  // namespace logdepth::interned_tuples_tests
