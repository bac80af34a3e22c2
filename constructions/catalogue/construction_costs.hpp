#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/own_position.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"

namespace logdepth {

/// A construction of regular languages, and how it is called for.
struct RegularConstruction {
  std::string name;                                     ///< "scan", "tree", "radix", "cascade"
  ScanPositions positions = ScanPositions::two_circle;  ///< that it is built with
  std::optional<unsigned> radix;                        ///< of radix
  std::optional<std::uint64_t> longest = std::nullopt;  ///< words it is right for; absent: all
  std::string title() const;                            ///< "scan", "radix 4"
};

/// Position encodings that a construction can use, the one that it likes best first.
std::vector<ScanPositions> positions_for(const std::string& construction);

/// What it costs for words of some length, counted on its compiled weights.
struct ConstructionCost {
  RegularConstruction construction;
  std::optional<Measures> measures;  ///< absent where it cannot be built
  std::string refusal;               ///< why not
  /// No two scores that a head tells apart, and no number that is tested and zero, come nearer than
  /// 2^-bits (precision_facts.hpp); absent where that is not proved of all of them.
  std::optional<unsigned> bits;
};

/// All constructions for words of one length, and which of them has the fewest layers.
struct CostTable {
  std::uint64_t length = 0;
  std::vector<ConstructionCost> rows;
  std::optional<std::size_t> chosen;  ///< absent where none can be built
  std::string reason;                 ///< one sentence
};

struct CostOptions {
  std::optional<ScanPositions> positions;  ///< absent: those that each construction likes best
  ScanTable table = ScanTable::automatic;
  bool promised_length = true;  ///< also networks that are right up to the length only
  /// Why the tables of scan cannot be built, where they cannot: those of radix and tree, which hold
  /// more products, are then not asked for.
  std::optional<std::string> scan_refusal = std::nullopt;
};

/// The constructions of one automaton. What is right for all lengths is compiled once.
class RegularCosts {
 public:
  RegularCosts(const Action& action, const CostOptions& options);
  CostTable at(std::uint64_t length);

 private:
  struct Built {
    std::optional<Compiled> compiled;
    std::string refusal;
  };
  Built build(const RegularConstruction& construction) const;
  std::vector<RegularConstruction> candidates(std::uint64_t length) const;
  ConstructionCost cost(const RegularConstruction& construction, std::uint64_t length);

  const Action& action_;
  const CostOptions options_;
  std::map<std::string, Built> built_;  // of those for all lengths
};

/// The program that a construction makes of an automaton; `name` goes into the weights file. Errors:
/// SizeLimit.
Program regular_program(const Action& action, const std::string& name,
                        const RegularConstruction& construction, ScanTable table);

}  // namespace logdepth
