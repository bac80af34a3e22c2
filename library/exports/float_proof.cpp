#include "library/exports/float_proof.hpp"

#include <fmt/core.h>

#include <variant>

#include "library/exports/float_steps.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::exports {

FloatBounds float_bounds(const Model& model, const Network& network) {
  if (!std::holds_alternative<WordInput>(model.input) ||
      !std::holds_alternative<AcceptOutput>(model.output))
    not_shown(
        "the input is no word, or the output no verdict; expected words that are accepted or "
        "rejected");
  if (network.length > kMostLength)
    throw InputError(fmt::format("--length: expected at most {} for a certificate, found {}",
                                 kMostLength, network.length));
  return FloatSteps(model, network).run();
}

}  // namespace logdepth::exports
