#pragma once

#include <cstddef>
#include <string>

#include "logdepth/constructions.hpp"

namespace logdepth::inline library_requests {

/// The text of what was named, or what is in the file. Errors: InputError, as read_whole_file.
std::string content_of(const SourceFile& source, std::size_t limit = std::size_t{1} << 30);
/// Its name without folders.
std::string base_name(const SourceFile& source);

}  // namespace logdepth::inline library_requests
