#include "learned/records/json_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"

namespace logdepth::inline learned_records {
namespace {

[[noreturn]] void refuse(const std::string& file, std::string_view text, std::size_t at,
                         const std::string& sentence) {
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t begin = before.rfind('\n');
  const std::size_t column = at - (begin == std::string_view::npos ? 0 : begin + 1) + 1;
  throw InputError(file, line, fmt::format("column {}: {}", column, sentence));
}

}  // namespace

nlohmann::json read_json_tree(const std::string& file) {
  const std::string text = read_json_file(file);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // The position of the last byte that was read, from 1.
    const std::size_t at = std::min(text.size(), error.byte == 0 ? 0 : error.byte - 1);
    if (at == text.size()) refuse(file, text, at, "expected more JSON, found the end of the file");
    const std::size_t last = at == 0 ? std::string::npos : text.find_last_not_of(" \t\r\n", at - 1);
    if ((text[at] == ']' || text[at] == '}') && last != std::string::npos && text[last] == ',')
      refuse(file, text, last,
             fmt::format("expected another entry after the comma, found {}",
                         in_quotes(std::string_view(text).substr(at, 1))));
    refuse(file, text, at,
           "expected JSON, found " + in_quotes(std::string_view(text).substr(at, 12)));
  } catch (const nlohmann::json::exception&) {
    throw InputError(file + ": expected JSON, found a number that is too large");
  }
}

}  // namespace logdepth::inline learned_records
