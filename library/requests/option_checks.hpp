#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace logdepth::inline library_requests {

/// Counts that are given as options: of letters, and of what a network has a part for.
inline constexpr std::uint64_t kMostCounted = 1000000000000000, kMostParts = 10000000;

/// What the command line's parser says of its options, for settings that it has not read.
/// Errors: InputError unless the value is one of these, or at most `most`.
void require_one_of(const std::string& option, const std::string& value,
                    const std::vector<std::string>& values);
void require_at_most(const std::string& option, std::uint64_t value, std::uint64_t most);

/// The sentences for a value that is none of these, and for a number or what is none.
std::string one_of_expected(const std::vector<std::string>& values, const std::string& found);
std::string whole_number_expected(std::uint64_t most, const std::string& found);

}  // namespace logdepth::inline library_requests
