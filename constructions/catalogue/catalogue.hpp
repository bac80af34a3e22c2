#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/construction.hpp"
#include "objects/automaton.hpp"

namespace logdepth { inline namespace constructions_catalogue {

/// Every construction that a command compiles, in the order in which they are shown.
const Catalogue& catalogue();

/// A construction of regular languages, and how it is called for.
struct RegularConstruction {
  const Construction* record = nullptr;
  Values values;
  std::string title() const { return record->title(values); }
  /// Letters of the words that it is right for; absent: all.
  std::optional<std::uint64_t> longest() const;
};

/// What it costs for words of some length, counted on its compiled weights.
struct ConstructionCost {
  RegularConstruction construction;
  std::optional<Measures> measures;  ///< absent where it cannot be built
  std::string refusal;               ///< why not
  /// No two scores that a head tells apart, and no number that is tested and zero, come nearer than
  /// 2^-bits (runtime/file/model.hpp); absent where that is not proved of all of them.
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
  Values asked = {};            ///< positions and table, where they were asked for
  bool promised_length = true;  ///< also networks that are right up to the length only
  /// Why the products of the scan cannot be built, where they cannot: whatever multiplies is then
  /// not asked for.
  std::optional<std::string> scan_refusal = std::nullopt;
};

/// The constructions of one automaton. What is right for all lengths is compiled once.
class RegularCosts {
 public:
  RegularCosts(const Action& action, const CostOptions& options,
               const Catalogue& constructions = catalogue());
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
  const Catalogue& constructions_;
  std::map<std::string, Built> built_;  // of those for all lengths
};

}}  // namespace logdepth::constructions_catalogue
