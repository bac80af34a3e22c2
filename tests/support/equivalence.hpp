#pragma once

#include <optional>
#include <string>

#include "tests/support/mutation_subject.hpp"

namespace logdepth::support {

/// A proof that the changed weights compute the same on every input, found by the machine from the
/// two models and the enumerated moments: the reason in words, absent when none of the arguments
/// applies. The arguments, per place that differs:
/// - coordinates were only renamed, units or heads only reordered;
/// - a mask under which every token has the same norm, with what the sublayer reads compared below;
/// - feed-forward units: the same sum of outputs in every combination that occurs (a unit that is
///   never active among them);
/// - a head's score: multiplied by one positive factor; or the same arg max by the inequality of
///   its selector (compiler/lemmas/head_schema.cpp), by comparing all pairs of cell values, or by what
///   grows with the position (token_courses.hpp);
/// - a head's values: the same output for every token that can be selected;
/// - a contract that the kept contract implies;
/// - logits: verdict and prefix product are the same for every element at the end.
std::optional<std::string> equivalence_proof(const MutationSubject& subject, const Model& mutant);

}  // namespace logdepth::support
