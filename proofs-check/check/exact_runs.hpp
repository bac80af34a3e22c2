#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/cell_check.hpp"
#include "proofs-check/check/inquiry.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/exact/promise_check.hpp"

namespace logdepth::inline proofs_check_check {

/// Exact runs of one weights file, and what is held against every one of them, whatever it is asked:
/// each head's promise at every row, each cell's type and lifetime, as many layers as the file states.
class ExactRuns {
 public:
  /// With `answers_only`, nothing but answers is looked at.
  explicit ExactRuns(const Model& model, bool answers_only = false);
  ExactRuns(const ExactRuns&) = delete;
  ExactRuns& operator=(const ExactRuns&) = delete;

  /// What is wrong about the file at this input, if anything.
  template <class Input>
  std::optional<Finding> ask(Inquiry<Input>& inquiry, const Input& input, ComparedCounts& counts) {
    const Outcome<Tokens> tokens = inquiry.tokens(input);
    if (inquiry.outside(input)) return not_refused(tokens);
    if (!tokens.has_value()) return NoAnswer{inquiry.expected(input), tokens.refusal()};
    if (auto found =
            run(tokens.value(), inquiry.loops(input), [&] { return inquiry.expected(input); }))
      return found;
    return inquiry.judge(input, run_, counts);
  }

  /// Runs an input, the repeated block so many times, or as often as the file says itself: what is wrong
  /// about the run, whatever its answers are; `expected` is the one that it was run for.
  std::optional<Finding> run(const Tokens& tokens, std::optional<std::uint32_t> loops,
                             const std::function<FileAnswer()>& expected);
  /// The latest run, for its answers.
  DecidedRun& decided() { return run_; }

  const Model& model() const { return model_; }
  std::uint64_t promises() const { return promises_.total_evaluated(); }
  /// Heads whose promise was never checked.
  std::vector<HeadPlace> unevaluated() const { return promises_.unevaluated(); }

 private:
  class LayerCount : public ForwardObserver<ValueId> {
   public:
    void after(const Location& location, const Stream<ValueId>&) override {
      layers = location.step;
    }
    std::uint64_t layers = 0;
  };

  std::optional<Finding> not_refused(const Outcome<Tokens>& tokens);

  Model model_;  ///< the file's, with the loops of the run
  std::uint32_t own_loops_;
  bool answers_only_;
  std::optional<OtherDepth> other_depth_;  ///< than the file states, whatever the input
  DecidedRun run_;
  PromiseCheck promises_;
  CellCheck cells_;
  LayerCount count_;
};

}  // namespace logdepth::inline proofs_check_check
