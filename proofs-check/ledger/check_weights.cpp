#include "proofs-check/ledger/check_weights.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "objects/phrases.hpp"
#include "proofs-check/ledger/claim_exam.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth {
namespace {

/// The file without its last loop at inputs of this size; without loops, without its last layer.
Model one_fewer(Model model, std::uint64_t size) {
  if (model.shape.repeated > 0) {
    const std::uint64_t loops = loops_at(model.unroll, size);
    model.unroll =
        Unroll{Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops == 0 ? 0 : loops - 1),
               model.unroll.max_length};
    return model;
  }
  if (model.layers.empty()) return model;
  model.layers.pop_back();
  --(model.shape.final > 0 ? model.shape.final : model.shape.initial);
  return model;
}

}  // namespace

std::string status_name(Status status) {
  switch (status) {
    case Status::checked:
      return "checked";
    case Status::tested:
      return "tested";
    case Status::certified:
      return "certified";
    case Status::contradicted:
      return "contradicted";
    case Status::undecided:
      return "undecided";
    case Status::unchecked:
      return "unchecked";
    case Status::not_executable:
      return "not-executable";
  }
  return "";
}

Status worse(Status a, Status b) {
  static const std::vector<Status> kOrder = {
      Status::certified, Status::checked,   Status::tested,      Status::not_executable,
      Status::unchecked, Status::undecided, Status::contradicted};
  const auto place = [](Status s) { return std::find(kOrder.begin(), kOrder.end(), s); };
  return std::max(place(a), place(b)) == place(a) ? a : b;
}

std::string describe(const Finding& finding) {
  return finding.input + ": expected " + finding.expected + ", got " + finding.got;
}

FileVerdict check_weights(const Against& against, const std::string& path, const Bounds& bounds) {
  const Model model = read_weights(path);
  FileVerdict verdict;
  verdict.bounds = bounds;
  Exam exam(model, true, verdict);
  std::visit([&](const auto& kind) { examine(exam, kind); }, against);
  exam.finish();
  return verdict;
}

Tightness check_tightness(const Against& against, const std::string& path,
                          const std::vector<std::uint64_t>& sizes) {
  const Model model = read_weights(path);
  const bool loops = model.shape.repeated > 0;
  Tightness result{true, ""};
  for (const std::uint64_t size : sizes) {
    const Model shorter = one_fewer(model, size);
    FileVerdict verdict;
    Exam exam(shorter, false, verdict);
    std::optional<std::string> failure;
    if (const auto* words = std::get_if<AgainstLanguage>(&against))
      failure = fails_at(exam, *words, size);
    if (const auto* graphs = std::get_if<AgainstReachability>(&against))
      failure = fails_at(exam, *graphs, size);
    const std::string fewer =
        loops ? fmt::format("{} instead of {}", counted(shorter.unroll.loops, "loop"),
                            loops_at(model.unroll, size))
              : fmt::format("{} instead of {}", counted(shorter.layers.size(), "layer"),
                            model.layers.size());
    if (!failure) return {false, fmt::format("{}: no failure found at n = {}", fewer, size)};
    result.witness += (result.witness.empty() ? "" : "; ") + fewer + ": " + *failure;
  }
  return result;
}

}  // namespace logdepth
