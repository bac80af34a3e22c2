#pragma once

#include "proofs-check/check/computation_graphs.hpp"
#include "proofs-check/check/divisions.hpp"
#include "proofs-check/check/graphs.hpp"
#include "proofs-check/check/words.hpp"

namespace logdepth {

/// What `test` asks, if nobody says otherwise.
inline constexpr Bounds kWordBounds{6, 200, 100, 1}, kGraphBounds{3, 150, 9, 1},
    kDivisionBounds{16, 20, 60, 1};

// A file as it is, asked once.

inline Examination<Word> examine_words(const Model& model, const LanguageOracle& oracle,
                                       const Bounds& bounds, const Asking& how = {}) {
  WordDomain questions(model, oracle);
  return examine_words(questions, bounds, how);
}
inline Examination<AskedGraph> examine_graphs(const Model& model, const GraphPlan& plan) {
  GraphDomain questions(model, false);
  return examine_graphs(questions, plan, {});
}
inline Examination<DivisionInput> examine_divisions(const Model& model, const Bounds& bounds) {
  DivisionDomain questions(model);
  return examine_divisions(questions, bounds, {});
}
inline Examination<ComputationGraphQuestion> examine_computation_graphs(const Model& model,
                                                                        const Bounds& bounds) {
  ComputationGraphDomain questions(model);
  return examine_computation_graphs(questions, bounds, {});
}

}  // namespace logdepth
