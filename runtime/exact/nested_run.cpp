#include "runtime/exact/nested_run.hpp"

#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/readout.hpp"

namespace logdepth::inline runtime_exact {
namespace {

/// Logits of a run over nested radicals, for readout.hpp.
struct NestedLogits {
  std::span<const NestedId> logits;
  NestedArithmetic& arithmetic;

  std::optional<std::size_t> winner(std::span<const std::uint32_t> rows) const {
    return strictly_largest(
        rows, [&](auto i, auto j) { return arithmetic.compare(logits[i], logits[j]); });
  }
  int sign(std::uint32_t row) const { return arithmetic.sign(logits[row]); }
  std::string text(std::uint32_t row) const {
    return arithmetic.pool().tower().text(arithmetic.pool()[logits[row]]);
  }
};

}  // namespace

OutsideField NestedRunner::not_decided(const SizeLimit& limit) const {
  return {std::string("also with nested radicals: ") + limit.what()};
}

template <class Read>
auto NestedRunner::within_field(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const SizeLimit& limit) {
    if (!arithmetic_->undecided()) throw;
    return not_decided(limit);
  }
}

std::optional<Refusal> NestedRunner::run(const Tokens& tokens, const Observers& observers) {
  stream_.reset();
  if (auto refusal = outside_hypotheses(model_, tokens)) return *refusal;
  forward_.reset();
  forward_.emplace(model_, arithmetic_.emplace(), memory_);
  auto stream = forward_->stream(tokens.kinds.size());
  if (const auto refusal = embed(model_, tokens, *arithmetic_, stream)) return *refusal;
  const auto loops = static_cast<std::size_t>(loops_at(model_.unroll, tokens.size));
  auto end = within_field([&] { return forward_->run(std::move(stream), loops, observers); });
  if (!end.has_value()) return end.refusal();
  stream_ = std::move(end).value();
  return std::nullopt;
}

Outcome<bool> NestedRunner::accepts(std::size_t token) {
  return within_field([&] {
    NestedLogits logits{forward_->logits(*stream_, token), *arithmetic_};
    return read_verdict(model_, logits);
  });
}

Outcome<bool> NestedRunner::relation(std::size_t from, std::size_t to) {
  check_relation(model_, stream_->tokens, from, to);
  return within_field([&] {
    NestedLogits logits{forward_->logits(*stream_, from), *arithmetic_};
    return read_relation(logits, from, to);
  });
}

Outcome<bool> NestedRunner::connected(std::size_t source, std::size_t target) {
  if (std::holds_alternative<RelationOutput>(model_.output)) return relation(source, target);
  return accepts(stream_->tokens - 1);
}

Outcome<PrefixAnswer> NestedRunner::prefix(std::size_t token) {
  return within_field([&] {
    NestedLogits logits{forward_->logits(*stream_, token), *arithmetic_};
    return read_prefix(model_, logits, token);
  });
}

Outcome<bool> NestedRunner::has_logits(std::size_t token, std::span<const Real> expected) {
  return within_field([&]() -> Outcome<bool> {
    const auto logits = forward_->logits(*stream_, token);
    if (logits.size() != expected.size()) return false;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (arithmetic_->compare(logits[i], arithmetic_->number(expected[i])) != 0) return false;
    return true;
  });
}

Outcome<std::vector<std::string>> NestedRunner::logits(std::size_t token) {
  return within_field([&]() -> Outcome<std::vector<std::string>> {
    NestedLogits logits{forward_->logits(*stream_, token), *arithmetic_};
    std::vector<std::string> texts;
    for (std::uint32_t row = 0; row < logits.logits.size(); ++row)
      texts.push_back(logits.text(row));
    return texts;
  });
}

Outcome<std::vector<Approximation>> NestedRunner::approximate_logits(std::size_t token) {
  return within_field([&]() -> Outcome<std::vector<Approximation>> {
    std::vector<Approximation> near;
    for (const NestedId logit : forward_->logits(*stream_, token))
      near.push_back(arithmetic_->pool().approximation(logit));
    return near;
  });
}

std::optional<std::string> NestedRunner::nonzero(std::size_t token, std::size_t coordinate) {
  const NestedId value = stream_->at(token, coordinate);
  if (arithmetic_->is_zero(value)) return std::nullopt;
  return arithmetic_->pool().tower().text(arithmetic_->pool()[value]);
}

}  // namespace logdepth::inline runtime_exact
