#include "proofs-check/ledger/claim_exam.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace logdepth {
namespace {

/// So many inputs without an answer say what more would say.
constexpr std::size_t kEnoughRefusals = 100;

void keep_smallest(std::optional<Finding>& kept, const Finding& finding) {
  if (!kept || finding.order < kept->order) kept = finding;
}

}  // namespace

Exam::Exam(const Model& model, bool promises_bind, Verdict& verdict)
    : model_(model),
      promises_bind_(promises_bind),
      verdict_(verdict),
      runner_(model),
      promises_(model, runner_.arithmetic()) {}

Exam::Attempt Exam::attempt(const Outcome<Tokens>& tokens) {
  Attempt result;
  if (!tokens.has_value()) {
    result.refusal = describe(tokens.refusal());
    return result;
  }
  auto stream = runner_.run(tokens.value(), {&promises_});
  if (promises_.broken()) {
    result.broken = *promises_.broken();
    promises_.forgive();
  }
  if (stream.has_value()) {
    result.stream = std::move(stream).value();
  } else {
    result.refusal = describe(stream.refusal());
  }
  return result;
}

void Exam::record(const Attempt& attempt, const Finding& question) {
  if (!attempt.broken.empty() && promises_bind_) {
    Finding finding = question;
    finding.expected = "every head keeps its promise";
    finding.got = attempt.broken;
    keep_smallest(verdict_.counterexample, finding);
  }
  if (!attempt.refusal.empty()) {
    Finding finding = question;
    finding.got = attempt.refusal;
    without_answer(finding);
  }
}

void Exam::wrong(const Finding& finding) {
  keep_smallest(verdict_.counterexample, finding);
}

void Exam::without_answer(const Finding& finding) {
  ++refusals_;
  keep_smallest(verdict_.without_answer, finding);
}

bool Exam::settled() const {
  return verdict_.counterexample || refusals_ >= kEnoughRefusals;
}

void Exam::add_promises(std::uint64_t promises, const std::vector<std::string>& unevaluated) {
  verdict_.promises += promises;
  asked_elsewhere_ = unevaluated;
}

void Exam::finish() {
  verdict_.promises += promises_.total_evaluated();
  for (std::size_t layer = 0; layer < model_.layers.size(); ++layer)
    for (std::size_t head = 0; head < model_.layers[layer].attention.heads.size(); ++head) {
      if (promises_.evaluated()[layer][head] > 0) continue;
      const std::string name =
          "layer " + std::to_string(layer) + " of the file, head " + std::to_string(head);
      if (!asked_elsewhere_ || std::find(asked_elsewhere_->begin(), asked_elsewhere_->end(),
                                         name) != asked_elsewhere_->end())
        verdict_.unevaluated.push_back(name);
    }
  if (verdict_.counterexample) {
    verdict_.status = Status::contradicted;
  } else if (verdict_.without_answer) {
    verdict_.status = Status::undecided;
  } else if (verdict_.exhaustive > 0 && verdict_.unevaluated.empty()) {
    verdict_.status = Status::checked;
  } else if (verdict_.exhaustive + verdict_.chosen + verdict_.random > 0) {
    verdict_.status = Status::tested;
  }
}

}  // namespace logdepth
