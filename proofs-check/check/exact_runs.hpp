#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/check/cell_check.hpp"
#include "proofs-check/check/inquiry.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth {

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
  std::optional<Finding> ask(Inquiry<Input>& questions, const Input& input,
                             ComparedCounts& counts) {
    const Outcome<Tokens> tokens = questions.tokens(input);
    if (questions.outside(input)) return not_refused(tokens);
    if (!tokens.has_value()) return NoAnswer{questions.expected(input), tokens.refusal()};
    std::optional<Finding> found;
    const auto answers = this->answers(tokens.value(), questions.loops(input), found);
    if (found) return found;
    if (!answers.has_value()) return NoAnswer{questions.expected(input), answers.refusal()};
    return questions.judge(input, *answers.value(), counts);
  }

  /// What the file answers, its repeated block run so many times, or as often as it says itself; with
  /// what is wrong about the run, if anything.
  Outcome<std::unique_ptr<RunAnswers>> answers(const Tokens& tokens,
                                               std::optional<std::uint32_t> loops,
                                               std::optional<Finding>& found);

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
  Runner runner_;
  PromiseCheck promises_;
  CellCheck cells_;
  LayerCount count_;
};

}  // namespace logdepth
