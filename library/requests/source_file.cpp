#include "library/requests/source_file.hpp"

#include <filesystem>

#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline library_requests {

std::string content_of(const SourceFile& source, std::size_t limit) {
  return source.text ? *source.text : read_text_file(source.name, limit);
}

std::string base_name(const SourceFile& source) {
  return std::filesystem::path(source.name).filename().string();
}

}  // namespace logdepth::inline library_requests
