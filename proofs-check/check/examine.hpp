#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/check/exact_runs.hpp"
#include "proofs-check/check/shard.hpp"
#include "proofs-check/check/test_domain.hpp"

namespace logdepth::inline proofs_check_check {

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
  Shard shard;
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

/// What came of questions.
template <class Input>
struct [[nodiscard]] Examination {
  Bounds bounds;  ///< as asked, or the file's own limit where that is less
  std::uint64_t exhaustive = 0, chosen = 0, random = 0;  ///< cases
  std::uint64_t asked = 0;                               ///< questions
  ComparedCounts counts;
  std::uint64_t promises = 0;          ///< rows at which a head's promise was checked
  std::vector<HeadPlace> unevaluated;  ///< heads whose contract was never checked
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
Examination<Input> examine(ExactRuns& runs, TestDomain<Input>& questions,
                           CaseGenerator<Input> cases, const Asking& how) {
  Examination<Input> result;
  NumberedCases numbered(how.shard);
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
        result.without_answer = {input, std::move(*finding), input, numbered.number()};
    } else if (how.shrinks) {
      result.counterexample = shrink(runs, questions, input, numbered.number());
    } else {
      result.counterexample = {input, std::move(*finding), input, numbered.number()};
    }
  };
  while (!end()) {
    const std::optional<AskedCase<Input>> next = cases.next();
    if (!next) break;
    if (!numbered.next()) continue;
    if (how.progress)
      how.progress(done, std::max<std::size_t>(cases.total / how.shard.count, done));
    ++done;
    if (next->stage == CaseStage::exhaustive) ++result.exhaustive;
    if (next->stage == CaseStage::chosen) ++result.chosen;
    if (next->stage == CaseStage::random) ++result.random;
    for (const Input& input : next->inputs)
      if (!end()) ask(input);
  }
  result.promises = runs.promises();
  result.unevaluated = runs.unevaluated();
  return result;
}

}  // namespace logdepth::inline proofs_check_check
