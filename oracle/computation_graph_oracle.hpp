#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace logdepth { inline namespace oracle {

/// What the tokens of a computation graph hold after some iterations, from the definition: the
/// token that defines a variable holds its expression of what the definitions of the operands held
/// one iteration before, every other token of it what the definition held one iteration before.
///
/// A value is a number 0..prime-1, `prime` where there is none yet, or `prime` + 1 at a token that
/// is neither a variable nor a value.
class ComputationGraphOracle {
 public:
  /// Letters `x3` (a variable without a value), `x3:2`, `0`..`prime-1`, `+ - * = ;`, in equations
  /// `2 = x3` or `x3 + x3 * x5 = x7` with `;` between them, one perhaps at the end. Errors:
  /// InputError for anything else, with the number of the letter; for a variable that is defined
  /// twice, or not before it is used.
  ComputationGraphOracle(std::uint32_t prime, const std::vector<std::string>& letters);

  /// The longest way from a leaf, whose depth is 1; 0 without equations.
  std::uint32_t depth() const { return depth_; }
  /// The value at every letter.
  std::vector<std::uint32_t> values(std::uint32_t iterations) const;

 private:
  struct Equation {
    bool leaf = false;
    std::uint32_t value = 0;            ///< of a leaf
    std::vector<std::size_t> operands;  ///< equations
    std::vector<char> operations;       ///< one less
    std::uint32_t depth = 1;
  };
  struct Token {
    std::uint32_t value = 0;  ///< before the first iteration
    bool variable = false, defines = false;
    std::size_t equation = 0;  ///< that defines the variable
  };

  std::uint32_t prime_;
  std::vector<Equation> equations_;
  std::vector<Token> tokens_;
  std::uint32_t depth_ = 0;
};

}}  // namespace logdepth::oracle
