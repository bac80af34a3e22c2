#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/exact/value_pool.hpp"
#include "runtime/stream/arithmetic.hpp"

namespace logdepth { inline namespace runtime_exact {

/// The ways to answer a row. Columns answer by all of them, the general path by no angle.
enum class AttentionRule { uniform, match, angle, one_query, distinct_keys };
constexpr std::size_t kAttentionRules = 5;
const char* attention_rule_name(AttentionRule rule);

/// How often each means of deciding was used; `run --stats` prints it.
struct AttentionStatistics {
  std::uint64_t rows = 0;                                ///< rows answered
  std::array<std::uint64_t, kAttentionRules> by_rule{};  ///< of those, per rule
  std::uint64_t scores = 0;             ///< scores of a distinct query with a distinct key
  std::uint64_t decided_in_double = 0;  ///< comparisons settled by the double filter
  std::uint64_t decided_exactly = 0;    ///< comparisons that needed exact scores
  std::uint64_t exact_ties = 0;         ///< of those, proved ties

  AttentionStatistics& operator+=(const AttentionStatistics& other);
  friend AttentionStatistics operator-(AttentionStatistics later,
                                       const AttentionStatistics& earlier);
};

/// Called once for every row: what is selected, and the averages of the value parts.
using RowSink = std::function<void(const SelectedRow&, std::span<const TupleId>)>;

/// Averaging-hard attention of one head, exactly, for any queries and keys.
///
/// Rows are split by the dimensions on which their queries are not zero, and keys are compared on those
/// alone: what is equal there is one class. Scores of distinct queries and classes in double, with a bound
/// on their error, leave few candidates for the maximum, which are compared exactly. Where there are
/// many of both, keys of one length are looked up first: the best one is the query itself, lengthened.
void attend_exactly(HeadRows<ValueId>& rows, ValuePool& pool, AttentionStatistics& statistics,
                    const RowSink& sink);

/// The exact instance of the number concept: interned reals, no rounding anywhere.
class Exact {
 public:
  using Value = ValueId;
  using Sum = ExactSum;
  using Statistics = AttentionStatistics;
  static constexpr bool kRepeats = true;

  /// `memory`: how many bytes its numbers may hold.
  explicit Exact(std::size_t memory = std::numeric_limits<std::size_t>::max())
      : pool_(memory), open_(pool_) {}

  Value zero() const { return ValuePool::kZero; }
  Value number(const Rational& value) { return pool_.intern(Real(value)); }
  Value number(const Real& value) { return pool_.intern(value); }
  bool is_zero(Value v) const { return v == ValuePool::kZero; }
  int sign(Value v) const { return pool_.sign(v); }
  Value multiply(const Rational& weight, Value v);
  Value product(Value a, Value b);
  Value add_product(Value base, const Rational& weight, Value v);
  void accumulate(Sum& sum, const Rational& weight, Value v);
  void accumulate_square(Sum& sum, const Rational& weight, Value v);
  int sign_of(const Sum& sum) const { return sum.sign(); }
  Value close(Sum& sum);
  std::optional<Value> norm_factor(std::uint32_t width, Value squares);
  std::optional<std::string> normalise(std::uint32_t width,
                                       std::vector<std::pair<std::uint32_t, Value>>& masked);
  void attend(HeadRows<Value>& rows, const RowSink& sink) {
    attend_exactly(rows, pool_, statistics_, sink);
  }

  std::size_t bytes() const { return pool_.bytes(); }
  void abandon_sums() { open_.clear(); }
  /// Drops all numbers; their ids mean nothing afterwards.
  void forget() {
    pool_.clear();
    ++forgotten_;
  }
  /// How often that was.
  std::uint64_t forgotten() const { return forgotten_; }

  ValuePool& pool() { return pool_; }
  const ValuePool& pool() const { return pool_; }
  const AttentionStatistics& statistics() const { return statistics_; }
  /// What is answered once more counts once more.
  void count(const AttentionStatistics& again) { statistics_ += again; }

 private:
  ValuePool pool_;
  SumRoom open_;
  AttentionStatistics statistics_;
  std::uint64_t forgotten_ = 0;
};

static_assert(Arithmetic<Exact>);

}}  // namespace logdepth::runtime_exact
