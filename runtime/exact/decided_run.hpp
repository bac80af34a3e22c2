#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/exact/nested_run.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth::inline runtime_exact {

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
  explicit DecidedRun(const Model& model, std::size_t threads = 1,
                      std::size_t memory = run_memory())
      : model_(model), memory_(memory), runner_(model, threads, memory) {}

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
  /// All logits of a token as texts, those outside the field as RadicalTower::text() writes them.
  Outcome<std::vector<std::string>> logits(std::size_t token);
  /// The same in double, each with a bound on its error.
  Outcome<std::vector<Approximation>> approximate_logits(std::size_t token);
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
  void forget_nested();

  const Model& model_;
  std::size_t memory_;
  Runner runner_;
  std::optional<Stream<ValueId>> stream_;
  std::optional<OutsideField> left_;
  std::optional<NestedRunner> nested_;
  RadicalTower::Statistics past_;  ///< of inputs before the latest
};

}  // namespace logdepth::inline runtime_exact
