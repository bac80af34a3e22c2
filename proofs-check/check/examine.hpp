#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "logdepth/errors.hpp"
#include "proofs-check/check/failure.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/decided_run.hpp"
#include "runtime/file/model.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/forward.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace proofs_check_check {

class CellCheck;

/// Exact runs of one weights file, and what is held against every one of them, whatever it is asked:
/// each head's promise at every row, each cell's type and lifetime, as many layers as the file states.
class ExactRuns {
 public:
  /// With `answers_only`, nothing but answers is looked at.
  explicit ExactRuns(const Model& model, bool answers_only = false);
  ~ExactRuns();
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
  std::unique_ptr<CellCheck> cells_;
  LayerCount count_;
};

/// How far an examination goes. A size is a number of letters, of vertices, of equations, or of
/// positions and divisors.
struct Bounds {
  std::size_t up_to = 0;     ///< every input of at most this size
  std::size_t random = 0;    ///< more inputs
  std::size_t max_size = 0;  ///< of at most this size
  std::uint64_t seed = 1;

  /// These, but for inputs beyond the sizes given: those that a file has.
  Bounds cut(std::uint64_t last, std::uint64_t last_random) const {
    const auto least = [](std::size_t size, std::uint64_t most) {
      return static_cast<std::size_t>(std::min<std::uint64_t>(size, most));
    };
    return {least(up_to, last), random, least(max_size, last_random), seed};
  }
};

/// How questions are asked.
struct Asking {
  /// Inputs without an answer do not end an examination: it goes on to a wrong answer, or until there
  /// were kEnoughRefusals.
  bool past_refusals = false;
  bool shrinks = true;
  bool answers_only = false;                        ///< nothing but answers is looked at
  std::size_t most = static_cast<std::size_t>(-1);  ///< questions
  /// Called now and then with cases done and cases in all.
  std::function<void(std::size_t, std::size_t)> progress;
};
/// So many inputs without an answer say what more would say.
inline constexpr std::size_t kEnoughRefusals = 100;

/// An input at which something is wrong.
template <class Input>
struct FoundInput {
  Input input;  ///< shrunk, where that was asked for
  Failure finding;
  Input first;               ///< the one first found
  std::uint64_t number = 0;  ///< of its case among all
};

/// How many questions were asked, and how far they went.
struct ExaminationCounts {
  Bounds bounds;  ///< as asked, or the file's own limit where that is less
  std::uint64_t exhaustive = 0, chosen = 0, random = 0, given = 0;  ///< cases
  std::uint64_t asked = 0;                                          ///< questions
  ComparedCounts counts;
  std::uint64_t promises = 0;          ///< rows at which a head's promise was checked
  std::vector<HeadPlace> unevaluated;  ///< heads whose contract was never checked
};

/// What came of questions.
template <class Input>
struct [[nodiscard]] Examination : ExaminationCounts {
  std::optional<FoundInput<Input>> counterexample;
  std::optional<FoundInput<Input>> without_answer;  ///< the first, where those are passed over
};

/// The smallest input at which the finding that was made at this one, or another, is made again.
/// Errors: InputError where the same question is not answered twice alike by what says what is right.
template <class Input>
FoundInput<Input> shrink(ExactRuns& runs, TestDomain<Input>& questions, const Input& input,
                         std::uint64_t number) {
  ComparedCounts uncounted;
  const auto fails = [&](const Input& smaller) {
    return runs.ask(questions, smaller, uncounted).has_value();
  };
  Input smallest = questions.shrunk(input, fails);
  auto finding = runs.ask(questions, smallest, uncounted);
  // The file answers the same every time, so it was the oracle that did not.
  if (!finding)
    throw InputError("the oracle is not deterministic: two answers for " +
                     questions.text(smallest));
  return {std::move(smallest), std::move(*finding), input, number};
}

/// Asks case after case until one shows something wrong. One input must be answered like every other,
/// whatever was asked before it.
template <class Input>
Examination<Input> examine(TestDomain<Input>& questions, CaseGenerator<Input> cases,
                           const Asking& how = {}) {
  ExactRuns runs(questions.model(), how.answers_only);
  Examination<Input> result;
  std::size_t refusals = 0, done = 0;
  const auto end = [&] {
    return result.counterexample || refusals >= kEnoughRefusals || result.asked >= how.most;
  };
  const auto ask = [&](const Input& input) {
    ++result.asked;
    auto finding = runs.ask(questions, input, result.counts);
    if (!finding) return;
    if (how.past_refusals && std::holds_alternative<NoAnswer>(*finding)) {
      ++refusals;
      if (!result.without_answer)
        result.without_answer = {input, std::move(*finding), input, done - 1};
    } else if (how.shrinks) {
      result.counterexample = shrink(runs, questions, input, done - 1);
    } else {
      result.counterexample = {input, std::move(*finding), input, done - 1};
    }
  };
  while (!end()) {
    const std::optional<AskedCase<Input>> next = cases.next();
    if (!next) break;
    if (how.progress) how.progress(done, std::max<std::size_t>(cases.total, done));
    ++done;
    if (next->stage == CaseStage::exhaustive) ++result.exhaustive;
    if (next->stage == CaseStage::chosen) ++result.chosen;
    if (next->stage == CaseStage::random) ++result.random;
    if (next->stage == CaseStage::given) ++result.given;
    for (const Input& input : next->inputs)
      if (!end()) ask(input);
  }
  result.promises = runs.promises();
  result.unevaluated = runs.unevaluated();
  return result;
}

/// What a float run made of an input, or of several: the worst of them.
enum class Answered { wrong, right, certified };

/// What an answer in floating point is worth beside the right one. Errors: std::logic_error for one
/// that is certified and wrong.
template <class T>
Answered judged(const Outcome<FloatAnswer<T>>& got, const T& expected) {
  if (!got.has_value()) return Answered::wrong;
  const bool certified = got.value().certificate == Certificate::certified;
  if (got.value().value == expected) return certified ? Answered::certified : Answered::right;
  if (certified) throw std::logic_error("a certified answer of a float run is wrong");
  return Answered::wrong;
}

/// An input with what is right about it.
struct FloatQuestion {
  Tokens tokens;
  std::function<Answered(const FloatRunner&, const FloatStream&)> judge;
};

/// The question that `questions` (WordDomain, ...) has about this input. Errors: std::logic_error for
/// an input outside the file's hypotheses.
template <class Asked, class Input>
FloatQuestion float_question(std::shared_ptr<const Asked> questions, Input input) {
  auto tokens = questions->tokens(input);
  if (!tokens.has_value()) throw std::logic_error(describe(tokens.refusal()));
  return {std::move(tokens).value(), [questions = std::move(questions), input = std::move(input)](
                                         const FloatRunner& runner, const FloatStream& stream) {
            return questions->judge(input, runner, stream);
          }};
}

/// Runs every input in floating point and judges it; stops at the first that is less than `least`.
inline Answered ask(FloatRunner& runner, const std::vector<FloatQuestion>& questions,
                    Answered least) {
  Answered worst = Answered::certified;
  for (const FloatQuestion& question : questions) {
    const auto stream = runner.run(question.tokens);
    if (!stream.has_value()) throw std::logic_error(describe(stream.refusal()));
    worst = std::min(worst, question.judge(runner, stream.value()));
    if (worst < least) break;
  }
  return worst;
}

}}  // namespace logdepth::proofs_check_check
