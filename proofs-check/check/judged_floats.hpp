#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime/floats/float_run.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth::inline proofs_check_check {

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
Answered ask(FloatRunner& runner, const std::vector<FloatQuestion>& questions, Answered least);

}  // namespace logdepth::inline proofs_check_check
