#pragma once

#include <string>
#include <vector>

#include "logdepth/run.hpp"
#include "runtime/floats/float_run.hpp"

namespace logdepth::inline library_requests {

/// Values of the settings, as the command line offers them.
inline const std::vector<std::string> kFloatDevices = {"cpu", "cuda"};
inline const std::vector<std::string> kFloatRules = {"bounded", "plain", "snapped"};

/// What is asked of the floating-point engines. Errors: InputError for settings that are none.
FloatOptions requested_engine(const RoundedSettings& settings);

}  // namespace logdepth::inline library_requests
