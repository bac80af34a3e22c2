#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logdepth::inline runtime_file {

/// For parsers that make a tree of a JSON text, which is copied and printed by recursion. Errors:
/// InputError where arrays and objects are nested deeper than 256 levels.
void require_shallow_json(std::string_view text, const std::string& source);

/// The bytes of a file that such a parser is to read, JSON or not. Errors: as read_whole_file, and
/// as above.
[[nodiscard]] std::string read_json_file(const std::string& path,
                                         std::size_t limit = std::size_t{1} << 30);

}  // namespace logdepth::inline runtime_file
