#pragma once

#include "compiler/passes/layout.hpp"
#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_passes {

/// Fills what stands before and after the layers: input, position, embedding, unembedding, output.
void emit_ends(const Program& program, const Layout& layout, Model& model);

}  // namespace logdepth::inline compiler_passes
