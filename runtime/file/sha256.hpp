#pragma once

#include <string>
#include <string_view>

namespace logdepth { inline namespace runtime_file {

class FilePieces;

/// SHA-256, 64 hexadecimal digits.
std::string sha256(std::string_view bytes);
/// Of a whole file, read piece by piece. Errors: InputError when it cannot be read.
std::string sha256(const FilePieces& file);

}}  // namespace logdepth::runtime_file
