#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "library/runs/state_numbers.hpp"
#include "runtime/file/model_rules.hpp"

namespace logdepth::inline cli {

/// Exact answers as JSON lines: all short inputs, and random ones up to `length` letters or vertices.
/// Words have the state after every prefix where the file follows an automaton, as `numbers` says, and
/// products where it reads these. Deterministic.
std::string zoo_examples(const CheckedModel& model, const std::optional<StateNumbers>& numbers,
                         std::uint64_t length);

}  // namespace logdepth::inline cli
