#include "base/phrases.hpp"

#include <fmt/core.h>

namespace logdepth::inline base {

std::string counted(std::uint64_t count, std::string_view noun) {
  return counted(count, noun, std::string(noun) + "s");
}

std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", count, std::string(count == 1 ? noun : plural));
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  return fmt::format("{} of {}", part, all);
}

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (&item != &items.front()) text += separator;
    text += item;
  }
  return text;
}

std::string shortened(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    if (text.size() > 60) return text + ", ...";
    text += (text.empty() ? "" : ", ") + item;
  }
  return text;
}

}  // namespace logdepth::inline base
