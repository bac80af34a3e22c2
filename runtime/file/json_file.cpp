#include "runtime/file/json_file.hpp"

#include <fmt/core.h>

#include "logdepth/errors.hpp"
#include "objects/json_tape.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {

void require_shallow_json(std::string_view text, const std::string& source) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth)
        throw InputError(fmt::format("{}: arrays and objects are nested deeper than {} levels",
                                     source, kMaxJsonDepth));
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

}  // namespace logdepth
