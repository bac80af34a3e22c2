#pragma once

#include <string>

#include "logdepth/export.hpp"

namespace logdepth::inline cli {

/// --temperature of an export: a number, auto, tested or hard. Errors: InputError.
void read_temperature(const std::string& text, ExportSettings& settings);

}  // namespace logdepth::inline cli
