#pragma once

namespace logdepth {

/// What became of a criterion; one that speaks of what was not measured is undecided.
enum class Verdict { passed, failed, undecided };
const char* verdict_name(Verdict verdict);

/// Accuracies are shares of whole counts: .56 is meant to be within .06 of .5 although its double
/// is not.
inline constexpr double kRounding = 1e-9;

}  // namespace logdepth
