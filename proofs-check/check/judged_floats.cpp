#include "proofs-check/check/judged_floats.hpp"

#include <algorithm>

namespace logdepth::inline proofs_check_check {

Answered ask(FloatRunner& runner, const std::vector<FloatQuestion>& questions, Answered least) {
  Answered worst = Answered::certified;
  for (const FloatQuestion& question : questions) {
    const auto stream = runner.run(question.tokens);
    if (!stream.has_value()) throw std::logic_error(describe(stream.refusal()));
    worst = std::min(worst, question.judge(runner, stream.value()));
    if (worst < least) break;
  }
  return worst;
}

}  // namespace logdepth::inline proofs_check_check
