#pragma once

#include <string_view>
#include <vector>

namespace logdepth::inline base {

/// The lines of a text, without their ends; a last line without an end counts.
std::vector<std::string_view> lines_of(std::string_view text);
/// The fields of a line, separated by spaces and tabs.
std::vector<std::string_view> fields_of(std::string_view line);

}  // namespace logdepth::inline base
