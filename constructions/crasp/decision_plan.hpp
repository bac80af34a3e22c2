#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constructions/crasp/normal_form.hpp"

/// In which order the formulas that decide are decided.
namespace logdepth::crasp {

/// One way in which a formula turns out, as its operands are asked one after the other.
struct Way {
  std::vector<Literal> when;
  bool holds = false;
};

/// A formula, decided from what has been decided before.
struct Table {
  std::uint32_t formula = 0;
  std::vector<Way> ways;  ///< exactly one of them applies
};

/// What is decided at one level of nesting: what is fetched from earlier tokens and the comparisons of
/// counts of it, then Boolean combinations, as late as they are asked for and as many at a time as there can be.
struct Stage {
  std::vector<std::uint32_t> earlier;
  std::vector<std::uint32_t> tests;
  std::vector<Table> tables;
  std::size_t table_layers = 0;  ///< tables that read none of each other take one
};

struct DecisionPlan {
  std::vector<std::uint32_t> letters;   ///< sets of letters that are asked for
  std::vector<std::uint32_t> residues;  ///< of positions
  Stage start;                          ///< tables of letters and residues
  std::vector<Stage> stages;            ///< from level 1 on

  std::size_t comparisons() const;
  std::size_t table_layers() const;
  /// Whether anything depends on positions.
  bool positions() const;
  /// At most: two for residues modulo 3 or more, and one for each level that does nothing but fetch.
  /// What does not depend on each other can share a layer.
  std::size_t position_layers(const NormalForm& normal) const;
};

/// Ways of one table; a formula of more asks its operands, which are decided before.
inline constexpr std::uint64_t kMaxWays = 64;

/// What is decided is the formula that decides, or, if that is a combination, its operands.
DecisionPlan decision_plan(const NormalForm& normal);

}  // namespace logdepth::crasp
