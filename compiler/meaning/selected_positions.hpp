#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/meaning/cell_reader.hpp"

namespace logdepth::inline compiler_meaning {

/// a / b where that is a rational number. Precondition: b is not zero.
std::optional<Rational> rational_quotient(const Real& a, const Real& b);

/// What a fetch selects, by what cells say: positions are looked up by their codes, numbers are
/// compared as rationals, and no score is formed. Quadratic, with equal values compared once.
class SelectedPositions {
 public:
  /// `states`: the cells that the selector reads, already divided by their norm where it says so.
  SelectedPositions(const Program& program, const CellStates& states, const Statement& fetch);

  /// In increasing order, never empty. Errors: BrokenProgram.
  std::vector<std::size_t> at(std::size_t token) const;

 private:
  struct Hash {
    std::size_t operator()(const std::vector<Real>& values) const;
  };
  /// Equal values get equal numbers, in the order of their first position.
  struct Numbering {
    std::vector<std::size_t> of_token;
    std::vector<std::vector<Real>> values;  ///< by number
  };
  using FirstPosition = std::unordered_map<std::vector<Real>, std::size_t, Hash>;
  struct FoundTerm {
    Numbering wanted, key;
    std::vector<std::vector<bool>> match;  ///< by the numbers of wanted and key
  };

  [[noreturn]] void broken(std::size_t token, const std::string& reason) const;
  std::size_t visible(std::size_t token) const { return fetch_.causal ? token + 1 : tokens_; }
  PositionCode key_code(CellId key) const { return *held_code(program_.cells[key].type); }
  Numbering number(const std::vector<std::vector<Real>>& values) const;

  void prepare(const SelectAll&) {}
  void prepare(const SelectRightmost&) {}
  void prepare(const SelectFlagged&) {}
  void prepare(const SelectRelated&) {}
  void prepare(const SelectPointed& s);
  void prepare(const SelectSame& s);
  void prepare(const SelectNearest& s);
  void prepare(const SelectFound& s);

  std::vector<std::size_t> select(std::size_t token, const SelectAll& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectPointed& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectSame& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectRightmost& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectNearest& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectFlagged& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectFound& s) const;
  std::vector<std::size_t> select(std::size_t token, const SelectRelated& s) const;

  std::vector<std::size_t> preferred(const Literal& flag,
                                     const std::vector<std::size_t>& positions) const;

  const Program& program_;
  const Statement& statement_;
  const FetchStatement& fetch_;
  CellReader cells_;
  std::size_t tokens_;

  FirstPosition coded_;  ///< match: the code of every position
  FirstPosition keyed_;  ///< match: the key cell of every position
  Numbering same_;
  std::size_t own_keys_ = 0;  ///< nearest: so many first positions hold their own code
  std::vector<FoundTerm> found_;
};

}  // namespace logdepth::inline compiler_meaning
