#pragma once

#include "compiler/layout.hpp"
#include "compiler/program.hpp"
#include "runtime/model.hpp"

namespace logdepth {

/// Fills what stands before and after the layers: input, position, embedding, unembedding, output.
void emit_ends(const Program& program, const Layout& layout, Model& model);

}  // namespace logdepth
