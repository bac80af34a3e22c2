#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth { inline namespace base {

/// "1 graph", "3 graphs".
std::string counted(std::uint64_t count, std::string_view noun);
/// "1 vertex", "3 vertices": `plural` where an s at the end does not make it.
std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural);
/// "3 of 7".
std::string share_text(std::uint64_t part, std::uint64_t all);
/// The items in their order, with the separator between any two.
std::string joined(const std::vector<std::string>& items, std::string_view separator = ", ");
/// The first of them, as far as a line is long: "a, b, ...".
std::string shortened(const std::vector<std::string>& items);

// Rounded numbers, for people. The shortest text that reads back as the same number is
// shortest_text (runtime/numbers/real.hpp).

/// So many digits after the point; zero has no sign: "0.00", never "-0.00".
std::string fixed_text(double value, int digits);
/// The same with the sign of a number that is not negative too: "+0.05", "-1.20".
std::string signed_text(double value, int digits);
/// At most so many digits in all, no more than needed: "6", "2.5", "1e+06".
std::string short_text(double value, int digits);
/// A share of 1 in hundredths, at most four digits: "95 %", "99.5 %".
std::string percent_text(double share);
/// Bytes as messages name them: "1049 KiB", "8192 MiB", rounded up.
std::string bytes_text(std::size_t bytes);

}}  // namespace logdepth::base
