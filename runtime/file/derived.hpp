#pragma once

#include <optional>
#include <string>

#include "runtime/file/model.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth {

/// The member `derived` of a weights file: the text of the program that it was compiled from, and
/// what is proved about its numbers. No hash protects it, so whoever uses it has to prove it first.

[[nodiscard]] JsonText derived_json(const std::string& program, const PrecisionFacts& facts);

/// The program's text, as the file has it; absent where there is none.
[[nodiscard]] std::optional<std::string> program_text_in(const Model& model);

}  // namespace logdepth
