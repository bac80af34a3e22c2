#pragma once

#include <optional>
#include <string>

#include "runtime/file/model.hpp"

namespace logdepth::support {

/// Why two files compute the same on every input, from their weights alone; absent where none of these
/// arguments, or several of them, make them equal:
/// - a number that only multiplies what is 0 at every token (under rms): a coordinate that a mask leaves
///   out, or that nothing ever writes;
/// - a mask, or the scores of a head, multiplied by one positive factor;
/// - a feed-forward unit whose row is multiplied by a positive factor and its column divided by it;
/// - heads and units in another order, units that write nothing;
/// - a contract that the other one implies.
std::optional<std::string> same_computation(const Model& original, const Model& changed);

}  // namespace logdepth::support
