#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "logdepth/export.hpp"

namespace logdepth::exports {

/// A page for whoever receives an export (README.md of a folder): what the network computes, how it
/// is opened, where its answers are read, what is proved and what is tested. `config`:
/// network_config.hpp, with `unrolled`.
std::string model_card(const nlohmann::json& config, ExportTarget target, bool certificate);

}  // namespace logdepth::exports
