#pragma once

#include "compiler/passes/layout.hpp"
#include "compiler/passes/norm_types.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth::inline compiler_passes {

/// What is proved about the numbers of the compiled weights, at every token of every input, one
/// entry per scheduled layer: initial, repeated, final. What is not proved is absent. The proofs
/// are in the comments of prove_precision.cpp and separation_lemmas.cpp; they rest on the norm types,
/// and on what the program declares of its directions (DirectionType).
PrecisionFacts prove_precision(const Program& program, const Schedule& schedule,
                               const MaskTypes& masks, const Layout& layout);

}  // namespace logdepth::inline compiler_passes
