#pragma once

#include <vector>

namespace logdepth {

/// What became of a criterion; one that speaks of what was not measured is undecided.
enum class Verdict { passed, failed, undecided };
const char* verdict_name(Verdict verdict);
/// "reproduced", "not reproduced at this scale", "undecided".
const char* reproduced_name(Verdict verdict);
/// Failed if one failed, passed if all passed.
Verdict overall(const std::vector<Verdict>& parts);

/// Accuracies are shares of whole counts: .56 is meant to be within .06 of .5 although its double
/// is not.
inline constexpr double kRounding = 1e-9;

}  // namespace logdepth
