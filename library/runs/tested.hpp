#pragma once

#include "logdepth/test.hpp"
#include "oracle/command_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/examine.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace library_runs {

// Tests of a weights file, as the functions of logdepth/test.hpp; `how`: with progress, or one of many
// parts. Errors: as theirs.

TestResult tested_words(const Model& model, const LanguageOracle& oracle, const TestedWords& words,
                        const Asking& how = {});
/// Without an oracle searches in the graph say what is right.
GraphTestResult tested_graphs(const Model& model, ReachabilityQuestion oracle,
                              const TestedGraphs& graphs, const Asking& how = {});
DivisionTestResult tested_divisions(const Model& model, const TestedDivisions& divisions,
                                    const Asking& how = {});
ComputationGraphTestResult tested_computation_graphs(const Model& model,
                                                     const TestedComputationGraphs& graphs,
                                                     const Asking& how = {});

/// Vertices are their numbers.
DirectedGraph numbered_graph(const Graph& graph);

}}  // namespace logdepth::library_runs
