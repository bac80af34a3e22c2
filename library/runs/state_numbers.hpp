#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline library_runs {

/// The automaton that a file for words follows, as its prefix readout numbers the states.
struct StateNumbers {
  std::uint32_t states = 0;              ///< numbered 0, 1, ...
  std::uint32_t initial = 0;             ///< after the empty word
  std::vector<std::uint32_t> accepting;  ///< ascending
  std::vector<std::string> names;        ///< of the states, where the file has them
};

/// Read from exact runs of a shortest word to each state and of its extensions by one letter: the
/// verdicts have to depend on the state alone. Where the file reads products, the state after a word
/// is the image of state 0. Absent where the file reads neither, where its points are no states (the
/// named groups, whose verdict is the identity), where the runs disagree, and for more than
/// kMostNumbered extensions.
inline constexpr std::size_t kMostNumbered = 1024;
std::optional<StateNumbers> state_numbers(const Model& model);

}  // namespace logdepth::inline library_runs
