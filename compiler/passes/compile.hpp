#pragma once

#include <cstdint>
#include <optional>

#include "compiler/passes/layout.hpp"
#include "compiler/passes/norm_types.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model_rules.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth::inline compiler_passes {

struct CompileOptions {
  Norm norm = Norm::rms;
  bool strict = false;  ///< pad so that every query, key and value has dimension width / heads
  /// The standard, non-looped transformer for all inputs up to this size; absent: looped.
  std::optional<std::uint64_t> unroll;
};

/// A compiled program.
struct [[nodiscard]] Compiled {
  CheckedModel model;  ///< exact rational weights, without `derived`
  Program program;
  PrecisionFacts facts;  ///< proved of the model's numbers, one entry per layer of the model
};
/// The transformer of a program. Errors: ProgramRefused.
Compiled compile(const Program& program, const CompileOptions& options = {});

/// The model as a weights file has it, with the program and the facts in `derived`.
/// Errors: ProgramRefused where the program's text breaks a rule of the format.
[[nodiscard]] CheckedModel with_derived(Compiled compiled);

/// Last pass: writes the weights. Every mask, matrix and embedding, from cells to coordinates.
[[nodiscard]] Model emit_weights(const Program& program, const Schedule& schedule,
                                 const MaskTypes& masks, const Layout& layout);

/// Replaces the repeated block by as many copies as inputs of size up to `size` need.
/// Errors: ProgramRefused for more layers than a file may have.
Compiled unroll(Compiled compiled, std::uint64_t size);

}  // namespace logdepth::inline compiler_passes
