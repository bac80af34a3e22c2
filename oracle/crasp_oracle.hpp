#pragma once

#include <memory>
#include <string>

#include "objects/crasp.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth::inline oracle {

/// Works out every line at every position, in integers. The empty word has one position, before
/// every letter, at which no letter test holds and every count is 0.
std::unique_ptr<LanguageOracle> make_crasp_oracle(CraspProgram program, std::string name);

}  // namespace logdepth::inline oracle
