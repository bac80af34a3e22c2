#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/requests/option_checks.hpp"

namespace logdepth::inline cli {

/// Validates counts: CLI11 would wrap a negative one to a huge unsigned number.
inline CLI::Validator count_up_to(std::uint64_t limit) {
  return CLI::Validator(
      [limit](const std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [next, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && next == end && value <= limit) return std::string();
        return whole_number_expected(limit, text);
      },
      "COUNT");
}
inline const CLI::Validator kCount = count_up_to(kMostCounted);
inline const CLI::Validator kSmallCount = count_up_to(kMostParts);

/// Validates amounts, which may be fractions: "expected a number of GiB above 0 and at most 65536".
inline CLI::Validator amount_up_to(std::uint64_t limit, const std::string& unit,
                                   const std::string& name) {
  return CLI::Validator(
      [limit, unit](const std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value > 0 &&
            value <= static_cast<double>(limit))
          return std::string();
        return "expected a number of " + unit + " above 0 and at most " + std::to_string(limit) +
               ", found " + in_quotes(text);
      },
      name);
}

/// Validates a choice; help and completions show it as CLI11 shows its own.
inline CLI::Validator choice_of(const std::vector<std::string>& values) {
  return CLI::Validator(
      [values](const std::string& text) {
        return std::ranges::find(values, text) == values.end() ? one_of_expected(values, text)
                                                               : std::string();
      },
      "{" + joined(values, ",") + "}");
}

/// Validates a file to write: the work that fills it may be long, so a folder that does not exist
/// is noticed before it.
inline const CLI::Validator kInAFolder = CLI::Validator(
    [](const std::string& text) {
      const std::filesystem::path folder = std::filesystem::path(text).parent_path();
      return folder.empty() || std::filesystem::is_directory(folder)
                 ? std::string()
                 : text + ": cannot be written: no folder " + in_quotes(folder.string());
    },
    "");

}  // namespace logdepth::inline cli
