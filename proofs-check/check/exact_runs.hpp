#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/cell_check.hpp"
#include "proofs-check/check/test_domain.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/decided_run.hpp"

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
  std::optional<Failure> ask(TestDomain<Input>& domain, const Input& input,
                             ComparedCounts& counts) {
    const Outcome<Tokens> tokens = domain.tokens(input);
    if (domain.outside(input)) return not_refused(tokens);
    if (!tokens.has_value()) return NoAnswer{domain.expected(input), tokens.refusal()};
    if (auto found =
            run(tokens.value(), domain.loops(input), [&] { return domain.expected(input); }))
      return found;
    return domain.judge(input, run_, counts);
  }

  /// Runs an input, the repeated block so many times, or as often as the file says itself: what is wrong
  /// about the run, whatever its answers are; `expected` is the one that it was run for.
  std::optional<Failure> run(const Tokens& tokens, std::optional<std::uint32_t> loops,
                             const std::function<FileAnswer()>& expected);
  /// The latest run, for its answers.
  DecidedRun& decided() { return run_; }

  const Model& model() const { return model_; }
  std::uint64_t promises() const { return contracts_.total_evaluated(); }
  /// Heads whose contract was never checked.
  std::vector<HeadPlace> unevaluated() const { return contracts_.unevaluated(); }

 private:
  class LayerCount : public ForwardObserver<ValueId> {
   public:
    void after(const Location& location, const Stream<ValueId>&) override {
      layers = location.step;
    }
    std::uint64_t layers = 0;
  };

  std::optional<Failure> not_refused(const Outcome<Tokens>& tokens);

  Model model_;  ///< the file's, with the loops of the run
  std::uint32_t own_loops_;
  bool answers_only_;
  std::optional<OtherDepth> other_depth_;  ///< than the file states, whatever the input
  DecidedRun run_;
  ContractCheck contracts_;
  CellCheck cells_;
  LayerCount count_;
};

}  // namespace logdepth::inline proofs_check_check
