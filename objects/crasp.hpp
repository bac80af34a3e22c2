#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth { inline namespace objects {

/// A program in C-RASP (Yang and Chiang 2024): lines of truth values and of counts, each with a value
/// at every position of a word. What its lines say stands in `nodes`, operands before what uses them.
struct CraspProgram {
  enum class Operation {
    // Truth values.
    letter,      ///< the position's letter is `number`
    constant,    ///< `number` is 1
    negation,    ///< of operand 0
    both,        ///< operands 0 and 1
    either,      ///< operand 0 or 1
    less,        ///< count 0 < count 1
    less_equal,  ///< count 0 <= count 1
    equal,       ///< count 0 = count 1
    // Counts.
    number,      ///< `number`
    count,       ///< at how many positions up to this one operand 0 holds
    recent,      ///< the same, from `number` to `farthest` positions to the left of this one
    position,    ///< the position, the first letter's is 1, modulo `number`
    sum,         ///< count 0 + count 1
    difference,  ///< count 0 - count 1
    multiple,    ///< `number` times count 0
    minimum,     ///< of counts 0 and 1
    maximum,     ///< of counts 0 and 1
    choice,      ///< count 1 where operand 0 holds, else count 2
  };
  struct Node {
    Operation operation;
    std::array<std::uint32_t, 3> operands = {};
    std::int64_t number = 0;
    std::size_t line = 0;                    ///< of the file
    std::optional<std::int64_t> farthest{};  ///< of `recent`; none: up to the first letter
  };
  struct Line {
    std::string name;
    std::uint32_t node = 0;
    std::size_t line = 0;  ///< of the file
  };
  std::string source;  ///< the file, for messages
  Alphabet alphabet;
  std::vector<Node> nodes;
  std::vector<Line> lines;
  std::uint32_t decides = 0;  ///< the node whose value at the last position is the answer
};

constexpr bool is_count(CraspProgram::Operation operation) {
  return operation >= CraspProgram::Operation::number;
}

/// No count is more than this many times the number of positions (or of itself, for a number), so
/// nothing overflows on words of up to 2^32 letters.
inline constexpr std::int64_t kMaxCraspFactor = 1000000000;
/// The largest modulus of a position, and the largest distance between two positions.
inline constexpr std::int64_t kMaxCraspDistance = 256;

/// Reads `alphabet LETTER...`, then lines `NAME := EXPRESSION`; `//` at the beginning of a word
/// comments out the rest of a line (docs/crasp.md has the grammar, with the spellings of the
/// literature and of other languages). The last line that is a truth value decides. Errors:
/// InputError with file, line and what was expected.
CraspProgram parse_crasp(const std::string& text, const std::string& source);

}}  // namespace logdepth::objects
