#include "proofs-check/claims/defect.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "proofs-check/claims/defect_changes.hpp"

#define LOGDEPTH_DEFECTS(paper, name)                      \
  namespace logdepth::inline proofs_check_papers_##paper { \
    std::vector<Defect> paper##_##name##_defects();        \
  }
#define LOGDEPTH_CLAIMS(paper, name)
#include <statements.list>
#undef LOGDEPTH_DEFECTS

namespace logdepth::inline proofs_check_claims {
namespace {

DefectOutcome examine_refused(const Defect& defect) {
  DefectOutcome finding;
  (void)compile(defect.repaired());
  try {
    (void)compile(defect.program());
  } catch (const ProgramRefused& refused) {
    finding.note = refused.what();
    finding.shown = true;
    return finding;
  }
  finding.note = "the compiler takes it";
  return finding;
}

DefectOutcome examine_run(const Defect& defect) {
  DefectOutcome finding;
  CompileOptions options;
  options.norm = defect.norm;
  Model changed = compile(defect.program(), options).model;
  if (defect.edit) changed = defect.edit(std::move(changed));
  finding.counterexample = defect.search(changed, {defect.up_to});
  if (!finding.counterexample) {
    finding.note = fmt::format("no input up to size {} fails", defect.up_to);
    return finding;
  }
  const auto also = defect.search(compile(defect.repaired(), options).model,
                                  {defect.up_to, finding.counterexample->tried});
  finding.shown = !also;
  if (also) finding.note = "the repaired construction fails as well, at " + also->input;
  return finding;
}

}  // namespace

const std::vector<Defect>& all_defects() {
  static const std::vector<Defect> all = [] {
    std::vector<Defect> defects;
    const auto add = [&](std::vector<Defect> part, const std::string& paper,
                         const std::string& name) {
      for (Defect& defect : part) {
        defect.paper = paper;
        defect.file = "proofs-check/papers/" + paper + "/" + name + "_defects.cpp";
        defects.push_back(std::move(defect));
      }
    };
#define LOGDEPTH_DEFECTS(paper, name) add(paper##_##name##_defects(), #paper, #name);
#include <statements.list>
#undef LOGDEPTH_DEFECTS
#undef LOGDEPTH_CLAIMS
    std::stable_sort(defects.begin(), defects.end(),
                     [](const Defect& a, const Defect& b) { return a.number < b.number; });
    return defects;
  }();
  return all;
}

DefectOutcome examine(const Defect& defect) {
  switch (defect.kind) {
    case Defect::Kind::runs:
      return examine_run(defect);
    case Defect::Kind::refused:
      return examine_refused(defect);
    case Defect::Kind::recorded:
      break;
  }
  return {!defect.reason.empty(), std::nullopt, defect.reason};
}

}  // namespace logdepth::inline proofs_check_claims
