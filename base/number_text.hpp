#pragma once

#include <string>

namespace logdepth::inline base {

// Rounded numbers, for people. The shortest text that reads back as the same number is
// shortest_text (runtime/numbers/float_text.hpp).

/// So many digits after the point; zero has no sign: "0.00", never "-0.00".
std::string fixed_text(double value, int digits);
/// The same with the sign of a number that is not negative too: "+0.05", "-1.20".
std::string signed_text(double value, int digits);
/// At most so many digits in all, no more than needed: "6", "2.5", "1e+06".
std::string short_text(double value, int digits);
/// A share of 1 in hundredths, at most four digits: "95 %", "99.5 %".
std::string percent_text(double share);
/// A number between 1 and 10 with so many digits after the point, and a power of ten: "9.50e9".
std::string scientific_text(double value, int digits);

}  // namespace logdepth::inline base
