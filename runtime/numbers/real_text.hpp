#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/numbers/real.hpp"

namespace logdepth::inline runtime_numbers {

/// Reads sums and differences of `p`, `p/q`, `sqrt(p/q)` and `p/q*sqrt(r/s)`, with white space
/// around every sign and anywhere else between the parts: all that Real::text() prints, and
/// fractions that are not in lowest terms. Absent when the text is anything else, or a number has
/// more than kMaxRealDigits digits.
inline constexpr std::size_t kMaxRealDigits = 10000;
std::optional<Real> parse_real(std::string_view text);

/// Raw streams, as a text: the first line holds the names, a permutation of `names`, every other
/// line the values of one token in that order, separated by white space. A sign that stands alone
/// joins the values around it. `#` begins a comment; lines without anything are skipped. The rows
/// come back in the order of `names`. Errors: InputError with `source` and line.
std::vector<std::vector<Real>> parse_cells(std::string_view text, const std::string& source,
                                           const std::vector<std::string>& names);

}  // namespace logdepth::inline runtime_numbers
