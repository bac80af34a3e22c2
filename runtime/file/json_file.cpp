#include "runtime/file/json_file.hpp"

#include <fmt/core.h>

#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline runtime_file {
namespace {

constexpr std::size_t kMostLevels = 256;  // what recursion bears, and no honest file has

}  // namespace

void require_shallow_json(std::string_view text, const std::string& source) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostLevels)
        throw InputError(fmt::format("{}: arrays and objects are nested deeper than {} levels",
                                     source, kMostLevels));
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
}

std::string read_json_file(const std::string& path, std::size_t limit) {
  std::string text = read_whole_file(path, limit);
  require_shallow_json(text, path);
  return text;
}

}  // namespace logdepth::inline runtime_file
