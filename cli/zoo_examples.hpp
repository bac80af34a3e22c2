#pragma once

#include <cstdint>
#include <string>

#include "runtime/file/model_rules.hpp"

namespace logdepth::inline cli {

/// Exact answers as JSON lines: all short inputs, and random ones up to `length` letters or vertices.
/// Words have the state after every prefix where the file follows an automaton, and products where
/// it reads these. Deterministic.
std::string zoo_examples(const CheckedModel& model, std::uint64_t length);

}  // namespace logdepth::inline cli
