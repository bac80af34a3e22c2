#pragma once

namespace logdepth::inline learned_language_model {

/// How GPT-2 splits texts: contractions, words with the space before them, numbers, signs, white
/// space. ByteLevel's own expression.
inline constexpr const char* kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr const char* kDigitPattern = R"(\p{N})";
inline constexpr const char* kDigitsPattern = R"(\p{N}+)";

}  // namespace logdepth::inline learned_language_model
