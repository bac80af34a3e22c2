#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/exact/nested_arithmetic.hpp"
#include "runtime/exact/run_memory.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline runtime_exact {

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

  /// As of Runner.
  Outcome<bool> accepts(std::size_t token);
  Outcome<bool> relation(std::size_t from, std::size_t to);
  Outcome<bool> connected(std::size_t source, std::size_t target);
  Outcome<PrefixAnswer> prefix(std::size_t token);
  /// Whether the logits of a token are these numbers.
  Outcome<bool> has_logits(std::size_t token, std::span<const Real> expected);
  /// The logits of a token, as RadicalTower::text() writes them.
  Outcome<std::vector<std::string>> logits(std::size_t token);
  /// The same in double, each with a bound on its error.
  Outcome<std::vector<Approximation>> approximate_logits(std::size_t token);
  /// A coordinate of the stream after the last layer, as a text; absent for zero.
  std::optional<std::string> nonzero(std::size_t token, std::size_t coordinate);

  const NestedArithmetic& arithmetic() const { return *arithmetic_; }
  std::size_t bytes() const { return forward_->bytes(); }  ///< of the latest input

 private:
  /// What `read` says, or that it was not decided.
  template <class Read>
  auto within_field(Read read) -> decltype(read());
  OutsideField not_decided(const SizeLimit& limit) const;

  const Model& model_;
  std::size_t memory_;
  std::optional<NestedArithmetic> arithmetic_;  // of the latest input, as the two below
  std::optional<Forward<NestedArithmetic>> forward_;
  std::optional<Stream<NestedId>> stream_;
};

}  // namespace logdepth::inline runtime_exact
