#pragma once

#include <optional>
#include <string>
#include <vector>

namespace logdepth::inline base {

/// The nearest of the names, if it is a third of the letters away at most: what was probably meant.
std::optional<std::string> meant(const std::string& written, const std::vector<std::string>& names);

}  // namespace logdepth::inline base
