#include "base/number_text.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>

namespace logdepth::inline base {
namespace {

std::string rounded(double value, std::chars_format format, int digits) {
  std::array<char, 512> text;  // the largest number has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, digits).ptr;
  return {text.data(), end};
}

}  // namespace

std::string fixed_text(double value, int digits) {
  std::string text = rounded(value, std::chars_format::fixed, digits);
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string signed_text(double value, int digits) {
  const std::string text = fixed_text(value, digits);
  return text.starts_with('-') ? text : "+" + text;
}

std::string short_text(double value, int digits) {
  return rounded(value, std::chars_format::general, digits);
}

std::string percent_text(double share) {
  return short_text(100 * share, 4) + " %";
}

std::string scientific_text(double value, int digits) {
  const std::string text = rounded(value, std::chars_format::scientific, digits);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;  // infinite
  return fmt::format("{}e{}", text.substr(0, exponent), std::stoi(text.substr(exponent + 1)));
}

}  // namespace logdepth::inline base
