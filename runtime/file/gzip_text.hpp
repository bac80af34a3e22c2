#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logdepth::inline runtime_file {

bool is_gzip(std::string_view bytes);
/// The text of one gzip member with nothing after it; reading stops as soon as it is longer than
/// `limit`. `path` names the file in messages. Errors: InputError.
std::string unpacked(const std::string& bytes, const std::string& path, std::size_t limit);
/// The same text gives the same bytes on every machine.
std::string packed(const std::string& text);

/// The text of a file that a user gives, packed by gzip or not, without a byte order mark. Errors: as
/// read_whole_file, and InputError for damaged gzip data and for UTF-16 and UTF-32, which are named.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::size_t limit = std::size_t{1} << 30);

}  // namespace logdepth::inline runtime_file
