#pragma once

#include <optional>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth {

/// What is proved about the sign of a number, at the first token and at all others.
struct Signs {
  bool nonnegative = false;  ///< at every token
  bool positive_first = false, positive_rest = false;
  bool positive() const { return positive_first && positive_rest; }
  bool operator==(const Signs&) const = default;
};

/// What attention added to a component of a number cell: the average of `form` over the positions
/// that the selector selects, with what was proved about that average when it was written.
struct Summand {
  Selector selector;
  bool causal = true;
  std::vector<CellId> under;
  LinearForm form;      ///< sorted by component, no zero factors
  bool current = true;  ///< every cell it reads still holds what was read

  Signs signs;
  bool rational = false;  ///< rational, up to the one norm of `under` at all tokens of an input
  bool common = false;    ///< the same at all tokens of an input
  /// The value is the same common number X at all tokens where the first-flag differs from this,
  /// and 0 where it equals it.
  std::optional<bool> zero_where_first;
  bool operator==(const Summand&) const = default;
};

/// What a cell holds at a given moment, at every token of every input.
struct CellContent {
  enum class Kind { blank, typed, number };
  Kind kind = Kind::blank;

  // A value of its type.
  bool first_flag = false;               ///< true exactly at the first position
  bool from_input = false;               ///< still what embedding, position or table put there
  std::optional<std::uint32_t> certain;  ///< flag, one-hot: this value at every token
  bool rational = false;                 ///< direction: rational up to one common factor
  std::vector<bool> positive;            ///< direction: components proved > 0; or empty

  // A number.
  std::optional<GivenCell::Holds> given;
  bool unknown = false;                    ///< nothing is known about how it came about
  std::vector<std::vector<Summand>> sums;  ///< per component

  bool operator==(const CellContent&) const = default;
};
using CellContents = std::vector<CellContent>;

/// The average is of the same form over the same selection.
bool same_average_of_same(const Summand& a, const Summand& b);
/// What the embedding, the position encoding and the input itself leave in the cells.
CellContents initial_contents(const Program& program);
/// What is true of a cell whether it holds the one or the other; both are of one kind.
CellContent either(const CellContent& a, const CellContent& b);

}  // namespace logdepth
