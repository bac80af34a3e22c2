#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/graph.hpp"
#include "proofs-check/ledger/check_weights.hpp"
#include "runtime/exact/promise_check.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth {

/// One weights file under examination: exact runs with every promise checked, and of each kind of
/// failure the smallest input.
class Exam {
 public:
  /// Keeps references. With `promises_bind` a broken promise is a counterexample; without, promises
  /// are not looked at.
  Exam(const Model& model, bool promises_bind, FileVerdict& verdict);

  struct Attempt {
    std::optional<Stream<ValueId>> stream;  ///< absent exactly if there is a refusal
    std::optional<Refusal> refusal;
    std::optional<std::string> broken;  ///< a promise, as a sentence
    bool fine() const { return !refusal && !broken; }
  };
  Attempt attempt(const Outcome<Tokens>& tokens);
  /// Records what is not fine about an attempt at this input.
  void record(const Attempt& attempt, const Finding& question);
  void wrong(const Finding& finding);
  void without_answer(const Finding& finding);
  void count_answers(std::uint64_t answers) { verdict_.answers += answers; }

  /// Nothing that is still to come can change the verdict or make its example smaller, when inputs
  /// come in the order of their size.
  bool settled() const;
  /// What a property test found in addition: rows checked, and the heads that it never asked.
  void add_promises(std::uint64_t promises, const std::vector<HeadPlace>& unevaluated);
  /// Computes the status.
  void finish();

  Runner& runner() { return runner_; }
  const Model& model() const { return model_; }
  FileVerdict& verdict() { return verdict_; }

 private:
  const Model& model_;
  bool promises_bind_;
  FileVerdict& verdict_;
  Runner runner_;
  PromiseCheck promises_;
  std::size_t refusals_ = 0;
  std::optional<std::vector<HeadPlace>> unevaluated_elsewhere_;  ///< by the other test, if any
};

// The kinds of input; each fills the verdict's counts and its sentence `bound`.
void examine(Exam& exam, const AgainstLanguage& against);
void examine(Exam& exam, const AgainstDivision& against);
void examine(Exam& exam, const AgainstReachability& against);
void examine(Exam& exam, const AgainstComputationGraph& against);
void examine(Exam& exam, const AgainstStreams& against);

/// The words, or the path, on which a loop is missed most: whether the file gets one of these wrong
/// (a sentence), for inputs of this size.
std::optional<std::string> fails_at(Exam& exam, const AgainstLanguage& against, std::uint64_t size);
std::optional<std::string> fails_at(Exam& exam, const AgainstReachability& against,
                                    std::uint64_t size);

}  // namespace logdepth
