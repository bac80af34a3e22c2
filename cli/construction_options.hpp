#pragma once

#include <CLI/CLI.hpp>

#include "library/requests/construction_request.hpp"

namespace logdepth::inline cli {

/// --construction and the options of all constructions for this problem, into `values`.
void add_construction_options(CLI::App& app, Problem problem, Values& values,
                              const Catalogue& constructions = catalogue());

}  // namespace logdepth::inline cli
