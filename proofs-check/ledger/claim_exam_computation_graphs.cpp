#include <fmt/core.h>

#include "objects/phrases.hpp"
#include "proofs-check/check/computation_graph_run.hpp"
#include "proofs-check/check/test_computation_graph.hpp"
#include "proofs-check/ledger/claim_exam.hpp"

namespace logdepth {

void examine(Exam& exam, const AgainstComputationGraph&) {
  FileVerdict& verdict = exam.verdict();
  ComputationGraphTestOptions options;
  options.up_to = verdict.bounds.up_to;
  options.random = verdict.bounds.random;
  options.max_size = verdict.bounds.max_size;
  options.seed = verdict.bounds.seed;
  options.operands = operands_of(exam.model());
  const ComputationGraphReport report = test_computation_graph(exam.model(), options);

  verdict.bounds.up_to = report.up_to;
  verdict.bounds.max_size = report.max_size;
  verdict.exhaustive = report.exhaustive_graphs;
  verdict.random = report.random_graphs;
  exam.count_answers(report.values);
  exam.add_promises(report.promises, report.unevaluated);
  verdict.bound = fmt::format("every graph of at most {} ({})", counted(report.up_to, "equation"),
                              verdict.exhaustive);
  if (verdict.random > 0)
    verdict.bound += fmt::format(", {} random ones of at most {} (seed {})", verdict.random,
                                 report.max_size, report.seed);
  if (const auto& example = report.counterexample) {
    std::string word;
    for (const std::string& letter : example->letters) word += (word.empty() ? "" : " ") + letter;
    exam.wrong({"'" + word + "'", example->expected, example->got, {example->letters.size()}});
  }
}

}  // namespace logdepth
