#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace logdepth::inline objects {

/// Letters that are the values of bits, as transitions of Mata's `@NFA-bits` name sets of them by
/// formulas: `a0 & !a1`, `\true`.
class BitLetters {
 public:
  /// The bits in the order of a letter's characters; without this call that of their names, a
  /// shorter one first. Errors of `formula`: InputError for a bit that is not among them.
  void name_bits(const std::vector<std::string>& names);
  /// A number for the formula, the same for the same words. `words`: names, `&`, `|`, `!`, `(`, `)`,
  /// `\true`, `\false`. Errors: InputError with the sentence alone.
  std::size_t formula(const std::vector<std::string>& words);

  struct Letters {
    std::vector<std::string> names;                    ///< "00", "01", ... in this order
    std::vector<std::vector<std::size_t>> of_formula;  ///< letters for which it holds
    bool minterms = false;  ///< letters that no formula distinguishes are one, called by its first
  };
  /// When all formulas are known. Errors: InputError without a bit; SizeLimit for more than 20 bits,
  /// or for more than 4096 letters that formulas distinguish.
  Letters letters() const;

 private:
  /// Of a formula in postfix order: operands stand before what uses them.
  struct Node {
    char operation = 0;  ///< '&', '|', '!', '1', '0', or 'b' for a bit
    std::size_t bit = 0;
  };
  class Parser;
  using Truth = std::vector<std::uint64_t>;  ///< a bit per letter, the first one lowest

  std::size_t bit(const std::string& name);
  std::vector<std::size_t> places() const;
  Truth truth(std::size_t formula, const std::vector<std::size_t>& places) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> ends_;  ///< of the formulas in nodes_
  std::unordered_map<std::string, std::size_t> formulas_, bits_;
  std::vector<std::string> names_;  ///< of the bits
  bool fixed_ = false;              ///< by name_bits
};

}  // namespace logdepth::inline objects
