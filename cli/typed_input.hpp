#pragma once

#include <string>
#include <vector>

#include "cli/word_source.hpp"
#include "logdepth/run.hpp"
#include "runtime/file/model.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::inline cli {

/// An input as a user types it in a shell.
struct TypedInput {
  std::string preparation = {};  ///< writes the file that the options name; or nothing
  std::string options = {};      ///< of InputOptions; empty: none say this input
};

TypedInput typed_word(const LetterNames& letters);
TypedInput typed_graph(const DirectedGraph& graph, std::uint32_t source, std::uint32_t target);
/// Precondition: the model takes raw streams.
TypedInput typed_cells(const Model& model, const std::vector<std::vector<Real>>& rows);

}  // namespace logdepth::inline cli
