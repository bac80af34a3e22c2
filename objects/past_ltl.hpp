#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth { inline namespace objects {

/// A formula of past linear temporal logic about the last letter of a word. The nodes are all
/// different, operands before what uses them. At the one position of the empty word no letter and no
/// temporal operator of `nodes` holds.
struct PastFormula {
  enum class Operation {
    truth,     ///< always
    letter,    ///< the position's letter is `letter`
    negation,  ///< of operand 0
    both,      ///< operands 0 and 1
    previous,  ///< there is a position before, and operand 0 holds there
    since      ///< operand 1 held at some position up to this one, operand 0 at all after that
  };
  struct Node {
    Operation operation = Operation::truth;
    std::array<std::uint32_t, 2> operands = {};
    Letter letter = 0;
    std::strong_ordering operator<=>(const Node&) const = default;
  };
  Alphabet alphabet;
  std::vector<Node> nodes;
  std::uint32_t decides = 0;
  std::map<std::uint32_t, std::string> written;  ///< of nodes previous and since, as in the text

  /// The largest number of temporal operators one inside the other.
  std::uint32_t depth(std::uint32_t node) const;
};

/// Letters (words of a-z, 0-9 and _, or anything in "quotes"), true, false, ! & | -> <->, and of past
/// operators Y (at the previous position), O (once), H (always so far) and S (since); ! Y O H bind most,
/// then S, & , |, -> and <->. The alphabet is the one given, else that of the letters in their order.
/// Errors: InputError with the place; operators of the future by name.
PastFormula parse_past_formula(const std::string& text,
                               const std::optional<std::vector<std::string>>& alphabet);

}}  // namespace logdepth::objects
