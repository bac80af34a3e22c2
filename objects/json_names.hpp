#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_tape.hpp"

namespace logdepth::inline objects {

/// What the readers of JSON dictionaries of automata and graphs share; `source` names the file in
/// messages. Errors: InputError with the line and the path of the value.

/// The values of an object by their keys; each of `needed` is there.
std::map<std::string, JsonTape::Node> json_members(const JsonTape& tape, JsonTape::Node node,
                                                   const std::string& source,
                                                   const std::vector<std::string>& needed);
std::vector<JsonTape::Node> json_elements(const JsonTape& tape, JsonTape::Node node,
                                          const std::string& source);
/// A string, or the digits of a whole number: Python's states and vertices are often numbers.
std::string json_name(const JsonTape& tape, JsonTape::Node node, const std::string& source);

}  // namespace logdepth::inline objects
