#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth { inline namespace objects {

/// Of a group or monoid that is given by a name or by generators.
inline constexpr std::size_t kMostPoints = 4096;

/// Maps of points that generate a group or monoid without a name, as named_monoid takes them: "[1,2,0] [1,0,2]",
/// each by format_transformation. Errors: InputError naming the map that is none, or has other points.
std::vector<Transformation> parse_maps(std::string_view text);

/// The same of a text with a generator in each line, a list of images of the points from 0, `[1, 2, 0]`, or cycles of
/// the points from 1 as GAP prints them, `(1,2,3)(4,5)`; text behind `#` is skipped. Where all lines are cycles, the
/// points are those up to the largest. Errors: InputError with `source` and the line.
std::vector<Transformation> read_generators(std::string_view text, const std::string& source);

}}  // namespace logdepth::objects
