#pragma once

#include <optional>
#include <string>

#include "runtime/file/model.hpp"
#include "runtime/file/precision_facts.hpp"

namespace logdepth {

/// The member `derived` of a weights file: the text of the program that it was compiled from, and
/// what is proved about its numbers, and its depth. No hash protects it, so whoever uses it has to
/// prove it first.

[[nodiscard]] JsonText derived_json(const std::string& program, const PrecisionFacts& facts,
                                    const std::string& depth);

/// The program's text, as the file has it; absent where there is none.
[[nodiscard]] std::optional<std::string> program_text_in(const Model& model);

/// The depth that the file says it has, as stated_depth() spells it; absent where it says nothing.
[[nodiscard]] std::optional<std::string> depth_stated_in(const Model& model);
/// The depth counted on the layers and loops, with the largest input: "ceil(log2 n) + 1",
/// "3, n <= 8".
[[nodiscard]] std::string stated_depth(const Model& model);

}  // namespace logdepth
