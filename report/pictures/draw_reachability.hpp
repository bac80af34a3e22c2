#pragma once

#include <cstddef>

#include "report/figures/strip_picture.hpp"
#include "report/pictures/reachability_run.hpp"

namespace logdepth { inline namespace report_pictures {

/// More vertices make pictures that nobody can read: those of the walk that was found are drawn, and
/// the first to be reached.
inline constexpr std::size_t kMaxDrawnVertices = 24;

/// How reachability grew in a run: a strip for what is known before the loops and after each of
/// them (the graph with an arrow for each known pair, the same as a matrix, the question by way of
/// every vertex), and one for the answer with the walk that was found. The same run gives the same
/// bytes.
StripPicture draw_reachability(const ReachabilityRun& run);

}}  // namespace logdepth::report_pictures
