#pragma once

#include "learned/report/published_line.hpp"

namespace logdepth::inline learned_word_problems {

/// d = 4.8 log2 n* - 15.8 for A5 at width 512, from n* = 16 to 512. Below 10 the line is negative.
const PublishedLine& published_depth_line();
/// n* = 7.2 log2 w - 41.7 for A5 at depth 6, widths 128 to 1024.
const PublishedLine& published_width_line();

}  // namespace logdepth::inline learned_word_problems
