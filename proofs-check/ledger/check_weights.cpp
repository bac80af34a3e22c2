#include "proofs-check/ledger/check_weights.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "proofs-check/check/computation_graphs.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/file/unrolling.hpp"
#include "runtime/file/weights_file.hpp"

namespace logdepth::inline proofs_check_ledger {
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

/// What an examination comes to.
template <class Input>
void conclude(FileVerdict& verdict, const Examination<Input>& found,
              const TestDomain<Input>& questions) {
  verdict.bounds = found.bounds;
  verdict.exhaustive = found.exhaustive;
  verdict.chosen = found.chosen;
  verdict.random = found.random;
  verdict.answers = found.counts.answers;
  verdict.promises = found.promises;
  verdict.unevaluated = found.unevaluated;
  const auto shown =
      [&](const std::optional<FoundInput<Input>>& one) -> std::optional<FailedInput> {
    if (!one) return std::nullopt;
    return FailedInput{questions.text(one->input), one->finding};
  };
  verdict.counterexample = shown(found.counterexample);
  verdict.without_answer = shown(found.without_answer);
  if (verdict.counterexample) {
    verdict.status = Status::contradicted;
  } else if (verdict.without_answer) {
    verdict.status = Status::undecided;
  } else if (verdict.exhaustive > 0 && verdict.unevaluated.empty()) {
    verdict.status = Status::checked;
  } else if (verdict.exhaustive + verdict.chosen + verdict.random > 0) {
    verdict.status = Status::tested;
  }
}

/// "every word of at most 6 letters (127)", or how far it came.
std::string exhaustive_text(const FileVerdict& verdict, const std::string& all,
                            const std::string& noun) {
  if (verdict.counterexample && verdict.random == 0)
    return "stopped after " + counted(verdict.exhaustive + verdict.chosen, noun);
  return all;
}

std::string random_text(const FileVerdict& verdict, const std::string& kind,
                        const std::string& unit) {
  if (verdict.random == 0) return "";
  return fmt::format(", {} {} of at most {}{} (seed {})", verdict.random, kind,
                     verdict.bounds.max_size, unit, verdict.bounds.seed);
}

/// On to a wrong answer, past inputs without any.
Asking to_the_end() {
  Asking how;
  how.past_refusals = true;
  return how;
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstLanguage& against) {
  const auto oracle = against.oracle();
  ExactRuns runs(model);
  WordDomain questions(model, *oracle);
  conclude(verdict, examine_words(runs, questions, verdict.bounds, to_the_end()), questions);
  verdict.bound =
      exhaustive_text(verdict,
                      fmt::format("every word of at most {} ({})",
                                  counted(verdict.bounds.up_to, "letter"), verdict.exhaustive),
                      "word") +
      (verdict.chosen > 0
           ? fmt::format(", {} words with one letter that differs from the rest", verdict.chosen)
           : "") +
      random_text(verdict, "random ones", "");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstDivision&) {
  ExactRuns runs(model);
  DivisionDomain questions(model);
  conclude(verdict, examine_divisions(runs, questions, verdict.bounds, to_the_end()), questions);
  verdict.bound =
      exhaustive_text(verdict,
                      fmt::format("every {} and m with i, m <= {} ({})",
                                  questions.divides_itself() ? "a = i" : "a <= i",
                                  verdict.bounds.up_to, counted(verdict.exhaustive, "run")),
                      "run") +
      random_text(verdict, "random runs", " positions");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstReachability& against) {
  ExactRuns runs(model);
  GraphDomain questions(model, against.undirected);
  const GraphPlan plan{verdict.bounds, against.loopless_beyond, true};
  conclude(verdict, examine_graphs(runs, questions, plan, to_the_end()), questions);
  const std::size_t up_to = verdict.bounds.up_to, loopless = plan.loopless_size(model);
  const std::string beyond =
      loopless > 0 ? fmt::format(" and, without self-loops, of {}", loopless) : "";
  verdict.bound = exhaustive_text(
      verdict,
      fmt::format("every graph of at most {}{} with every s and t ({} up to renaming)",
                  counted(up_to, "vertex", "vertices"), beyond, verdict.exhaustive),
      "graph");
  if (verdict.chosen > 0)
    verdict.bound += fmt::format(
        ", {} paths, cut paths, cycles, stars, two components, complete and empty of at most {}",
        verdict.chosen, verdict.bounds.max_size);
  verdict.bound += random_text(verdict, "random ones", "");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstComputationGraph&) {
  ExactRuns runs(model);
  ComputationGraphDomain questions(model);
  conclude(verdict, examine_computation_graphs(runs, questions, verdict.bounds, to_the_end()),
           questions);
  verdict.bound =
      exhaustive_text(verdict,
                      fmt::format("every graph of at most {} ({})",
                                  counted(verdict.bounds.up_to, "equation"), verdict.exhaustive),
                      "graph") +
      random_text(verdict, "random ones", "");
}

void examine_against(FileVerdict& verdict, const Model& model, const AgainstStreams& against) {
  ExactRuns runs(model);
  StreamDomain questions(model, against.outputs, against.blank);
  auto found = examine(runs, questions, streams_by_size(against.inputs, 1, verdict.bounds.up_to),
                       to_the_end());
  found.bounds = verdict.bounds;
  conclude(verdict, found, questions);
  verdict.bound = fmt::format("{} up to {} ({})", against.name, verdict.bounds.up_to,
                              counted(verdict.exhaustive, "run"));
}

/// The words, or the path, on which a loop is missed most: what the file gets wrong of these, for
/// inputs of this size.
std::optional<std::string> fails_at(const Model& model, const Against& against,
                                    std::uint64_t size) {
  constexpr std::size_t kTried = 2000;
  ExactRuns runs(model, true);
  const auto shown = [](const auto& found, const auto& questions) -> std::optional<std::string> {
    if (!found.counterexample) return std::nullopt;
    return describe(
        FailedInput{questions.text(found.counterexample->input), found.counterexample->finding});
  };
  Asking how;
  how.shrinks = false;
  how.most = kTried;
  if (const auto* words = std::get_if<AgainstLanguage>(&against)) {
    const auto oracle = words->oracle();
    WordDomain questions(model, *oracle);
    return shown(examine(runs, questions, words_of_length(model, size), how), questions);
  }
  if (const auto* graphs = std::get_if<AgainstReachability>(&against)) {
    GraphDomain questions(model, graphs->undirected);
    std::vector<std::pair<Vertex, Vertex>> path;
    for (Vertex i = 0; i + 1 < size; ++i) path.emplace_back(i, i + 1);
    const auto ends = questions.about(CaseStage::chosen, graph_of(size, path, graphs->undirected),
                                      {{0, static_cast<Vertex>(size - 1)}});
    return shown(examine(runs, questions, listed_cases<AskedGraph>({ends}), how), questions);
  }
  return std::nullopt;
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

std::string describe(const FailedInput& failed) {
  return failed.input + ": expected " + expected_text(failed.finding) + ", found " +
         got_text(failed.finding);
}

FileVerdict check_weights(const Against& against, const std::string& path, const Bounds& bounds) {
  const Model model = read_weights(path);
  FileVerdict verdict;
  verdict.bounds = bounds;
  std::visit([&](const auto& kind) { examine_against(verdict, model, kind); }, against);
  return verdict;
}

Tightness check_tightness(const Against& against, const std::string& path,
                          const std::vector<std::uint64_t>& sizes) {
  const Model model = read_weights(path);
  const bool loops = model.shape.repeated > 0;
  Tightness result{true, ""};
  for (const std::uint64_t size : sizes) {
    const Model shorter = one_fewer(model, size);
    const std::optional<std::string> failure = fails_at(shorter, against, size);
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

}  // namespace logdepth::inline proofs_check_ledger
