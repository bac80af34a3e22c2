#pragma once

#include <array>

namespace logdepth::inline report_figures {

/// Okabe and Ito's hues without yellow, which colour-blind readers can tell apart, green and purple
/// darkened for lines on white.
inline constexpr const char *kBlue = "#0072B2", *kVermilion = "#D55E00", *kGreen = "#00875F",
                            *kPurple = "#B4508F", *kBlack = "#000000", *kOrange = "#E69F00",
                            *kSky = "#56B4E9";
inline constexpr std::array kHues = {kBlue, kVermilion, kGreen, kPurple, kBlack, kOrange, kSky};
inline constexpr const char* kInk = "#111111";
inline constexpr const char* kAxisInk = "#333333";
/// Of what stands back: notes, positions, names of axes.
inline constexpr const char* kQuietInk = "#5A5A5A";
/// Of what is wrong; a sign or words stand beside it.
inline constexpr const char* kWrongSign = "\xE2\x9C\x97";  // ballot X
inline constexpr const char *kWrongInk = "#C8001E", *kWrongFill = "#FBDDE0";
inline constexpr const char* kGridInk = "#E2E2E2";

}  // namespace logdepth::inline report_figures
