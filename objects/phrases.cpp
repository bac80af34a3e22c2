#include "objects/phrases.hpp"

namespace logdepth {

std::string counted(std::uint64_t count, std::string_view noun) {
  return counted(count, noun, std::string(noun) + "s");
}

std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  return std::to_string(count) + " " + std::string(count == 1 ? noun : plural);
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (&item != &items.front()) text += separator;
    text += item;
  }
  return text;
}

}  // namespace logdepth
