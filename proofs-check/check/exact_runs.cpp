#include "proofs-check/check/exact_runs.hpp"

#include "base/phrases.hpp"
#include "runtime/file/derived.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_check {

ExactRuns::ExactRuns(const Model& model, bool answers_only)
    : model_(model),
      own_loops_(model.unroll.loops),
      answers_only_(answers_only),
      run_(model_),
      contracts_(model_, run_.runner().arithmetic()),
      cells_(model_, run_.runner().arithmetic()) {
  const auto& stated = model.derived.depth;
  if (stated && *stated != stated_depth(model)) other_depth_ = {*stated, stated_depth(model)};
}

std::optional<Failure> ExactRuns::run(const Tokens& tokens, std::optional<std::uint32_t> loops,
                                      const std::function<FileAnswer()>& expected) {
  model_.unroll.loops = loops.value_or(own_loops_);
  count_.layers = 0;
  Runner::Observers observers;
  if (!answers_only_) observers = {&contracts_, &cells_, &count_};
  cells_.forgive();  // a run without layers looks at nothing
  const auto refusal = run_.run(tokens, observers);
  if (!answers_only_) {
    if (const auto broken = contracts_.broken_row()) {
      contracts_.forgive();
      return *broken;
    }
    if (cells_.broken()) return *cells_.broken();
    if (other_depth_ && !loops) return *other_depth_;
    // What looked on saw the layers up to where the numbers left the field.
    const std::uint64_t depth = depth_at(model_, tokens.size);
    if (!refusal && !run_.left_field() && count_.layers != depth)
      return OtherDepth{counted(depth, "layer"), counted(count_.layers, "layer")};
  }
  if (refusal) return NoAnswer{expected(), *refusal};
  return std::nullopt;
}

std::optional<Failure> ExactRuns::not_refused(const Outcome<Tokens>& tokens) {
  std::optional<Refusal> refusal;
  if (tokens.has_value()) {
    model_.unroll.loops = own_loops_;
    refusal = run_.run(tokens.value());
  } else {
    refusal = tokens.refusal();
  }
  if (refusal && std::holds_alternative<OutsideHypotheses>(*refusal)) return std::nullopt;
  return NotRefused{refusal};
}

}  // namespace logdepth::inline proofs_check_check
