#pragma once

#include "constructions/construction.hpp"

namespace logdepth::inline constructions_catalogue {

/// Every construction that a command compiles, in the order in which they are shown.
const Catalogue& catalogue();

}  // namespace logdepth::inline constructions_catalogue
