#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "objects/crasp.hpp"

/// What a C-RASP program says, as comparisons of linear forms of counts. There is no min, max or
/// conditional any more, formulas that say the same by their looks are one, and what does not
/// decide is left out.
namespace logdepth::crasp {

/// A formula, or that it does not hold.
struct Literal {
  std::uint32_t formula = 0;
  bool negated = false;

  Literal operator!() const { return {formula, !negated}; }
  bool operator==(const Literal&) const = default;
};

/// The sum of factors times counts of formulas, and a constant.
struct CountForm {
  std::map<std::uint32_t, std::int64_t> counts;
  std::int64_t constant = 0;

  bool operator==(const CountForm&) const = default;
};

/// Formula 0 is true everywhere. Operands and what is counted have smaller numbers.
struct Formula {
  enum class Kind {
    letters,   ///< the position's letter is one of a set; never at the beginning token
    residue,   ///< the position is `number` modulo `modulus`
    earlier,   ///< its operand holds `number` tokens to the left, or at the beginning token
    all,       ///< all operands hold
    positive,  ///< form > 0
    zero       ///< form = 0
  };
  Kind kind = Kind::all;
  std::vector<bool> letters = {};
  std::vector<Literal> operands = {};
  CountForm form = {};
  std::int64_t number = 0, modulus = 0;

  std::uint32_t level = 0;  ///< nesting of the counts in it
  bool at_begin = false;    ///< whether it holds at the beginning token, where all counts are 0
  /// The ways in which it holds and in which it does not, its operands asked in order.
  std::uint64_t ways_true = 1, ways_false = 1;
  std::string line = {};  ///< the line that it is part of first
  /// The line that says it, or, if `name_negated`, that it does not hold.
  std::optional<std::string> name = {};
  bool name_negated = false;

  bool is_test() const { return kind == Kind::positive || kind == Kind::zero; }
};

struct NormalForm {
  std::vector<Formula> formulas;
  Literal decides;
};

/// Of one comparison, after min, max and conditionals are gone.
inline constexpr std::size_t kMaxComparisons = 256;

/// Errors: SizeLimit for a line with a comparison that would be more than kMaxComparisons.
NormalForm normal_form(const CraspProgram& program);

}  // namespace logdepth::crasp
