#pragma once

#include <cstdint>
#include <optional>

#include "compiler/passes/layout.hpp"
#include "compiler/passes/norm_types.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

struct CompileOptions {
  Norm norm = Norm::rms;
  bool strict = false;  ///< pad so that every query, key and value has dimension width / heads
  /// The standard, non-looped transformer for all inputs up to this size; absent: looped.
  std::optional<std::uint64_t> unroll;
};

/// The transformer of a program, exact rational weights. Errors: ProgramRefused.
Model compile(const Program& program, const CompileOptions& options = {});

/// Last pass: writes the weights. Every mask, matrix and embedding, from cells to coordinates.
Model emit_weights(const Program& program, const Schedule& schedule, const MaskTypes& masks,
                   const Layout& layout);

/// Replaces the repeated block by as many copies as inputs of size up to `size` need.
Model unroll(Model model, std::uint64_t size);

}  // namespace logdepth
