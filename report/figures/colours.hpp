#pragma once

#include <array>

namespace logdepth {

/// Okabe and Ito's hues, which colour-blind readers can tell apart, the lighter ones darkened for
/// lines on white, and more of the same darkness.
inline constexpr std::array kHues = {"#0072B2", "#D55E00", "#00875F", "#B4508F", "#000000",
                                     "#B07D00", "#6A3D9A", "#7A4B2A", "#2C98D0", "#A3123B"};
inline constexpr const char* kInk = "#111111";
inline constexpr const char* kAxisInk = "#333333";
/// Of what stands back: notes, positions, names of axes.
inline constexpr const char* kQuietInk = "#5A5A5A";
/// Of what is wrong; a sign or words stand beside it.
inline constexpr const char* kWrongSign = "\xE2\x9C\x97";  // ballot X
inline constexpr const char *kWrongInk = "#C8001E", *kWrongFill = "#FBDDE0";
inline constexpr const char* kGridInk = "#E2E2E2";

}  // namespace logdepth
