#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::support {

/// What one coordinate can hold: from `low`, or anything below too, to `high`, or anything above.
struct Range {
  Rational low, high;
  bool unbounded_below = false, unbounded_above = false;
  bool exact() const { return low == high && !unbounded_below && !unbounded_above; }
  bool never_positive() const { return !unbounded_above && high.sign() <= 0; }
  bool operator==(const Range&) const = default;
};
using TokenRanges = std::vector<Range>;  ///< by coordinate

/// Lets a coordinate hold `range`, and its mirror the negative under layer norm.
void hold(TokenRanges& token, const Model& model, std::uint32_t at, const Range& range);

/// Everything that the tokens of a run can hold before each sublayer: finite cells value by value,
/// in every combination that occurs and no other; codes and numbers by the range of each component.
struct Moments {
  struct Layer {
    std::vector<TokenRanges> attention, feedforward;
    /// Of the attention's tokens, what stands at position 0 and nowhere else.
    std::optional<std::size_t> only_first;
    // For models with a limit on the length, else empty:
    std::vector<TokenRanges> selected;   ///< the tokens that some head selects
    std::vector<TokenRanges> positions;  ///< all positions, codes exact, finite cells by range

    const std::vector<TokenRanges>& selectable() const {
      return selected.empty() ? attention : selected;
    }
  };
  std::vector<Layer> layers;            ///< as in the file
  std::vector<TokenRanges> verdicts;    ///< at the end, tokens that decide a word
  std::vector<TokenRanges> prefixes;    ///< at the end, tokens whose prefix product is read
  std::size_t finite_combinations = 0;  ///< for the report
};

using FiniteValues = std::map<CellId, std::uint32_t>;  ///< label, or 0/1 for a flag
using Positions = std::map<CellId, std::uint64_t>;

/// Ranges of all coordinates of a compiled program's stream from what its cells hold.
class RangeBuilder {
 public:
  RangeBuilder(const Program& program, const Model& model) : p_(program), model_(model) {}

  /// What a cell holds: a finite one by label (or 0/1 for a flag), a code by its position. Cells of
  /// `filled` hold anything of their type; whatever is named nowhere is blank.
  struct Holding {
    FiniteValues values;
    Positions positions;
    std::set<CellId> filled;
  };
  TokenRanges build(const Holding& holding) const;

  /// Of a component of a cell that holds some value of its type.
  static Range range_of(const CellType& type, std::uint32_t index);
  /// The stream whose cells have these ranges, with its mirror under layer norm.
  TokenRanges place(const std::vector<std::vector<Range>>& cells) const;

 private:
  std::vector<Range> cell(const Holding& holding, CellId cell) const;

  const Program& p_;
  const Model& model_;
};

/// The cells of these names that the program has.
std::set<CellId> cells_named(const Program& program, const std::set<std::string>& names);

}  // namespace logdepth::support
