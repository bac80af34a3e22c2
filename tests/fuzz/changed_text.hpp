#pragma once

#include <random>
#include <string>

namespace logdepth::fuzz {

/// The text after one to three small changes that keep most of its structure: a number replaced or
/// exchanged with another, a bracketed element removed, doubled or exchanged, rarely a byte. The same
/// text and state of the generator give the same change.
std::string changed_text(std::string text, std::mt19937_64& random);

}  // namespace logdepth::fuzz
