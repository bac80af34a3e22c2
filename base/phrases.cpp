#include "base/phrases.hpp"

#include <fmt/core.h>

namespace logdepth { inline namespace base {

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

std::string fixed_text(double value, int digits) {
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string signed_text(double value, int digits) {
  const std::string text = fixed_text(value, digits);
  return text.starts_with('-') ? text : "+" + text;
}

std::string short_text(double value, int digits) {
  return fmt::format("{:.{}g}", value, digits);
}

std::string percent_text(double share) {
  return short_text(100 * share, 4) + " %";
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kKibibyte = std::size_t{1} << 10, kMebibyte = std::size_t{1} << 20;
  const bool large = bytes >= 64 * kMebibyte;
  const std::size_t unit = large ? kMebibyte : kKibibyte;
  return std::to_string(bytes / unit + (bytes % unit > 0 ? 1 : 0)) + (large ? " MiB" : " KiB");
}

}}  // namespace logdepth::base
