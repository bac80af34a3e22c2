#include "proofs-check/check/exact_runs.hpp"

#include <utility>

#include "objects/phrases.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

class ExactAnswers : public RunAnswers {
 public:
  ExactAnswers(Runner& runner, Stream<ValueId> stream)
      : runner_(runner), stream_(std::move(stream)) {}

  std::size_t tokens() const override { return stream_.tokens; }
  Outcome<bool> accepts(std::size_t token) override { return runner_.accepts(stream_, token); }
  Outcome<bool> connected(std::size_t source, std::size_t target) override {
    return runner_.connected(stream_, source, target);
  }
  Outcome<PrefixAnswer> prefix(std::size_t token) override {
    return runner_.prefix(stream_, token);
  }
  Outcome<bool> is(std::size_t token, std::size_t row, const Real& number) override {
    return logits(token)[row] == number;
  }
  Outcome<bool> zero(std::size_t token, std::size_t coordinate) override {
    return runner_.arithmetic().is_zero(stream_.at(token, coordinate));
  }
  std::string number(std::size_t token, std::size_t row) override {
    return logits(token)[row].text();
  }

 private:
  const std::vector<Real>& logits(std::size_t token) {
    if (read_ != token) logits_ = runner_.logits(stream_, token);
    read_ = token;
    return logits_;
  }

  Runner& runner_;
  Stream<ValueId> stream_;
  std::optional<std::size_t> read_;
  std::vector<Real> logits_;  ///< of that token
};

}  // namespace

ExactRuns::ExactRuns(const Model& model, bool answers_only)
    : model_(model),
      own_loops_(model.unroll.loops),
      answers_only_(answers_only),
      runner_(model_),
      promises_(model_, runner_.arithmetic()),
      cells_(model_, runner_.arithmetic()) {
  const auto stated = depth_stated_in(model);
  if (stated && *stated != stated_depth(model)) other_depth_ = {*stated, stated_depth(model)};
}

Outcome<std::unique_ptr<RunAnswers>> ExactRuns::answers(const Tokens& tokens,
                                                        std::optional<std::uint32_t> loops,
                                                        std::optional<Finding>& found) {
  model_.unroll.loops = loops.value_or(own_loops_);
  count_.layers = 0;
  Runner::Observers observers;
  if (!answers_only_) observers = {&promises_, &cells_, &count_};
  auto stream = runner_.run(tokens, observers);
  if (!answers_only_) {
    const std::uint64_t depth = depth_at(model_, tokens.size);
    if (promises_.broken_row()) {
      found = *promises_.broken_row();
      promises_.forgive();
    } else if (cells_.broken()) {
      found = *cells_.broken();
    } else if (other_depth_ && !loops) {
      found = *other_depth_;
    } else if (stream.has_value() && count_.layers != depth) {
      found = OtherDepth{counted(depth, "layer"), counted(count_.layers, "layer")};
    }
  }
  if (!stream.has_value()) return stream.refusal();
  return std::unique_ptr<RunAnswers>(
      std::make_unique<ExactAnswers>(runner_, std::move(stream).value()));
}

std::optional<Finding> ExactRuns::not_refused(const Outcome<Tokens>& tokens) {
  const auto as_outside = [](const Refusal& refusal) {
    return std::holds_alternative<OutsideHypotheses>(refusal);
  };
  std::optional<Refusal> refusal;
  if (!tokens.has_value()) {
    refusal = tokens.refusal();
  } else {
    model_.unroll.loops = own_loops_;
    const auto stream = runner_.run(tokens.value());
    if (!stream.has_value()) refusal = stream.refusal();
  }
  if (refusal && as_outside(*refusal)) return std::nullopt;
  return NotRefused{refusal};
}

}  // namespace logdepth
