#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline runtime_file {

/// What a file answers of a prefix: its product, the images of the points, or the number of the
/// state that it leads to.
using PrefixAnswer = std::variant<std::vector<std::uint32_t>, std::uint32_t>;

/// "[1,0,2]" or "2".
std::string prefix_text(const PrefixAnswer& answer);

bool reads_prefixes(const Model& model);
/// Of what reads prefixes: their states, not products.
bool reads_states(const Model& model);

}  // namespace logdepth::inline runtime_file
