#include "runtime/exact/decided_run.hpp"

#include <algorithm>
#include <utility>

namespace logdepth::inline runtime_exact {

void DecidedRun::forget_nested() {
  past_ = nested_statistics();
  nested_.reset();
}

std::optional<Refusal> DecidedRun::run(const Tokens& tokens, const Runner::Observers& observers) {
  stream_.reset();
  left_.reset();
  forget_nested();
  auto stream = runner_.run(tokens, observers);
  if (stream.has_value()) {
    stream_ = std::move(stream).value();
    return std::nullopt;
  }
  const auto* left = std::get_if<OutsideField>(&stream.refusal());
  if (!left) return stream.refusal();
  left_ = *left;
  nested_.emplace(model_, memory_ - std::min(memory_, runner_.bytes()));
  auto refusal = nested_->run(tokens);
  if (refusal)
    if (const auto* open = std::get_if<OutsideField>(&*refusal))
      return OutsideField{left_->reason + "; " + open->reason};
  return refusal;
}

Outcome<bool> DecidedRun::accepts(std::size_t token) {
  return stream_ ? runner_.accepts(*stream_, token) : nested_->accepts(token);
}

Outcome<bool> DecidedRun::relation(std::size_t from, std::size_t to) {
  return stream_ ? runner_.relation(*stream_, from, to) : nested_->relation(from, to);
}

Outcome<bool> DecidedRun::connected(std::size_t source, std::size_t target) {
  return stream_ ? runner_.connected(*stream_, source, target) : nested_->connected(source, target);
}

Outcome<PrefixAnswer> DecidedRun::prefix(std::size_t token) {
  return stream_ ? runner_.prefix(*stream_, token) : nested_->prefix(token);
}

Outcome<bool> DecidedRun::has_logits(std::size_t token, std::span<const Real> expected) {
  if (!stream_) return nested_->has_logits(token, expected);
  const std::vector<Real> logits = runner_.logits(*stream_, token);
  return std::equal(logits.begin(), logits.end(), expected.begin(), expected.end());
}

Outcome<std::vector<std::string>> DecidedRun::logits(std::size_t token) {
  if (!stream_) return nested_->logits(token);
  std::vector<std::string> texts;
  for (const Real& logit : runner_.logits(*stream_, token)) texts.push_back(logit.text());
  return texts;
}

Outcome<std::vector<Approximation>> DecidedRun::approximate_logits(std::size_t token) {
  if (!stream_) return nested_->approximate_logits(token);
  std::vector<Approximation> near;
  for (const Real& logit : runner_.logits(*stream_, token)) near.push_back(logit.approximate());
  return near;
}

std::optional<std::string> DecidedRun::nonzero(std::size_t token, std::size_t coordinate) {
  if (!stream_) return nested_->nonzero(token, coordinate);
  const ValueId value = stream_->at(token, coordinate);
  if (value == ValuePool::kZero) return std::nullopt;
  return runner_.arithmetic().pool()[value].text();
}

RadicalTower::Statistics DecidedRun::nested_statistics() const {
  RadicalTower::Statistics total = past_;
  if (nested_) total += nested_->arithmetic().pool().tower().statistics();
  return total;
}

}  // namespace logdepth::inline runtime_exact
