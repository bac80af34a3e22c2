#pragma once

#include <nlohmann/json_fwd.hpp>

#include "library/exports/self_test.hpp"

namespace logdepth::exports {

/// config.json (library/exports/README.md): all that is not a matrix.
nlohmann::json network_config(const Model& model, const Network& network, const SelfTest& test,
                              const ExportSettings& settings);

/// A name for every row of the unembedding: "accept", "image 2 of point 0", ...
std::vector<std::string> logit_names(const Model& model);

}  // namespace logdepth::exports
