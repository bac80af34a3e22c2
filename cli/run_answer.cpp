#include "cli/run_answer.hpp"

#include <algorithm>

#include "runtime/numbers/float_text.hpp"

namespace logdepth {

/// The first that is not certified stands for all.
Confidence confidence(const RunAnswer& answer) {
  Confidence found;
  const auto take = [&](Certificate certificate, const std::string& reason) {
    if (found.certificate != Certificate::certified) return;
    found.certificate = certificate;
    found.reason = reason;
  };
  if (answer.prefixes)
    for (const Read<PrefixAnswer>& prefix : *answer.prefixes)
      if (prefix.has_value()) take(prefix.value().certificate, prefix.value().reason);
  take(answer.certificate, answer.reason);
  for (const std::vector<ReadNumber>& logits : answer.numbers)
    for (const ReadNumber& number : logits)
      found.bound =
          std::max(found.bound.value_or(0), sum_of_bounds(number.error, text_error(number.value)));
  return found;
}

const char* refusal_name(const Refusal& refusal) {
  return std::holds_alternative<Undecided>(refusal)      ? "undecided"
         : std::holds_alternative<OutsideField>(refusal) ? "outside the field"
                                                         : "outside the hypotheses";
}

std::string outcome(const SaidAnswer& said) {
  const RunAnswer& answer = said.answer;
  if (answer.limit) return "beyond a limit";
  if (answer.refusal) return refusal_name(*answer.refusal);
  if (!answer.verdict) return "value";
  if (said.of == SaidAnswer::Of::pair) return *answer.verdict ? "connected" : "not connected";
  return *answer.verdict ? "accept" : "reject";
}

}  // namespace logdepth
