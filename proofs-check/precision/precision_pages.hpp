#pragma once

#include <string>

#include "proofs-check/precision/precision_report.hpp"

namespace logdepth {

std::string precision_markdown(const PrecisionReport& report);
std::string precision_json(const PrecisionReport& report);
/// Writes precision.md, precision.json and precision.svg beside precision.csv.
void save_precision_report(const PrecisionReport& report, const std::string& folder);

}  // namespace logdepth
