#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline base {

/// "1 graph", "3 graphs".
std::string counted(std::uint64_t count, std::string_view noun);
/// "1 vertex", "3 vertices": `plural` where an s at the end does not make it.
std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural);
/// "3 of 7".
std::string share_text(std::uint64_t part, std::uint64_t all);
/// The items in their order, with the separator between any two.
std::string joined(const std::vector<std::string>& items, std::string_view separator = ", ");
/// The first of them, as far as a line is long: "a, b, ...".
std::string shortened(const std::vector<std::string>& items);

}  // namespace logdepth::inline base
