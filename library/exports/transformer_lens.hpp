#pragma once

#include "library/exports/network.hpp"

namespace logdepth::exports {

/// What TransformerLens cannot say, by name: its inputs are tokens, all heads of a model are causal
/// or none is, its attention is softmax, and its norms have an epsilon and read all coordinates.
/// Errors: ExportRefused.
void require_transformer_lens(const Model& model, const ExportSettings& settings);
void require_transformer_lens(const Network& network);

}  // namespace logdepth::exports
