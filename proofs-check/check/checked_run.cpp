#include "proofs-check/check/checked_run.hpp"

#include <fmt/core.h>

#include <utility>

#include "runtime/file/unrolling.hpp"

namespace logdepth {

CheckedRun::CheckedRun(const Model& model)
    : model_(model), runner_(model), promises_(model, runner_.arithmetic()) {}

std::optional<Stream<ValueId>> CheckedRun::run(const Outcome<Tokens>& tokens,
                                               const std::string& answer,
                                               std::optional<Mismatch>& mismatch) {
  if (!tokens.has_value()) {
    mismatch = {TestedProperty::answer, answer, describe(tokens.refusal())};
    return std::nullopt;
  }
  count_.layers = 0;
  auto stream = runner_.run(tokens.value(), {&promises_, &count_});
  const std::uint64_t depth = depth_at(model_, tokens.value().size);
  if (promises_.broken()) {
    mismatch = {TestedProperty::promise, "every head keeps its promise", *promises_.broken()};
    promises_.forgive();
  } else if (!stream.has_value()) {
    mismatch = {TestedProperty::answer, answer, describe(stream.refusal())};
  } else if (count_.layers != depth) {
    mismatch = {TestedProperty::depth, fmt::format("the claimed depth of {} layers", depth),
                fmt::format("{} layers", count_.layers)};
  }
  if (mismatch) return std::nullopt;
  return std::move(stream).value();
}

std::optional<Mismatch> CheckedRun::expect_outside(const Outcome<Tokens>& tokens,
                                                   const std::string& what) {
  const auto refused = [](const Refusal& refusal) {
    return std::holds_alternative<OutsideHypotheses>(refusal);
  };
  if (!tokens.has_value() && refused(tokens.refusal())) return std::nullopt;
  std::string got = tokens.has_value() ? "an answer" : describe(tokens.refusal());
  if (tokens.has_value()) {
    const auto stream = runner_.run(tokens.value());
    if (!stream.has_value() && refused(stream.refusal())) return std::nullopt;
    if (!stream.has_value()) got = describe(stream.refusal());
  }
  return Mismatch{TestedProperty::limit, what + " is refused as outside the hypotheses", got};
}

}  // namespace logdepth
