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

/// Errors: SizeLimit for a line with a comparison that would be more than kMaxComparisons.
NormalForm normal_form(const CraspProgram& program);

}  // namespace logdepth::crasp

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

/// What is decided is the formula that decides, or, if that is a combination, its operands.
DecisionPlan decision_plan(const NormalForm& normal);

}  // namespace logdepth::crasp
