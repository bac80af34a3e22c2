#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/nested_radical.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/arithmetic.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/readout.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace runtime_exact {

/// Identity of a nested radical in its pool. Another type than ValueId: who reads exact numbers by
/// their ids cannot be given one of these.
enum class NestedId : std::uint32_t {};

/// Interned nested radicals. Equal polynomials have one id, and whatever is zero has the id 0;
/// numbers that are equal for another reason may have several ids, which costs time and no answer.
class NestedPool {
 public:
  static constexpr NestedId kZero{0};
  static constexpr NestedId kOne{1};

  NestedPool();
  NestedPool(const NestedPool&) = delete;  // references into it are handed out
  NestedPool& operator=(const NestedPool&) = delete;

  /// Errors of both: NotDecided, where it cannot be said whether the number is zero.
  NestedId intern(NestedRadical value);
  int sign(NestedId id) const { return entry(id).sign; }
  /// Valid as long as the pool.
  const NestedRadical& operator[](NestedId id) const { return entry(id).value; }
  const Approximation& approximation(NestedId id) const { return entry(id).approximation; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_ + tower_.bytes(); }

  RadicalTower& tower() { return tower_; }
  const RadicalTower& tower() const { return tower_; }

 private:
  struct Entry {
    NestedRadical value;
    Approximation approximation;
    int sign;
  };
  const Entry& entry(NestedId id) const { return entries_[static_cast<std::size_t>(id)]; }

  RadicalTower tower_;
  std::deque<Entry> entries_;  // stable addresses
  std::unordered_map<NestedRadical, NestedId> ids_;
  std::size_t bytes_ = 0;
};

/// The instance of the number concept where norms are roots of anything positive: what leaves the
/// field of Exact goes on here. Every sign is decided (nested_radical.hpp); where one cannot be, a
/// SizeLimit says so, and undecided() that it was this and not memory.
class NestedArithmetic {
 public:
  using Value = NestedId;
  using Sum = NestedRadical;
  struct Statistics {};
  static constexpr bool kRepeats = false;  // one input, in which little comes again

  Value zero() const { return NestedPool::kZero; }
  Value number(const Rational& value) { return number(Real(value)); }
  Value number(const Real& value) { return intern(value); }
  bool is_zero(Value v) const { return v == NestedPool::kZero; }
  int sign(Value v) const { return pool_.sign(v); }
  Value multiply(const Rational& weight, Value v);
  Value product(Value a, Value b);
  Value add_product(Value base, const Rational& weight, Value v);
  void accumulate(Sum& sum, const Rational& weight, Value v);
  void accumulate_square(Sum& sum, const Rational& weight, Value v);
  /// sum += a*b
  void accumulate_product(Sum& sum, Value a, Value b);
  int sign_of(const Sum& sum);
  Value close(Sum& sum);
  /// Absent unless the root is in the field of Exact; normalise() does the rest.
  std::optional<Value> norm_factor(std::uint32_t width, Value squares);
  /// Always succeeds.
  std::optional<std::string> normalise(std::uint32_t width,
                                       std::vector<std::pair<std::uint32_t, Value>>& masked);
  /// Row by row: distinct keys in double with a bound, what these leave open exactly.
  void attend(HeadRows<Value>& rows,
              const std::function<void(const SelectedRow&, std::span<const TupleId>)>& sink);

  std::size_t bytes() const { return pool_.bytes(); }
  void abandon_sums() {}

  /// Errors: SizeLimit.
  int compare(Value a, Value b);
  bool undecided() const { return undecided_; }
  NestedPool& pool() { return pool_; }
  const NestedPool& pool() const { return pool_; }

 private:
  /// What is done with numbers; a sign that is not decided becomes a SizeLimit.
  template <class Work>
  auto decided(Work work) {
    try {
      return work();
    } catch (const NotDecided& limit) {
      undecided_ = true;
      throw SizeLimit(limit.what());
    }
  }
  Value intern(NestedRadical value) {
    return decided([&] { return pool_.intern(std::move(value)); });
  }

  NestedPool pool_;
  bool undecided_ = false;
};

static_assert(Arithmetic<NestedArithmetic>);

/// Logits of a run over nested radicals, for readout.hpp; otherwise as ExactLogits.
struct NestedLogits {
  std::span<const NestedId> logits;
  NestedArithmetic& arithmetic;

  std::size_t size() const { return logits.size(); }
  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    return strictly_largest(
        rows, [&](auto i, auto j) { return arithmetic.compare(logits[i], logits[j]); });
  }
  int sign(std::size_t row) const { return arithmetic.sign(logits[row]); }
  bool is(std::size_t row, const Real& number) const {
    return arithmetic.compare(logits[row], arithmetic.number(number)) == 0;
  }
  std::string text(std::size_t row) const {
    return arithmetic.pool().tower().text(arithmetic.pool()[logits[row]]);
  }
};

/// Whether logits are these numbers.
template <class Logits>
Outcome<bool> logits_are(const Logits& logits, std::span<const Real> expected) {
  if (logits.size() != expected.size()) return false;
  for (std::size_t row = 0; row < expected.size(); ++row)
    if (!logits.is(row, expected[row])) return false;
  return true;
}
/// All logits as texts, those outside the field as RadicalTower::text() writes them.
template <class Logits>
Outcome<std::vector<std::string>> texts_of(const Logits& logits) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < logits.size(); ++row) texts.push_back(logits.text(row));
  return texts;
}
/// Runs an input over nested radicals, from the start and to the end, for where Runner ends with
/// OutsideField (decided_run.hpp puts the two together). It answers what an exact run would if its
/// field were large enough: every comparison is decided, none is guessed. Attention is quadratic, and
/// numbers grow with every norm, so it is for small inputs; what it does not decide within the limits
/// of RadicalTower is refused with OutsideField, whose sentence names layer, sublayer and the limit,
/// also where that happens in reading the answer.
class NestedRunner {
 public:
  using Observers = std::vector<ForwardObserver<NestedId>*>;

  /// Keeps a reference to the model. `memory`: how many bytes it may hold.
  explicit NestedRunner(const Model& model, std::size_t memory = run_memory())
      : model_(model), memory_(memory) {}

  /// Why there is no stream, if there is none; else the questions below are about it, until the
  /// next input. Errors as of Runner::run.
  std::optional<Refusal> run(const Tokens& tokens, const Observers& observers = {});
  std::size_t tokens() const { return stream_->tokens; }

  /// What `read` says of the logits of a token; OutsideField where a comparison is not decided.
  template <class Read>
  auto read(std::size_t token, Read read) {
    return within_field([&] {
      return read(NestedLogits{forward_->logits(*stream_, token), *arithmetic_});
    });
  }
  /// A coordinate of the stream after the last layer, as a text; absent for zero.
  std::optional<std::string> nonzero(std::size_t token, std::size_t coordinate);

  const NestedArithmetic& arithmetic() const { return *arithmetic_; }
  std::size_t bytes() const { return forward_->bytes(); }  ///< of the latest input

 private:
  /// What `work` makes, or that it was not decided.
  template <class Work>
  auto within_field(Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const SizeLimit& limit) {
      if (!arithmetic_->undecided()) throw;
      return OutsideField{std::string("also with nested radicals: ") + limit.what()};
    }
  }

  const Model& model_;
  std::size_t memory_;
  std::optional<NestedArithmetic> arithmetic_;  // of the latest input, as the two below
  std::optional<Forward<NestedArithmetic>> forward_;
  std::optional<Stream<NestedId>> stream_;
};

/// Exact answers: of Runner where the numbers stay in its field, else of NestedRunner, which runs
/// the input once more. Which of the two it was changes no answer; left_field() says it.
///
/// Observers look on at the first of the two runs only. So promises are checked, and layers counted,
/// up to the sublayer where the numbers left the field.
///
///     DecidedRun run(model);
///     if (const auto refusal = run.run(tokens, {&promises})) ...  // all four kinds of refusals
///     const Outcome<bool> verdict = run.accepts(run.tokens() - 1);
///     const Outcome<bool> right = run.has_logits(token, expected);
class DecidedRun {
 public:
  /// As of Runner.
  explicit DecidedRun(const Model& model, std::size_t memory = run_memory())
      : model_(model), memory_(memory), runner_(model, memory) {}

  /// Why there is no answer, if there is none: OutsideField only where nested radicals do not
  /// decide it either. Else the questions below are about this input. Errors as of Runner::run.
  std::optional<Refusal> run(const Tokens& tokens, const Runner::Observers& observers = {});
  /// Where the latest input left the field, and why.
  const std::optional<OutsideField>& left_field() const { return left_; }
  std::size_t tokens() const { return stream_ ? stream_->tokens : nested_->tokens(); }

  /// As of Runner; also OutsideField, where the comparison is not decided.
  Outcome<bool> accepts(std::size_t token);
  Outcome<bool> relation(std::size_t from, std::size_t to);
  Outcome<bool> connected(std::size_t source, std::size_t target);
  Outcome<PrefixAnswer> prefix(std::size_t token);
  /// Whether the logits of a token are these numbers.
  Outcome<bool> has_logits(std::size_t token, std::span<const Real> expected);
  Outcome<std::vector<std::string>> logits(std::size_t token);
  /// A coordinate of the stream after the last layer, as a text; absent for zero.
  std::optional<std::string> nonzero(std::size_t token, std::size_t coordinate);

  /// The stream in the field; absent where it was left.
  const std::optional<Stream<ValueId>>& stream() const { return stream_; }
  Runner& runner() { return runner_; }
  const Runner& runner() const { return runner_; }
  /// Of nested radicals, of all inputs.
  RadicalTower::Statistics nested_statistics() const;
  std::size_t bytes() const { return runner_.bytes() + (nested_ ? nested_->bytes() : 0); }

 private:
  template <class Read>
  auto read(std::size_t token, Read read) {
    return stream_ ? read(runner_.logits_of(*stream_, token)) : nested_->read(token, read);
  }

  const Model& model_;
  std::size_t memory_;
  Runner runner_;
  std::optional<Stream<ValueId>> stream_;
  std::optional<OutsideField> left_;
  std::optional<NestedRunner> nested_;
  RadicalTower::Statistics past_;  ///< of inputs before the latest
};

}}  // namespace logdepth::runtime_exact
