#include "library/requests/option_checks.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline library_requests {

void require_one_of(const std::string& option, const std::string& value,
                    const std::vector<std::string>& values) {
  if (std::ranges::find(values, value) == values.end())
    throw InputError(option + ": " + one_of_expected(values, value));
}

void require_at_most(const std::string& option, std::uint64_t value, std::uint64_t most) {
  if (value > most)
    throw InputError(option + ": " + whole_number_expected(most, std::to_string(value)));
}

std::string one_of_expected(const std::vector<std::string>& values, const std::string& found) {
  return fmt::format("expected one of {}; found {}", joined(values), in_quotes(found));
}

std::string whole_number_expected(std::uint64_t most, const std::string& found) {
  return fmt::format("expected a whole number from 0 to {}, found {}", most, in_quotes(found));
}

}  // namespace logdepth::inline library_requests
